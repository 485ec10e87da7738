/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.runtime.transition.kafka;

import io.meces.core.messaging.Priority;
import io.meces.runtime.MecesOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
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

    private final KafkaSettings settings;
    private final String requests;
    private final String responses;
    private final int partitions;
    private final Optional<Short> replication;
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
        String ttl = String.valueOf(configuration.get(MecesOptions.KAFKA_REDIS_TTL).toMillis());
        topicSettings.put("retention.ms", ttl);
        topicSettings.put("segment.ms", ttl);
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
     * Makes the topics if they are not there.
     *
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
        for (int failures = 1; ; failures++) {
            try {
                return get(
                        admin.describeTopics(Collections.singleton(topic))
                                .topicNameValues()
                                .get(topic),
                        deadline);
            } catch (ExecutionException e) {
                if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                    return null;
                }
                if (!(e.getCause() instanceof RetriableException)
                        || System.nanoTime() - deadline > 0) {
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
