// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition.kafka;

import io.meces.core.exchange.PeerMessage;
import io.meces.core.exchange.Priority;
import io.meces.core.exchange.TransitionAddress;
import io.meces.core.id.AttemptId;
import io.meces.runtime.MecesOptions;
import io.meces.runtime.transition.LocalTransitionService;
import io.meces.runtime.transition.TransitionCodec;
import io.meces.runtime.transition.TransitionInbox;
import io.meces.runtime.transition.TransitionMessage;
import io.meces.runtime.transition.TransitionMetrics;
import io.meces.runtime.transition.TransitionOrigin;
import io.meces.runtime.transition.TransitionService;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.annotation.Nullable;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Sends messages as records of Kafka, with the payloads of units in Redis. Each TaskManager has
 * partitions of its own, one for each {@link Priority}, and for each priority a thread that sends
 * and one that receives, so that what is migrated in the background is in nobody's way.
 *
 * <p>Thread-safe. While Kafka or Redis is away, messages wait or get lost.
 */
public final class KafkaRedisTransitionService implements TransitionService {

    private static final Logger LOG = LoggerFactory.getLogger(KafkaRedisTransitionService.class);
    private static final int PRACTICE_MESSAGES = 100;
    private static final long PRACTICE_SECONDS = 10;

    private final Outages outages = new Outages();
    private final LocalTransitionService local;
    private final Map<Priority, PrioritySender> senders = new EnumMap<>(Priority.class);

    /** What is to be closed, in this order. */
    private final Deque<AutoCloseable> resources = new ArrayDeque<>();

    private KafkaRedisTransitionService(
            Configuration configuration,
            KafkaSettings settings,
            TransitionMetrics metrics,
            Topics topics,
            long deadline)
            throws Exception {
        String prefix = configuration.get(MecesOptions.KAFKA_REDIS_PREFIX);
        try {
            PayloadStore store = closing(PayloadStore.connect(configuration, deadline));
            topics.ensure(left(deadline));
            SlotLease lease =
                    closing(
                            new SlotLease(
                                    store.redis(),
                                    prefix,
                                    configuration.get(MecesOptions.KAFKA_REDIS_LEASE),
                                    outages));
            int slot = topics.ensureSlot(lease.slot(), left(deadline));
            String clientId = prefix + "-transition-" + slot;
            local = new LocalTransitionService(TransitionAddress.ofPartition(slot), metrics);
            for (Priority priority : Priority.values()) {
                closing(
                        new PriorityReceiver(
                                priority,
                                settings.consumer(clientId + "-" + priority),
                                topics.of(slot, priority),
                                prefix,
                                store,
                                local,
                                metrics,
                                outages,
                                left(deadline)));
            }
            RecordProducer producer =
                    closing(new RecordProducer(settings.producer(clientId), outages));
            for (Priority priority : Priority.values()) {
                producer.prepare(topics.of(slot, priority).topic(), deadline);
                senders.put(
                        priority,
                        closing(
                                new PrioritySender(
                                        priority, prefix, topics, store, producer, metrics,
                                        outages)));
            }
            LOG.info(
                    "The transition service reads {} of {} at {}.",
                    local.address(),
                    topics.requests(),
                    settings.bootstrapServers());
        } catch (KafkaException e) {
            close();
            throw topics.unusable(e);
        } catch (JedisException e) {
            close();
            throw PayloadStore.unusable(configuration, e);
        } catch (Exception e) {
            close();
            throw e;
        }
    }

    /**
     * Makes a service that is ready to be used.
     *
     * @throws org.apache.flink.configuration.IllegalConfigurationException if something is missing
     * @throws IOException if Kafka or Redis cannot be used, naming it and the reason
     */
    public static KafkaRedisTransitionService connect(
            Configuration configuration, TransitionMetrics metrics) throws Exception {
        KafkaSettings settings = new KafkaSettings(configuration);
        return new KafkaRedisTransitionService(
                configuration,
                settings,
                metrics,
                new Topics(settings, configuration),
                System.nanoTime()
                        + configuration.get(MecesOptions.KAFKA_REDIS_START_TIMEOUT).toNanos());
    }

    private static Duration left(long deadline) {
        return Duration.ofNanos(Math.max(1_000_000, deadline - System.nanoTime()));
    }

    private <T extends AutoCloseable> T closing(T resource) {
        resources.push(resource);
        return resource;
    }

    @Override
    public TransitionAddress address() {
        return local.address();
    }

    @Override
    public void register(AttemptId task, TransitionInbox inbox) {
        local.register(task, inbox);
    }

    @Override
    public void unregister(AttemptId task) {
        local.unregister(task);
    }

    @Override
    public boolean isDirect() {
        return false;
    }

    @Override
    @Nullable
    public String outage() {
        return outages.reasons();
    }

    @Override
    public void prepare(TransitionAddress to) {
        // the producer knows all partitions
    }

    @Override
    public void send(TransitionAddress to, TransitionMessage message) {
        TransitionCodec.checkLength(message);
        if (to.equals(local.address())) {
            local.deliver(message);
        } else {
            sendOverNetwork(to, message);
        }
    }

    private void sendOverNetwork(TransitionAddress to, TransitionMessage message) {
        senders.get(message.priority()).send(to.partition(), message);
    }

    @Override
    public void release(TransitionAddress to, TransitionMessage message) {
        if (!to.equals(local.address())) {
            senders.get(message.priority()).release(message);
        }
    }

    /** Sends messages to itself, through Kafka and Redis. Takes some 100 ms, at most 10 s. */
    @Override
    public void practice() throws InterruptedException {
        AttemptId nobody = AttemptId.random();
        TransitionOrigin messages =
                new TransitionOrigin(new JobID(), new JobVertexID(), UUID.randomUUID(), nobody, 0);
        byte[] state = new byte[2048];
        CountDownLatch arrived = new CountDownLatch(Priority.COUNT * PRACTICE_MESSAGES);
        register(nobody, message -> arrived.countDown());
        try {
            for (int i = 0; i < PRACTICE_MESSAGES; i++) {
                for (Priority priority : Priority.values()) {
                    sendOverNetwork(address(), practice(messages, nobody, state, priority, i));
                }
            }
            if (!arrived.await(PRACTICE_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("Messages to itself do not arrive in time at {}.", address());
            }
            for (int i = 0; i < PRACTICE_MESSAGES; i++) {
                for (Priority priority : Priority.values()) {
                    senders.get(priority).release(practice(messages, nobody, state, priority, i));
                }
            }
        } finally {
            unregister(nobody);
        }
    }

    private static TransitionMessage practice(
            TransitionOrigin messages, AttemptId to, byte[] state, Priority priority, int number) {
        return (priority == Priority.CONTROL
                        ? messages.to(to, PeerMessage.request(0, number))
                        : messages.to(to, PeerMessage.unit(0, number, state)))
                .sequenced(priority, number);
    }

    /**
     * Deletes what is in Redis still, and gives the partitions back. Takes some seconds at most.
     */
    @Override
    public void close() {
        // all at once, so that one that waits for a server does not hold up the others
        senders.values().forEach(PrioritySender::requestStop);
        while (!resources.isEmpty()) {
            try {
                resources.pop().close();
            } catch (Exception e) {
                LOG.warn("A part of the transition service was not closed.", e);
            }
        }
        if (local != null) {
            local.close();
        }
    }
}
