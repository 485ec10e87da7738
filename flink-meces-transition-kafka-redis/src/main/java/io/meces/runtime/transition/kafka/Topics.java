// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition.kafka;

import io.meces.core.exchange.Priority;
import io.meces.runtime.MecesOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidPartitionsException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The two topics, and which of their partitions belong to which slot: of the requests one, of the
 * responses two, one for what is urgent. Used by one thread.
 */
final class Topics {

    private static final Logger LOG = LoggerFactory.getLogger(Topics.class);
    private static final int PROBE_TIMEOUT_MS = 2_000;
    private static final int RESPONSE_PARTITIONS = 2;
    private static final String CLEANUP = "cleanup.policy";
    private static final String COMPRESSION = "compression.type";
    private static final String MESSAGE_BYTES = "max.message.bytes";
    private static final String RETENTION = "retention.ms";

    /** Kafka's default. */
    private static final String KAFKAS_MESSAGE_BYTES = "1048588";

    /** Java has the codec of gzip itself; our producers do not compress. */
    private static final List<String> READABLE = Arrays.asList("uncompressed", "producer", "gzip");

    private final KafkaSettings settings;
    private final String requests;
    private final String responses;
    private final int partitions;
    private final Optional<Short> replication;
    private final long ttlMs;
    private final Map<String, String> topicSettings = new HashMap<>();

    Topics(KafkaSettings settings, ReadableConfig configuration) {
        String prefix = configuration.get(MecesOptions.KAFKA_REDIS_PREFIX);
        this.settings = settings;
        this.requests = prefix + "-requests";
        this.responses = prefix + "-responses";
        this.partitions = configuration.get(MecesOptions.KAFKA_REDIS_PARTITIONS);
        this.replication =
                configuration
                        .getOptional(MecesOptions.KAFKA_REDIS_REPLICATION)
                        .map(Integer::shortValue);
        // what is older than its payload is of no use
        this.ttlMs = configuration.get(MecesOptions.KAFKA_REDIS_TTL).toMillis();
        topicSettings.put(RETENTION, String.valueOf(ttlMs));
        topicSettings.put("segment.ms", String.valueOf(ttlMs));
        // whatever the brokers do by default: a topic that is compacted takes no records without
        // key
        topicSettings.put(CLEANUP, "delete");
        // our clients lack most codecs; "producer" would keep what a stranger has compressed
        topicSettings.put(COMPRESSION, "uncompressed");
    }

    String requests() {
        return requests;
    }

    /** Where the owner of a slot reads what is sent to it in a priority. */
    TopicPartition of(int slot, Priority priority) {
        return priority == Priority.CONTROL
                ? new TopicPartition(requests, slot)
                : new TopicPartition(
                        responses,
                        RESPONSE_PARTITIONS * slot + (priority == Priority.URGENT ? 0 : 1));
    }

