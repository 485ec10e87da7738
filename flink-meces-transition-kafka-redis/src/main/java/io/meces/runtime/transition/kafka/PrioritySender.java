// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition.kafka;

import io.meces.core.exchange.PeerMessage;
import io.meces.core.exchange.Priority;
import io.meces.runtime.transition.DropReason;
import io.meces.runtime.transition.TransitionCodec;
import io.meces.runtime.transition.TransitionMessage;
import io.meces.runtime.transition.TransitionMetrics;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import javax.annotation.Nullable;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Sends the messages of one priority, in order: writes the payloads of all that wait to Redis
 * together, then their records to Kafka. A message that is sent again while it still waits here is
 * not sent twice, so that not more piles up while a server is away than senders have not seen
 * acknowledged.
 *
 * <p>Thread-safe; a {@link ServiceThread} does the work.
 */
final class PrioritySender implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(PrioritySender.class);

    /** The header of a record whose payload is in Redis. */
    static final String REFERENCE = "redis";

    private static final Iterable<Header> NO_HEADERS = Collections.emptyList();
    private static final Iterable<Header> REFERENCE_HEADERS =
            Collections.singletonList(new RecordHeader(REFERENCE, new byte[0]));
    private static final byte[] NOTHING = new byte[0];

    /** Payloads from this length on are not put into records, whatever is in them. */
    private static final int MAX_INLINE = 256 * 1024;

    /** What a topic has to take: a record as large as any, in a batch of its own. */
    static final int MAX_RECORD = MAX_INLINE + TransitionCodec.HEADER_LENGTH + 1024;

    /** Bytes from which on nothing is added to the queue. */
    static final long QUEUE_LIMIT = 32 << 20;

    private static final int MAX_BATCH = 256;
    private static final long MAX_BATCH_BYTES = 4 << 20;
    private static final long JOIN_MS = 5_000;

    private final Priority priority;
    private final String prefix;
    private final Topics topics;
    private final PayloadStore store;
    private final RecordProducer producer;
    private final TransitionMetrics metrics;
    private final Outage outage;
    private final ServiceThread thread;

    private final BlockingQueue<Job> queue = new LinkedBlockingQueue<>();

    private final AtomicLong bytesQueued = new AtomicLong();

    /** Messages in the queue or on their way to Kafka. */
    private final Set<String> underway = ConcurrentHashMap.newKeySet();

    /** Keys that may be in Redis; owned by the thread. */
    private final Set<String> stored = new HashSet<>();

    /** Keys that are not needed any more; owned by the thread. */
    private final Set<String> released = new HashSet<>();

    PrioritySender(
            Priority priority,
            String prefix,
            Topics topics,
            PayloadStore store,
            RecordProducer producer,
            TransitionMetrics metrics,
            Outages outages) {
        this.priority = priority;
        this.prefix = prefix;
        this.topics = topics;
        this.store = store;
        this.producer = producer;
        this.metrics = metrics;
        this.outage =
                outages.of("Writing payloads to Redis, " + priority + ",", metrics::reconnected);
        this.thread =
                new ServiceThread(
                        "meces-transition-send-" + priority,
                        outages.of("Sending, " + priority + ",", () -> {}),
                        () -> send(nextBatch()),
                        this::deleteAll);
        thread.start();
    }

    /** Sends a message to the owner of a slot. Does not block. */
    void send(int slot, TransitionMessage message) {
        String id = message.sequence() < 0 ? null : MessageId.of(prefix, message);
        if (bytesQueued.get() >= QUEUE_LIMIT) {
            metrics.dropped(DropReason.UNSENT);
        } else if (id == null || underway.add(id)) {
            Job job = new Job(id, slot, message);
            bytesQueued.addAndGet(job.bytes());
            queue.add(job);
        }
    }

    /** Deletes what is kept for a message that was sent before. Does not block. */
    void release(TransitionMessage message) {
        if (hasReference(message)) {
            queue.add(new Job(MessageId.of(prefix, message), -1, null));
        }
    }

    private static boolean hasReference(TransitionMessage message) {
        return message.content().hasState()
                || message.kind() == PeerMessage.Kind.BROADCAST_STATE
                || message.payload().length >= MAX_INLINE;
    }

    // ------------------------------------------------------------------------
    //  The thread
    // ------------------------------------------------------------------------

    private List<Job> nextBatch() throws InterruptedException {
        List<Job> batch = new ArrayList<>();
        long bytes = 0;
        Job next = queue.take();
        while (next != null) {
            batch.add(next);
            bytes += next.bytes();
            next = batch.size() < MAX_BATCH && bytes < MAX_BATCH_BYTES ? queue.poll() : null;
        }
        bytesQueued.addAndGet(-bytes);
        return batch;
    }

    private void send(List<Job> batch) throws InterruptedException {
        try {
            process(batch);
        } catch (Throwable t) {
            // they are sent again later
            for (Job job : batch) {
                if (job.message != null) {
                    done(job.id);
                }
            }
            throw t;
        }
    }

    private void process(List<Job> batch) throws InterruptedException {
        for (Job job : batch) {
            if (job.message == null && job.id != null) {
                released.add(job.id);
            }
        }
        List<Job> sends = new ArrayList<>();
        Map<String, byte[]> writes = new LinkedHashMap<>();
        for (Job job : batch) {
            if (job.message != null && released.contains(job.id)) {
                underway.remove(job.id);
            } else if (job.message != null) {
                sends.add(job);
                if (job.id != null && hasReference(job.message)) {
                    writes.put(job.id, TransitionCodec.encode(job.message));
                }
            }
        }
        Set<String> refused = updateStore(writes);
        for (Job job : sends) {
            if (refused.contains(job.id)) {
                underway.remove(job.id);
            } else {
                sendRecord(job, writes.get(job.id));
            }
        }
    }

    /** Returns what was refused; goes on until Redis has taken or refused everything. */
    private Set<String> updateStore(Map<String, byte[]> writes) throws InterruptedException {
        stored.addAll(writes.keySet());
        Set<String> deletes = new HashSet<>(released);
        deletes.retainAll(stored);
        if (writes.isEmpty() && deletes.isEmpty()) {
            released.clear();
            return Collections.emptySet();
        }
        while (true) {
            try {
                Set<String> refused = store.update(writes, deletes);
                stored.removeAll(deletes);
                stored.removeAll(refused);
                released.clear();
                outage.succeeded();
                return refused;
            } catch (JedisException e) {
                int failures = outage.failed(e);
                if (thread.isStopping()) {
                    throw e;
                }
                Retries.DEFAULT.pause(failures);
            }
        }
    }

    private void sendRecord(Job job, @Nullable byte[] payload) {
        byte[] value =
                payload == null
                        ? TransitionCodec.encode(job.message)
                        : TransitionCodec.encode(job.message.withPayload(NOTHING));
        metrics.sent(value.length + (payload == null ? 0 : payload.length));
        producer.send(
                topics.of(job.slot, priority),
                value,
                payload == null ? NO_HEADERS : REFERENCE_HEADERS,
                () -> done(job.id));
    }

    private void done(@Nullable String id) {
        if (id != null) {
            underway.remove(id);
        }
    }

    private void deleteAll() {
        if (!stored.isEmpty()) {
            try {
                store.update(Collections.emptyMap(), stored);
                stored.clear();
            } catch (JedisException e) {
                LOG.warn("{} payloads stay in Redis until they expire.", stored.size(), e);
            }
        }
    }

    /** Begins what {@link #close} ends. Does not block. */
    void requestStop() {
        thread.requestStop();
        queue.add(Job.NOTHING);
    }

    /** Stops to send, and deletes what is not released yet. */
    @Override
    public void close() {
        requestStop();
        thread.join(JOIN_MS);
    }

    /** What is to be done for one message. */
    private static final class Job {
        /** Wakes the thread up. */
        private static final Job NOTHING = new Job(null, -1, null);

        /** Null for a message that is never sent again. */
        @Nullable private final String id;

        private final int slot;

        /** Null if what was sent before is to be released. */
        @Nullable private final TransitionMessage message;

        private Job(@Nullable String id, int slot, @Nullable TransitionMessage message) {
            this.id = id;
            this.slot = slot;
            this.message = message;
        }

        private long bytes() {
            return message == null ? 0 : TransitionCodec.HEADER_LENGTH + message.payload().length;
        }
    }
}
