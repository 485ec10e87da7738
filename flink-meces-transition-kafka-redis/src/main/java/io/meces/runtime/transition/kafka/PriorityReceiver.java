// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition.kafka;

import io.meces.core.exchange.Priority;
import io.meces.runtime.transition.DropReason;
import io.meces.runtime.transition.LocalTransitionService;
import io.meces.runtime.transition.MalformedMessageException;
import io.meces.runtime.transition.TransitionCodec;
import io.meces.runtime.transition.TransitionMessage;
import io.meces.runtime.transition.TransitionMetrics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.annotation.Nullable;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Reads what is sent to this TaskManager in one priority, from its end at the start on: polls
 * Kafka, reads the payloads of all records that came from Redis together, and delivers in order.
 *
 * <p>Thread-safe; a {@link ServiceThread} does the work.
 */
final class PriorityReceiver implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(PriorityReceiver.class);
    private static final Duration POLL = Duration.ofSeconds(5);
    private static final Duration LEAVE = Duration.ofMillis(500);
    private static final long JOIN_MS = 3_000;

    private final String prefix;
    private final PayloadStore store;
    private final LocalTransitionService local;
    private final TransitionMetrics metrics;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final Outage redisOutage;
    private final ServiceThread thread;

    /**
     * Starts to read.
     *
     * @throws org.apache.kafka.common.KafkaException if the partition cannot be read
     */
    PriorityReceiver(
            Priority priority,
            Map<String, Object> settings,
            TopicPartition partition,
            String prefix,
            PayloadStore store,
            LocalTransitionService local,
            TransitionMetrics metrics,
            Outages outages,
            Duration timeout) {
        this.prefix = prefix;
        this.store = store;
        this.local = local;
        this.metrics = metrics;
        this.redisOutage =
                outages.of("Reading payloads from Redis, " + priority + ",", metrics::reconnected);
        this.consumer =
                new KafkaConsumer<>(
                        settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        try {
            consumer.assign(Collections.singleton(partition));
            consumer.seekToEnd(Collections.singleton(partition));
            // determines the position now: what is sent later is read
            consumer.position(partition, timeout);
        } catch (RuntimeException e) {
            consumer.close(Duration.ZERO);
            throw e;
        }
        this.thread =
                new ServiceThread(
                        "meces-transition-receive-" + priority,
                        outages.of("Reading from Kafka, " + priority + ",", metrics::reconnected),
                        this::receive,
                        () -> consumer.close(LEAVE));
        thread.start();
    }

    private void receive() throws InterruptedException {
        ConsumerRecords<byte[], byte[]> records;
        try {
            records = consumer.poll(POLL);
        } catch (Throwable t) {
            // the consumer does not get past a record that it cannot read; what is skipped is sent
            // again
            consumer.seekToEnd(consumer.assignment());
            throw t;
        }
        deliver(records);
    }

    private void deliver(ConsumerRecords<byte[], byte[]> records) throws InterruptedException {
        List<TransitionMessage> messages = new ArrayList<>(records.count());
        // as long as the messages, null for those that are complete
        List<String> keys = new ArrayList<>(records.count());
        for (ConsumerRecord<byte[], byte[]> record : records) {
            TransitionMessage message = decode(record.value());
            if (message == null) {
                continue;
            }
            boolean reference = record.headers().lastHeader(PrioritySender.REFERENCE) != null;
            if (reference && !local.isHere(message.receiver())) {
                // nothing is read for somebody else's tasks, who may share the partition
                metrics.dropped(DropReason.UNKNOWN_RECEIVER);
                LOG.debug("Dropped, as its receiver is not here: {}", message);
                continue;
            }
            messages.add(message);
            keys.add(reference ? MessageId.of(prefix, message) : null);
        }
        Map<String, byte[]> payloads = read(keys);
        for (int i = 0; i < messages.size(); i++) {
            String key = keys.get(i);
            if (key == null) {
                local.deliver(messages.get(i));
            } else {
                deliver(messages.get(i), payloads.get(key));
            }
        }
    }

    private void deliver(TransitionMessage reference, @Nullable byte[] payload) {
        if (payload == null) {
            metrics.dropped(DropReason.PAYLOAD_MISSING);
            LOG.debug("Dropped, as its payload is not in Redis: {}", reference);
            return;
        }
        TransitionMessage message = decode(payload);
        if (message == null) {
            return;
        }
        if (message.sequence() != reference.sequence()
                || message.priority() != reference.priority()
                || message.kind() != reference.kind()
                || !message.receiver().equals(reference.receiver())
                || !message.origin().equals(reference.origin())) {
            metrics.dropped(DropReason.MALFORMED);
            LOG.warn("Redis has something else than {}: {}", reference, message);
        } else {
            local.deliver(message);
        }
    }

    @Nullable
    private TransitionMessage decode(@Nullable byte[] bytes) {
        try {
            if (bytes != null) {
                return TransitionCodec.decode(bytes);
            }
            LOG.warn("A record without a value");
        } catch (MalformedMessageException e) {
            LOG.warn("Dropped, as it is not a message of ours: {}", e.getMessage());
        }
        metrics.dropped(DropReason.MALFORMED);
        return null;
    }

    /** Goes on until Redis has answered. */
    private Map<String, byte[]> read(List<String> keysAndNulls) throws InterruptedException {
        // once for a message that was sent again meanwhile
        Set<String> distinct = new LinkedHashSet<>(keysAndNulls);
        distinct.remove(null);
        List<String> keys = new ArrayList<>(distinct);
        Map<String, byte[]> result = new HashMap<>();
        while (!keys.isEmpty()) {
            try {
                List<byte[]> payloads = store.read(keys);
                redisOutage.succeeded();
                for (int i = 0; i < keys.size(); i++) {
                    result.put(keys.get(i), payloads.get(i));
                }
                return result;
            } catch (JedisException e) {
                int failures = redisOutage.failed(e);
                if (thread.isStopping()) {
                    throw e;
                }
                Retries.DEFAULT.pause(failures);
            }
        }
        return result;
    }

    @Override
    public void close() {
        thread.requestStop();
        consumer.wakeup();
        thread.join(JOIN_MS);
    }
}