    /**
     * Makes the topics if they are not there, and checks those that are.
     *
     * @throws IllegalConfigurationException if a topic is set up so that it is of no use
     * @throws IOException if the brokers cannot be reached, refuse us, or cannot do it, naming them
     *     and the reason
     */
    void ensure(Duration timeout) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        try (Connection connection = new Connection()) {
            Admin admin = connection.admin;
            get(admin.describeCluster().nodes(), deadline);
            create(admin, requests, partitions, deadline);
            create(admin, responses, RESPONSE_PARTITIONS * partitions, deadline);
            check(admin, requests, deadline);
            check(admin, responses, deadline);
        } catch (ExecutionException | TimeoutException | KafkaException e) {
            throw unusable(e);
        }
    }

    /** A client that is closed without waiting for answers that are not wanted any more. */
    private final class Connection implements AutoCloseable {
        private final Admin admin = Admin.create(settings.admin());

        @Override
        public void close() {
            admin.close(Duration.ZERO);
        }
    }

    /**
     * Sees to it that there are partitions for a slot.
     *
     * @return the slot, or another one that is shared with others since no partitions could be
     *     added
     */
    int ensureSlot(int slot, Duration timeout) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        try (Connection connection = new Connection()) {
            Admin admin = connection.admin;
            int slots = slots(admin, deadline);
            if (slot < slots) {
                return slot;
            }
            int more = Math.max(slot + 1, slots + Math.max(1, slots / 2));
            try {
                increase(admin, requests, more, deadline);
                increase(admin, responses, RESPONSE_PARTITIONS * more, deadline);
                LOG.info("All {} slots are taken; there are {} now.", slots, more);
                return slot;
            } catch (ExecutionException e) {
                LOG.warn(
                        "All {} slots are taken, and no partitions can be added to {} and {};"
                                + " this TaskManager shares one with another and reads what is"
                                + " not meant for it. Add partitions.",
                        slots,
                        requests,
                        responses,
                        e.getCause());
                return slot % slots;
            }
        } catch (ExecutionException | TimeoutException | KafkaException e) {
            throw unusable(e);
        }
    }

    private void create(Admin admin, String topic, int number, long deadline)
            throws ExecutionException, InterruptedException, TimeoutException {
        if (describe(admin, topic, deadline) == null) {
            NewTopic newTopic =
                    new NewTopic(topic, Optional.of(number), replication).configs(topicSettings);
            try {
                get(admin.createTopics(Collections.singleton(newTopic)).all(), deadline);
                LOG.info("Made the topic {} with {} partitions.", topic, number);
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof TopicExistsException)) {
                    throw e;
                }
            }
            for (int i = 1; !isUsable(describe(admin, topic, deadline)); i++) {
                if (System.nanoTime() - deadline > 0) {
                    throw new TimeoutException("Topic " + topic + " has partitions without leader");
                }
                Retries.DEFAULT.pause(i);
            }
        }
    }

    private void check(Admin admin, String topic, long deadline)
            throws ExecutionException, InterruptedException, TimeoutException {
        ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
        Config config;
        try {
            config =
                    ask(
                            () ->
                                    admin.describeConfigs(Collections.singleton(resource))
                                            .values()
                                            .get(resource),
                            failure -> true,
                            deadline);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof AuthorizationException) {
                LOG.warn(
                        "It is not checked how topic {} is set up: {}",
                        topic,
                        e.getCause().getMessage());
                return;
            }
            throw e;
        }
        require(topic, config, CLEANUP, "delete"::equals, "delete");
        require(topic, config, COMPRESSION, READABLE::contains, "uncompressed");
        require(
                topic,
                config,
                MESSAGE_BYTES,
                bytes -> Long.parseLong(bytes) >= PrioritySender.MAX_RECORD,
                KAFKAS_MESSAGE_BYTES);
        if (!suits(
                config, RETENTION, ms -> Long.parseLong(ms) >= 0 && Long.parseLong(ms) <= ttlMs)) {
            LOG.warn(
                    "Topic {} has {}={}: records stay there for longer than the {} ms of {}.",
                    topic,
                    RETENTION,
                    config.get(RETENTION).value(),
                    ttlMs,
                    MecesOptions.KAFKA_REDIS_TTL.key());
        }
    }

    /** Also if the brokers do not tell it: some that are not Kafka's know few settings. */
    private static boolean suits(Config config, String key, Predicate<String> values) {
        ConfigEntry entry = config.get(key);
        return entry == null || entry.value() == null || values.test(entry.value());
    }

    private void require(
            String topic, Config config, String key, Predicate<String> values, String wanted) {
        if (!suits(config, key, values)) {
            throw new IllegalConfigurationException(
                    String.format(
                            "The transition service cannot use the topic %1$s, which has"
                                    + " %2$s=%3$s. Set it to %4$s: kafka-configs.sh"
                                    + " --bootstrap-server %5$s --alter --entity-type topics"
                                    + " --entity-name %1$s --add-config %2$s=%4$s. Or delete the"
                                    + " topic, which is then made anew; or use other topics: set"
                                    + " %6$s.",
                            topic,
                            key,
                            config.get(key).value(),
                            wanted,
                            settings.bootstrapServers(),
                            MecesOptions.KAFKA_REDIS_PREFIX.key()));
        }
    }

    private static boolean isUsable(TopicDescription topic) {
        return topic != null
                && topic.partitions().stream()
                        .allMatch(p -> p.leader() != null && !p.leader().isEmpty());
    }

    private int slots(Admin admin, long deadline)
            throws ExecutionException, InterruptedException, TimeoutException {
        TopicDescription requestsTopic = describe(admin, requests, deadline);
        TopicDescription responsesTopic = describe(admin, responses, deadline);
        if (requestsTopic == null || responsesTopic == null) {
            throw new ExecutionException(
                    new UnknownTopicOrPartitionException("topics " + requests + ", " + responses));
        }
        return Math.min(
                requestsTopic.partitions().size(),
                responsesTopic.partitions().size() / RESPONSE_PARTITIONS);
    }

    private void increase(Admin admin, String topic, int number, long deadline)
            throws ExecutionException, InterruptedException, TimeoutException {
        try {
            get(
                    admin.createPartitions(
                                    Collections.singletonMap(
                                            topic, NewPartitions.increaseTo(number)))
                            .all(),
                    deadline);
        } catch (ExecutionException e) {
            TopicDescription now = describe(admin, topic, deadline);
            boolean othersDid =
                    e.getCause() instanceof InvalidPartitionsException
                            && now != null
                            && now.partitions().size() >= number;
            if (!othersDid) {
                throw e;
            }
        }
    }

    /** The topic, or null if it does not exist. */
    private static TopicDescription describe(Admin admin, String topic, long deadline)
            throws ExecutionException, InterruptedException, TimeoutException {
        try {
            return ask(
                    () ->
                            admin.describeTopics(Collections.singleton(topic))
                                    .topicNameValues()
                                    .get(topic),
                    failure -> !(failure instanceof UnknownTopicOrPartitionException),
                    deadline);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                return null;
            }
            throw e;
        }
    }

    /**
     * Asks again while the answer is a failure that may pass.
     *
     * @param unexpected not those that are an answer
     */
    private static <T> T ask(
            Supplier<Future<T>> question, Predicate<Throwable> unexpected, long deadline)
            throws ExecutionException, InterruptedException, TimeoutException {
        for (int failures = 1; ; failures++) {
            try {
                return get(question.get(), deadline);
            } catch (ExecutionException e) {
                boolean mayPass =
                        e.getCause() instanceof RetriableException && unexpected.test(e.getCause());
                if (!mayPass || System.nanoTime() - deadline > 0) {
                    throw e;
                }
                Retries.DEFAULT.pause(failures);
            }
        }
    }

    private static <T> T get(Future<T> future, long deadline)
            throws ExecutionException, InterruptedException, TimeoutException {
        return future.get(Math.max(1, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
    }

    /** That the brokers cannot be used, and why, as far as it can be found out. */
    IOException unusable(Exception failure) {
        Throwable reason = failure;
        while (reason.getCause() != null && reason.getCause() != reason) {
            reason = reason.getCause();
        }
        String why = reason.getMessage() == null ? reason.toString() : reason.getMessage();
        boolean silent = reason instanceof TimeoutException || reason instanceof RetriableException;
        return new IOException(
                "The transition service cannot use Kafka at "
                        + settings.bootstrapServers()
                        + " ("
                        + MecesOptions.KAFKA_BOOTSTRAP_SERVERS.key()
                        + "): "
                        + (silent ? probe() + "; " : "")
                        + why,
                failure);
    }

    /** What becomes of a plain connection, since Kafka's clients only say that time is over. */
    private String probe() {
        String result = "no broker answers in time";
        for (String server : Arrays.asList(settings.bootstrapServers().split(","))) {
            int colon = server.lastIndexOf(':');
            try (Socket socket = new Socket()) {
                socket.connect(
                        new InetSocketAddress(
                                server.substring(0, Math.max(0, colon)).trim(),
                                Integer.parseInt(server.substring(colon + 1).trim())),
                        PROBE_TIMEOUT_MS);
                return "a connection can be made, but there is no answer in time";
            } catch (IOException | IllegalArgumentException e) {
                result = server.trim() + ": " + e.getMessage();
            }
        }
        return result;
    }
}
