// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.meces.api.Elasticity;
import io.meces.api.RescaleDetails;
import io.meces.api.RescaleRequest;
import io.meces.experiments.cluster.FlinkClient;
import io.meces.experiments.cluster.FlinkCluster;
import io.meces.experiments.cluster.Installation;
import io.meces.experiments.cluster.Watchdog;
import io.meces.experiments.measure.Verdict;
import io.meces.experiments.traffic.JobTopics;
import io.meces.experiments.traffic.KeyCountTraffic;
import io.meces.experiments.traffic.KeyDistribution;
import io.meces.servers.KafkaBroker;
import io.meces.servers.ProcessGroup;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import javax.annotation.Nullable;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.TransactionListing;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A Kafka that forgets transactional ids after 20 s, as any does after seven days, and a job whose
 * subtask has left long before it is restarted.
 */
@Tag("full")
class ForgottenTransactionsIT {

    private static final Duration PATIENCE = Duration.ofSeconds(180);
    private static final Duration POLL = Duration.ofMillis(100);
    private static final int PARTITIONS = 2;
    private static final int KEYS = 500;
    private static final String PROBE = "probe";

    private final Watchdog watchdog = new Watchdog();
    private FlinkClient client;

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void aJobIsRestartedAlthoughKafkaHasForgottenTheTransactionsOfASubtaskThatHasLeft()
            throws Exception {
        Installation installation = new Installation(Paths.get(System.getProperty("meces.home")));
        Path logs = Paths.get("target", "it", "forgotten-transactions").toAbsolutePath();
        Files.createDirectories(logs);
        Map<String, String> settings = new HashMap<>();
        settings.put("broker.session.timeout.ms", "120000");
        settings.put("transactional.id.expiration.ms", "20000");
        settings.put("transaction.remove.expired.transaction.cleanup.interval.ms", "500");
        try (ProcessGroup processes = new ProcessGroup("flink-meces-forgotten")) {
            KafkaBroker kafka =
                    KafkaBroker.start(installation.servers(), processes, logs, settings);
            FlinkCluster flink =
                    FlinkCluster.start(
                            installation,
                            new FlinkCluster.Spec()
                                    .quickStart(true)
                                    .taskManagers(2, 2)
                                    .taskManagerHeapMegabytes(FlinkCluster.LEAST_HEAP_MEGABYTES),
                            processes,
                            logs);
            kafka.awaitReady(PATIENCE);
            flink.awaitReady(PATIENCE);
            client = flink.client();
            kafka.createTopic("events", PARTITIONS, Collections.emptyMap());
            kafka.createTopic("results", PARTITIONS, Collections.emptyMap());
            kafka.createTopic(PROBE, 1, Collections.emptyMap());
            try (KeyCountTraffic traffic =
                    new KeyCountTraffic(
                            new JobTopics(kafka.address(), "events", "results", PARTITIONS),
                            KEYS,
                            0,
                            watchdog,
                            true)) {
                run(installation, kafka, traffic, processes.directory());
            }
        }
    }

    private void run(
            Installation installation, KafkaBroker kafka, KeyCountTraffic traffic, Path directory)
            throws Exception {
        String jar = client.uploadJar(installation.jobJar());
        String job = start(jar, kafka, null);
        traffic.preload();
        traffic.load(200, KeyDistribution.UNIFORM.sampler(KEYS, 1)).start();
        await("committed results", () -> traffic.distinct() > 2 * KEYS);
        String rescale =
                client.rescale(
                        job, RescaleRequest.of(RescaleRequest.Target.byId(counter(job).id(), 1)));
        RescaleDetails[] status = new RescaleDetails[1];
        await(
                "the scale-in",
                () -> {
                    status[0] = client.rescale(job, rescale);
                    return status[0].status().isTerminal();
                });
        assertThat(status[0].failure()).isNull();

        commit(kafka.address());
        await("Kafka forgets", () -> !transactions(kafka.address()).contains(PROBE));
        String savepoint = stop(job, directory.resolve("savepoints"));
        String restarted = start(jar, kafka, savepoint);
        long seen = traffic.distinct();
        await(
                "committed results of the restarted job",
                () -> {
                    assertThat(client.job(restarted).path("state").asText())
                            .as("the restarted job")
                            .isNotIn("FAILED", "RESTARTING");
                    return traffic.distinct() > seen + KEYS;
                });
        traffic.stop(PATIENCE);
        await("all results", () -> traffic.distinct() >= traffic.sent());
        client.cancel(restarted);
        traffic.finish(PATIENCE);
        Verdict verdict = traffic.verdict(null);
        assertThat(verdict.isExact()).as(verdict.examples.toString()).isTrue();
    }

    private String start(String jar, KafkaBroker kafka, @Nullable String savepoint)
            throws Exception {
        return client.runJar(
                jar,
                null,
                Arrays.asList(
                        "--bootstrap-servers", kafka.address(),
                        "--input", "events",
                        "--output", "results",
                        "--semantic", "exactly-once",
                        "--checkpoint-interval", "1000",
                        "--restart-attempts", "0"),
                savepoint,
                null);
    }

    private String stop(String job, Path directory) throws Exception {
        String request = client.stopWithSavepoint(job, directory.toUri().toString());
        JsonNode[] answer = new JsonNode[1];
        await(
                "the savepoint",
                () -> {
                    answer[0] = client.savepoint(job, request);
                    return answer[0] != null;
                });
        assertThat(answer[0].path("failure-cause").isMissingNode())
                .as(answer[0].toString())
                .isTrue();
        return answer[0].path("location").asText();
    }

    private Elasticity.Vertex counter(String job) throws Exception {
        return client.elasticity(job).vertices().stream()
                .filter(vertex -> vertex.name().startsWith("count"))
                .findFirst()
                .get();
    }

    /** Commits a transaction by an id that is never used again. */
    private static void commit(String address) {
        Map<String, Object> config = new HashMap<>();
        config.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, address);
        config.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, PROBE);
        try (KafkaProducer<byte[], byte[]> producer =
                new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer())) {
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>(PROBE, PROBE.getBytes(StandardCharsets.US_ASCII)));
            producer.commitTransaction();
        }
    }

    /** The transactional ids that Kafka knows. */
    private static List<String> transactions(String address) throws Exception {
        try (Admin admin =
                Admin.create(
                        Collections.singletonMap(
                                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, address))) {
            return admin.listTransactions().all().get(30, TimeUnit.SECONDS).stream()
                    .map(TransactionListing::transactionalId)
                    .collect(Collectors.toList());
        }
    }

    private void await(String what, Callable<Boolean> condition) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.call()) {
            assertThat(System.nanoTime()).as(what).isLessThan(deadline);
            watchdog.pause(POLL);
        }
    }
}
