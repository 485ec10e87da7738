// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.bench;

import io.meces.experiments.cluster.Watchdog;
import io.meces.experiments.traffic.JobTopics;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Makes and deletes topics in a Kafka that belongs to others. Each call blocks for 60 s at most.
 */
final class TopicAdmin {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final Duration POLL = Duration.ofMillis(100);

    private final String bootstrapServers;

    TopicAdmin(String bootstrapServers) {
        this.bootstrapServers = bootstrapServers;
    }

    /**
     * Looks whether Kafka answers.
     *
     * @throws IOException if it does not
     */
    void requireReachable() throws IOException, InterruptedException {
        with(admin -> get(admin.describeCluster().nodes()));
    }

    /**
     * Makes both topics, with as many replicas as the brokers do by default, and waits until they
     * can be used.
     *
     * @throws IOException if Kafka refuses or is not reached
     */
    void create(JobTopics topics) throws IOException, InterruptedException {
        NewTopic input =
                new NewTopic(topics.input, Optional.of(topics.partitions), Optional.empty());
        NewTopic output =
                new NewTopic(topics.output, Optional.of(topics.partitions), Optional.empty())
                        .configs(JobTopics.OUTPUT_CONFIG);
        with(
                admin -> {
                    get(admin.createTopics(Arrays.asList(input, output)).all());
                    awaitLeaders(admin, Arrays.asList(topics.input, topics.output));
                    return null;
                });
    }

    /**
     * A job that starts before brokers know all partitions would not read those that are missing.
     */
    private static void awaitLeaders(Admin admin, List<String> names)
            throws IOException, ExecutionException, InterruptedException, TimeoutException {
        Watchdog patience = new Watchdog();
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (!haveLeaders(admin, names)) {
            if (System.nanoTime() - deadline >= 0) {
                throw new TimeoutException(
                        names + " have no leaders after " + TIMEOUT.getSeconds() + " s");
            }
            patience.pause(POLL);
        }
    }

    private static boolean haveLeaders(Admin admin, List<String> names)
            throws ExecutionException, InterruptedException, TimeoutException {
        try {
            for (TopicDescription topic :
                    get(admin.describeTopics(names).allTopicNames()).values()) {
                if (topic.partitions().stream().anyMatch(partition -> partition.leader() == null)) {
                    return false;
                }
            }
            return true;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                return false;
            }
            throw e;
        }
    }

    /**
     * Deletes both topics, as far as they exist.
     *
     * @throws IOException if Kafka refuses or is not reached
     */
    void delete(JobTopics topics) throws IOException, InterruptedException {
        with(
                admin -> {
                    for (KafkaFuture<Void> deletion :
                            admin.deleteTopics(Arrays.asList(topics.input, topics.output))
                                    .topicNameValues()
                                    .values()) {
                        awaitDeletion(deletion);
                    }
                    return null;
                });
    }

    private static void awaitDeletion(KafkaFuture<Void> deletion)
            throws ExecutionException, InterruptedException, TimeoutException {
        try {
            get(deletion);
        } catch (ExecutionException e) {
            // one that was never made is gone, too
            if (!(e.getCause() instanceof UnknownTopicOrPartitionException)) {
                throw e;
            }
        }
    }

    private static <T> T get(KafkaFuture<T> future)
            throws ExecutionException, InterruptedException, TimeoutException {
        return future.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void with(Action action) throws IOException, InterruptedException {
        Map<String, Object> config = new HashMap<>();
        config.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
        config.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) TIMEOUT.toMillis());
        try (Admin admin = Admin.create(config)) {
            action.on(admin);
        } catch (ExecutionException e) {
            throw failed(e.getCause());
        } catch (KafkaException | TimeoutException e) {
            throw failed(e);
        }
    }

    private IOException failed(Throwable cause) {
        Throwable reason = cause.getCause() == null ? cause : cause.getCause();
        return new IOException("Kafka at " + bootstrapServers + ": " + reason.getMessage(), cause);
    }

    /** Something that Kafka is asked to do. */
    @FunctionalInterface
    private interface Action {
        Object on(Admin admin)
                throws IOException, ExecutionException, InterruptedException, TimeoutException;
    }
}
