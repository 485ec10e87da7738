// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.RescaleDetails;
import io.meces.api.RescaleStatus;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.testing.MecesMiniCluster;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MetricOptions;
import org.apache.flink.configuration.WebOptions;
import org.apache.flink.runtime.highavailability.nonha.embedded.HaLeadershipControl;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What autoscalers do to a job, and read of it. */
@Tag("full")
@Timeout(240)
class RequirementsTest {

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final Ledger ledger = new Ledger();
    private MecesMiniCluster cluster;
    private JobID job;

    private void submit(long checkpointInterval) throws Exception {
        job =
                cluster.submit(
                        TestGraphs.of(
                                Jobs.counting(ledger, 1_000, Long.MAX_VALUE, checkpointInterval),
                                "counting"));
        ledger.awaitResults(2_000);
    }

    private JsonNode get(String path) throws Exception {
        return MAPPER.readTree(cluster.restAddress().resolve("/jobs/" + job + path).toURL());
    }

    private String vertex(String name) throws Exception {
        for (JsonNode vertex : get("").path("vertices")) {
            if (vertex.path("name").asText().contains(name)) {
                return vertex.path("id").asText();
            }
        }
        throw new AssertionError("no vertex " + name);
    }

    private int require(String vertex, int lower, int upper) throws Exception {
        HttpURLConnection connection =
                (HttpURLConnection)
                        cluster.restAddress()
                                .resolve("/v1/jobs/" + job + "/resource-requirements")
                                .toURL()
                                .openConnection();
        connection.setRequestMethod("PUT");
        connection.setDoOutput(true);
        try (OutputStream out = connection.getOutputStream()) {
            out.write(
                    ("{\""
                                    + vertex
                                    + "\":{\"parallelism\":{\"lowerBound\":"
                                    + lower
                                    + ",\"upperBound\":"
                                    + upper
                                    + "}}}")
                            .getBytes(StandardCharsets.UTF_8));
        }
        return connection.getResponseCode();
    }

    private void awaitParallelism(int expected) throws Exception {
        Ledger.awaitOrFail(
                "parallelism " + expected,
                () ->
                        cluster.elasticity(job).get().vertices().get(0).parallelism() == expected
                                && cluster.rescales(job).get().stream()
                                        .allMatch(r -> r.status().isTerminal()));
    }

    private void settleExactly() throws Exception {
        ledger.awaitResults(2_000);
        Ledger.Verdict verdict = ledger.settle();
        assertThat(verdict.violations).isEmpty();
        assertThat(verdict.distinct).isEqualTo(verdict.emitted);
    }

    @Test
    void aVertexGetsTheSlotsThatThereAreAndMoreWhenTheyCome() throws Exception {
        Configuration configuration = new Configuration();
        configuration.setString(MetricOptions.METRIC_FETCHER_UPDATE_INTERVAL.key(), "200");
        configuration.setString(WebOptions.REFRESH_INTERVAL.key(), "50");
        cluster = Clusters.start(1, 3, configuration);
        try (MecesMiniCluster closed = cluster) {
            submit(500);
            String count = vertex("count");
            assertThat(require(count, 1, 5)).isEqualTo(200);
            Ledger.awaitOrFail(
                    "the slot that is free",
                    () -> cluster.elasticity(job).get().vertices().get(0).parallelism() == 3);
            cluster.startTaskManager();
            awaitParallelism(5);
            JsonNode bounds = get("/resource-requirements").path(count).path("parallelism");
            assertThat(bounds.path("lowerBound").asInt()).isEqualTo(1);
            assertThat(bounds.path("upperBound").asInt()).isEqualTo(5);
            int rescales = cluster.rescales(job).get().size();
            assertThat(require(count, 1, 5)).isEqualTo(200);
            assertThat(cluster.rescales(job).get()).hasSize(rescales);
            if (!Clusters.isLater()) {
                metrics(count);
            }
            assertThat(require(count, 1, 1)).isEqualTo(200);
            awaitParallelism(1);
            assertThat(cluster.rescales(job).get())
                    .extracting(RescaleDetails::status)
                    .doesNotContain(RescaleStatus.FAILED);
            settleExactly();
        }
    }

    /** What an autoscaler looks for. */
    private void metrics(String count) throws Exception {
        // its client refuses members that it does not know
        assertThat(get("").findValue("maxParallelism")).isNull();
        for (JsonNode vertex : get("/details").path("vertices")) {
            assertThat(vertex.path("maxParallelism").asInt()).isEqualTo(Jobs.MAX_PARALLELISM);
            assertThat(vertex.path("metrics").has("accumulated-busy-time")).isTrue();
        }
        Ledger.awaitOrFail("the time that it is busy", () -> isShare(busy(count)));
        assertThat(busy(vertex("books"))).isNaN();
        assertThat(metric(vertex("source"), "backPressuredTimeMsPerSecond"))
                .isBetween(0.0, 1_000.0);
    }

    /** Not that of a subtask that has just come, which is not known yet. */
    private static boolean isShare(double millisPerSecond) {
        return millisPerSecond > 0 && millisPerSecond <= 1_000;
    }

    private double busy(String vertex) throws Exception {
        return metric(vertex, "busyTimeMsPerSecond");
    }

    /** The largest of any subtask. */
    private double metric(String vertex, String name) throws Exception {
        String value =
                get("/vertices/" + vertex + "/subtasks/metrics?get=" + name)
                        .path(0)
                        .path("max")
                        .asText();
        return value.isEmpty() ? -1 : Double.parseDouble(value);
    }

    @Test
    void aNewJobManagerKnowsWhatIsRequired() throws Exception {
        AtomicReference<HaLeadershipControl> services = new AtomicReference<>();
        cluster = Leadership.start(6, services);
        try (MecesMiniCluster closed = cluster) {
            submit(300);
            String count = vertex("count");
            assertThat(require(count, 2, 4)).isEqualTo(200);
            awaitParallelism(4);
            Clusters.awaitCheckpointOfNow(cluster, job);

            Leadership.changeLeader(cluster, services.get(), job, ledger);

            JsonNode bounds = get("/resource-requirements").path(count).path("parallelism");
            assertThat(bounds.path("lowerBound").asInt()).isEqualTo(2);
            assertThat(bounds.path("upperBound").asInt()).isEqualTo(4);
            assertThat(require(count, 1, 3)).isEqualTo(200);
            awaitParallelism(3);
            settleExactly();
        }
    }
}
