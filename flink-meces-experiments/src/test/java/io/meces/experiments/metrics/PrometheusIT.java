// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.meces.api.RescaleDetails;
import io.meces.api.RescaleRequest;
import io.meces.api.RescaleStatus;
import io.meces.experiments.cluster.FlinkClient;
import io.meces.experiments.cluster.FlinkCluster;
import io.meces.experiments.cluster.Installation;
import io.meces.servers.FreePorts;
import io.meces.servers.ProcessGroup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Prometheus that scrapes a cluster in which a job is rescaled, by Flink's reporter, answers all
 * that the dashboard asks. Skipped where no Prometheus can be had.
 */
@Tag("full")
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class PrometheusIT {

    private static final Logger LOG = LoggerFactory.getLogger(PrometheusIT.class);
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final Path HOME = Paths.get(System.getProperty("meces.home"));
    private static final Path FOLDER = Paths.get("target", "it", "prometheus").toAbsolutePath();
    private static final String JOB = "io.meces.examples.saturation.SaturatedCountJob";

    private ProcessGroup processes;

    @AfterEach
    void close() {
        if (processes != null) {
            processes.close();
        }
    }

    @Test
    void answersAllThatTheDashboardAsks() throws Exception {
        Path program =
                PrometheusServer.find(HOME.resolve("flink-meces-experiments/target/prometheus"));
        assumeTrue(program != null, "There is no Prometheus, and no package of one can be had.");
        processes = new ProcessGroup("flink-meces-prometheus");
        Installation installation = new Installation(HOME);
        int[] ports = FreePorts.find(3);
        List<String> targets =
                IntStream.of(ports)
                        .mapToObj(port -> "127.0.0.1:" + port)
                        .collect(Collectors.toList());
        FlinkCluster flink = start(installation, ports);
        PrometheusServer prometheus =
                PrometheusServer.start(program, targets, processes, FOLDER.resolve("logs"));
        flink.awaitReady(PATIENCE);
        prometheus.awaitReady(PATIENCE);
        FlinkClient client = flink.client();
        String job = client.runJar(client.uploadJar(installation.jobJar()), JOB, new ArrayList<>());
        await("the job", () -> client.isSettled(job));

        rescale(client, job, 3);
        rescale(client, job, 2);
        // the metrics of the subtask that was added first ended with it
        rescale(client, job, 3);

        Map<String, String> queries = queries();
        assertThat(queries).hasSizeGreaterThan(20);
        Map<String, String> unanswered = new LinkedHashMap<>(queries);
        await(
                "an answer to each query",
                () -> {
                    for (String query : queries.values()) {
                        if (isAnswered(prometheus, query)) {
                            unanswered.values().remove(query);
                        }
                    }
                    LOG.info("Not answered yet: {}", unanswered.keySet());
                    return unanswered.isEmpty();
                },
                () -> unanswered.toString());
        await(
                "the third rescale",
                () ->
                        value(prometheus, "sum(flink_jobmanager_job_meces_numRescalesFinished)")
                                == 3);
    }

    private FlinkCluster start(Installation installation, int[] ports) throws IOException {
        return FlinkCluster.start(
                installation,
                new FlinkCluster.Spec()
                        .quickStart(true)
                        .taskManagers(2, 2)
                        .taskManagerHeapMegabytes(FlinkCluster.LEAST_HEAP_MEGABYTES)
                        .library(
                                HOME.resolve(
                                        "flink-meces-experiments/target/lib/metrics/flink-metrics-prometheus.jar"))
                        .config(
                                "metrics.reporter.prometheus.factory.class",
                                "org.apache.flink.metrics.prometheus.PrometheusReporterFactory")
                        .config(
                                "metrics.reporter.prometheus.port",
                                Arrays.stream(ports)
                                        .mapToObj(String::valueOf)
                                        .collect(Collectors.joining(",")))
                        .config("execution.checkpointing.interval", "2000"),
                processes,
                FOLDER.resolve("logs"));
    }

    private static void rescale(FlinkClient client, String job, int parallelism) throws Exception {
        String vertex = client.elasticity(job).vertices().get(0).id();
        String id =
                client.rescale(
                        job, RescaleRequest.of(RescaleRequest.Target.byId(vertex, parallelism)));
        await("the rescale", () -> client.rescale(job, id).status().isTerminal());
        RescaleDetails rescale = client.rescale(job, id);
        assertThat(rescale.status()).as(rescale.failure()).isEqualTo(RescaleStatus.FINISHED);
    }

    /** The queries of the dashboard by panel and letter, as Grafana would send them. */
    private static Map<String, String> queries() throws IOException {
        JsonNode dashboard =
                new ObjectMapper()
                        .readTree(
                                Files.readAllBytes(
                                        HOME.resolve(
                                                "flink-meces-dist/src/main/dist/grafana/flink-meces.json")));
        Map<String, String> queries = new LinkedHashMap<>();
        Set<Integer> ids = new LinkedHashSet<>();
        for (JsonNode panel : dashboard.path("panels")) {
            assertThat(ids.add(panel.path("id").asInt())).isTrue();
            for (JsonNode target : panel.path("targets")) {
                queries.put(
                        panel.path("title").asText() + " " + target.path("refId").asText(),
                        target.path("expr")
                                .asText()
                                .replace("$__rate_interval", "30s")
                                .replace("$job", ".*"));
            }
        }
        String variable = dashboard.path("templating").path("list").path(1).path("query").asText();
        queries.put(
                "variable",
                variable.replaceAll("label_values\\((\\w+), (\\w+)\\)", "count by ($2) ($1)"));
        return queries;
    }

    /**
     * Whether there is a number; a quantile of what has not happened is none. Where the background
     * is faster than records, nothing is fetched.
     */
    private static boolean isAnswered(PrometheusServer prometheus, String query)
            throws IOException {
        for (JsonNode series : result(prometheus, query)) {
            if (query.contains("quantile=")
                    || !series.path("value").path(1).asText().equals("NaN")) {
                return true;
            }
        }
        return false;
    }

    private static double value(PrometheusServer prometheus, String query) throws IOException {
        return result(prometheus, query).path(0).path("value").path(1).asDouble();
    }

    private static JsonNode result(PrometheusServer prometheus, String query) throws IOException {
        JsonNode answer = new ObjectMapper().readTree(prometheus.query(query));
        assertThat(answer.path("status").asText()).as(query).isEqualTo("success");
        return answer.path("data").path("result");
    }

    private static void await(String what, Callable<Boolean> condition) throws Exception {
        await(what, condition, () -> "");
    }

    private static void await(String what, Callable<Boolean> condition, Callable<String> missing)
            throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.call()) {
            assertThat(System.nanoTime() - deadline)
                    .as("waited in vain for %s: %s", what, missing.call())
                    .isNegative();
            TimeUnit.MILLISECONDS.sleep(500);
        }
    }
}
