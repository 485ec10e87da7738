// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.meces.examples.keycount.KeyCountJob;
import io.meces.experiments.cluster.FlinkClient;
import io.meces.experiments.cluster.FlinkCluster;
import io.meces.experiments.cluster.Installation;
import io.meces.experiments.run.Environment;
import io.meces.experiments.run.PhaseLog;
import io.meces.servers.KafkaBroker;
import io.meces.servers.ProcessGroup;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;

/** The experiment on two clusters and a Kafka that run already. It must leave nothing there. */
@Tag("full")
@Tag("bench")
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ClusterBenchIT {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterBenchIT.class);
    private static final Duration START = Duration.ofSeconds(120);
    private static final Path FOLDER = Paths.get("target", "it", "cluster-bench").toAbsolutePath();
    private static final Path SAVEPOINTS = FOLDER.resolve("savepoints");
    private static final Installation INSTALLATION =
            new Installation(Paths.get(System.getProperty("meces.home")));

    private static ProcessGroup elasticProcesses;
    private static ProcessGroup stockProcesses;
    private static KafkaBroker kafka;
    private static FlinkCluster elastic;
    private static FlinkCluster stock;

    @BeforeAll
    static void startClusters() throws Exception {
        elasticProcesses = new ProcessGroup("cluster-bench-elastic");
        stockProcesses = new ProcessGroup("cluster-bench-stock");
        Map<String, String> settings = new HashMap<>();
        settings.put("broker.session.timeout.ms", "120000");
        // as is Kafka's default: whoever asks for a topic that is gone would bring it back
        settings.put("auto.create.topics.enable", "true");
        Path logs = FOLDER.resolve("logs");
        kafka = KafkaBroker.start(INSTALLATION.servers(), elasticProcesses, logs, settings);
        elastic = start(false, elasticProcesses, logs.resolve("elastic"));
        stock = start(true, stockProcesses, logs.resolve("stock"));
        kafka.awaitReady(START);
        elastic.awaitReady(START);
        stock.awaitReady(START);
        Files.createDirectories(SAVEPOINTS);
    }

    private static FlinkCluster start(boolean stock, ProcessGroup processes, Path logs)
            throws IOException {
        FlinkCluster.Spec spec =
                new FlinkCluster.Spec()
                        .stock(stock)
                        .quickStart(true)
                        .taskManagers(1, 3)
                        .taskManagerHeapMegabytes(FlinkCluster.LEAST_HEAP_MEGABYTES)
                        .config("metrics.fetcher.update-interval", "1000")
                        .config("web.refresh-interval", "50");
        return FlinkCluster.start(INSTALLATION, spec, processes, logs);
    }

    @AfterAll
    static void stopClusters() {
        elasticProcesses.close();
        stockProcesses.close();
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        assertThat(topics()).noneMatch(topic -> topic.startsWith("meces-bench-"));
        for (FlinkClient client : new FlinkClient[] {elastic.client(), stock.client()}) {
            assertThat(client.jobs())
                    .extracting(job -> job.state)
                    .isSubsetOf("CANCELED", "FINISHED");
            JsonNode jars =
                    new ObjectMapper().readTree(new URL("http://" + client.address() + "/jars"));
            assertThat(jars.path("files")).isEmpty();
        }
        try (Stream<Path> savepoints = Files.list(SAVEPOINTS)) {
            assertThat(savepoints).isEmpty();
        }
    }

    private static List<String> topics() throws Exception {
        try (Admin admin =
                Admin.create(
                        Collections.singletonMap(
                                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, kafka.address()))) {
            return admin.listTopics().names().get(30, TimeUnit.SECONDS).stream()
                    .collect(Collectors.toList());
        }
    }

    @Test
    void runsOnClustersAreExactAndReported() throws Exception {
        Path output = FOLDER.resolve("report");
        KeyCountOptions options =
                options(
                        "--cluster",
                        "meces=" + elastic.client().address(),
                        "--cluster",
                        "native=" + stock.client().address(),
                        "--savepoints",
                        SAVEPOINTS.toUri().toString(),
                        "--partitions",
                        "3",
                        "--output",
                        output.toString());
        StringWriter text = new StringWriter();

        boolean success = new Bench(options, INSTALLATION, new PrintWriter(text)).run();

        LOG.info("{}", text);
        assertThat(success).as(text.toString()).isTrue();
        JsonNode report = new ObjectMapper().readTree(output.resolve("report.json").toFile());
        JsonNode runs = report.path("workloads").path(0).path("runs");
        assertThat(runs).hasSize(2);
        assertThat(runs)
                .allSatisfy(
                        run -> {
                            assertThat(run.path("exact").asBoolean()).isTrue();
                            assertThat(run.path("result-rescale-records").asLong()).isPositive();
                        });
        assertThat(runs.path(0).path("key-groups").asDouble()).isBetween(40.0, 50.0);
        assertThat(runs.path(1).path("rescale-phases-ms").path("stop-with-savepoint").asLong())
                .isPositive();
        JsonNode cluster = report.path("parameters").path("clusters").path("meces");
        assertThat(cluster.path("job-manager").asText()).isEqualTo(elastic.client().address());
        assertThat(cluster.path("slots").asInt()).isEqualTo(3);
        assertThat(report.path("parameters").has("task-manager-heap")).isFalse();
        for (String file : new String[] {"report.md", "runs.csv", "key-count-latency.png"}) {
            assertThat(output.resolve(file)).isNotEmptyFile();
        }
        assertThat(text.toString()).doesNotContain("could not be taken away");
    }

    @Test
    void aRunThatEndsEarlyTakesItsJobAway() throws Exception {
        KeyCountOptions options = options("--cluster", "meces=" + elastic.client().address());
        StringWriter text = new StringWriter();
        EnvironmentFactory environments =
                options.environments(INSTALLATION, new PhaseLog(new PrintWriter(text)));
        String job;
        try (Environment environment =
                environments.open(Mechanism.parse("meces", "netty"), FOLDER)) {
            job = environment.submit(KeyCountJob.class.getName(), Collections.emptyList(), null);
            assertThat(topics()).contains(environment.topics().input, environment.topics().output);
            assertThat(state(job)).isEqualTo("RUNNING");
            // as by the hook, or a failure
            Thread.currentThread().interrupt();
        }

        assertThat(Thread.interrupted()).isTrue();
        assertThat(state(job)).isEqualTo("CANCELED");
        assertThat(text.toString()).isEmpty();
    }

    @Test
    void aJobThatDoesNotStartLeavesNoTopics() throws Exception {
        KeyCountOptions options = options("--cluster", "meces=" + elastic.client().address());
        EnvironmentFactory environments =
                options.environments(
                        INSTALLATION, new PhaseLog(new PrintWriter(new StringWriter())));

        assertThatThrownBy(
                        () -> {
                            try (Environment environment =
                                    environments.open(Mechanism.parse("meces", "netty"), FOLDER)) {
                                environment.submit("no.such.Class", Collections.emptyList(), null);
                            }
                        })
                .hasMessageContaining("no.such.Class");
    }

    @Test
    void aClusterThatDoesNotFitIsRefusedBeforeAnythingIsDone() {
        Path output = FOLDER.resolve("refused");
        String there = "meces=" + stock.client().address();
        assertRefused(output, "--cluster", there).hasMessageContaining("is not one for meces");
        assertRefused(
                        output,
                        "--cluster",
                        "meces=" + elastic.client().address(),
                        "--partitions",
                        "4")
                .hasMessageContaining("has 3 free slot(s); the job needs 4");
        assertThat(output).doesNotExist();
    }

    private static AbstractThrowableAssert<?, ?> assertRefused(Path output, String... arguments) {
        KeyCountOptions options = options(arguments);
        options.output = output;
        return assertThatThrownBy(
                new Bench(options, INSTALLATION, new PrintWriter(new StringWriter()))::run);
    }

    private static String state(String job) throws IOException {
        return elastic.client().job(job).path("state").asText();
    }

    /** A short experiment, as from the command line. */
    private static KeyCountOptions options(String... arguments) {
        KeyCountOptions options = new KeyCountOptions();
        new CommandLine(options).parseArgs(arguments);
        options.cluster.bootstrapServers = kafka.address();
        options.keys = 2_000;
        options.payloadBytes = 200;
        options.rate = 1_000;
        options.warmUpSeconds = 1;
        options.steadySeconds = 2;
        options.afterSeconds = 2;
        options.checkpointIntervalMillis = 1_000;
        options.validate();
        return options;
    }
}
