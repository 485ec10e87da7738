// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.RescaleDetails;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.testing.MecesMiniCluster;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.accumulators.IntCounter;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MetricOptions;
import org.apache.flink.configuration.WebOptions;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.DiscardingSink;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What Flink's REST API and clients see of a job that is rescaled. */
@Tag("full")
@Timeout(180)
class ShownJobTest {

    private static final String SEEN = "seen";
    private static final int RECORDS_PER_SOURCE = 20_000;

    private static MecesMiniCluster cluster;

    private final Ledger ledger = new Ledger();
    private String vertex;
    private String vertexId;

    @BeforeAll
    static void start() throws Exception {
        Configuration configuration = new Configuration();
        configuration.setString(MetricOptions.METRIC_FETCHER_UPDATE_INTERVAL.key(), "200");
        configuration.setString(WebOptions.REFRESH_INTERVAL.key(), "50");
        configuration.setString("web.backpressure.refresh-interval", "200");
        cluster = Clusters.start(2, 4, configuration);
    }

    @AfterAll
    static void stop() throws Exception {
        cluster.close();
    }

    private JobID submit(long recordsPerSource) throws Exception {
        StreamExecutionEnvironment env = Jobs.environment(0);
        Jobs.source(env, ledger, 1_000, recordsPerSource)
                .keyBy(r -> r.f0, Types.INT)
                .map(new Counting(ledger.name))
                .name("count")
                .addSink(new DiscardingSink<>());
        JobGraph graph = TestGraphs.of(env, "shown");
        graph.getVertices()
                .forEach(
                        v -> {
                            if (v.getName().startsWith("count")) {
                                vertex = v.getName();
                                vertexId = v.getID().toString();
                            }
                        });
        JobID job = cluster.submit(graph);
        Ledger.awaitOrFail("running", () -> Clusters.knowsToRun(cluster, job, 0));
        ledger.awaitResults(1_000);
        return job;
    }

    private void rescale(JobID job, int parallelism) throws Exception {
        RescaleDetails status = cluster.rescale(job, vertex, parallelism).get(60, TimeUnit.SECONDS);
        assertThat(status.failure()).isNull();
    }

    private static JsonNode get(String path) throws Exception {
        return new ObjectMapper().readTree(cluster.restAddress().resolve(path).toURL());
    }

    @Test
    void accumulatorsKeepWhatSubtasksHadThatAreGone() throws Exception {
        JobID job = submit(RECORDS_PER_SOURCE);
        for (int parallelism : new int[] {4, 1, 3, 2}) {
            rescale(job, parallelism);
            ledger.awaitResults(1_000);
        }
        assertThat(
                        cluster.flink()
                                .requestJobResult(job)
                                .get(60, TimeUnit.SECONDS)
                                .toJobExecutionResult(getClass().getClassLoader())
                                .<Integer>getAccumulatorResult(SEEN))
                .isEqualTo(2 * RECORDS_PER_SOURCE);
        assertThat(get("/jobs/" + job).path("state").asText()).isEqualTo("FINISHED");
        JsonNode ofVertex =
                get("/jobs/" + job + "/vertices/" + vertexId + "/accumulators")
                        .path("user-accumulators");
        assertThat(ofVertex.findValuesAsText("value"))
                .containsExactly(String.valueOf(2 * RECORDS_PER_SOURCE));
    }

    @Test
    void aRestartBeginsAccumulatorsAnew() throws Exception {
        JobID job = submit(RECORDS_PER_SOURCE);
        rescale(job, 4);
        ledger.awaitResults(1_000);
        rescale(job, 1);
        ledger.failOnce = true;
        // without checkpoints the sources begin anew as well
        assertThat(
                        cluster.flink()
                                .requestJobResult(job)
                                .get(60, TimeUnit.SECONDS)
                                .toJobExecutionResult(getClass().getClassLoader())
                                .<Integer>getAccumulatorResult(SEEN))
                .isEqualTo(2 * RECORDS_PER_SOURCE);
        assertThat(ledger.failed.get()).isTrue();
    }

    @Test
    void showsTheActiveSubtasksOnly() throws Exception {
        JobID job = submit(Long.MAX_VALUE);
        assertShown(job, 2);
        long before = get("/jobs/" + job).path("timestamps").path("RUNNING").asLong();
        rescale(job, 4);
        Ledger.awaitOrFail("four", () -> parallelism(job) == 4);
        assertShown(job, 4);
        long after = get("/jobs/" + job).path("timestamps").path("RUNNING").asLong();
        assertThat(after).isGreaterThan(before);
        rescale(job, 1);
        Ledger.awaitOrFail("one", () -> parallelism(job) == 1);
        assertShown(job, 1);
        Ledger.awaitOrFail(
                "the end of the rescale",
                () -> get("/jobs/" + job).path("timestamps").path("RUNNING").asLong() > after);
        cluster.cancel(job).get(30, TimeUnit.SECONDS);
    }

    private static JsonNode countVertex(JobID job) throws Exception {
        for (JsonNode v : get("/jobs/" + job).path("vertices")) {
            if (v.path("name").asText().startsWith("count")) {
                return v;
            }
        }
        throw new IOException("no such vertex");
    }

    private static int parallelism(JobID job) throws Exception {
        return countVertex(job).path("parallelism").asInt();
    }

    private void assertShown(JobID job, int parallelism) throws Exception {
        assertThat(countVertex(job).path("parallelism").asInt()).isEqualTo(parallelism);
        assertThat(countVertex(job).path("tasks").path("RUNNING").asInt()).isEqualTo(parallelism);
        assertThat(countVertex(job).path("tasks").path("CREATED").asInt()).isZero();
        assertThat(get("/jobs/" + job + "/vertices/" + vertexId).path("subtasks"))
                .hasSize(parallelism);
        for (JsonNode node : get("/jobs/" + job + "/plan").path("plan").path("nodes")) {
            if (node.path("id").asText().equals(vertexId)) {
                assertThat(node.path("parallelism").asInt()).isEqualTo(parallelism);
            }
        }
        for (JsonNode shown : get("/jobs/overview").path("jobs")) {
            if (shown.path("jid").asText().equals(job.toString())) {
                assertThat(shown.path("tasks").path("total").asInt()).isEqualTo(2 + parallelism);
                assertThat(shown.path("tasks").path("running").asInt()).isEqualTo(2 + parallelism);
                assertThat(shown.path("tasks").path("created").asInt()).isZero();
            }
        }
    }

    @Test
    void showsTheBackPressureOfTheActiveSubtasks() throws Exception {
        JobID job = submit(Long.MAX_VALUE);
        String path = "/jobs/" + job + "/vertices/" + vertexId + "/backpressure";
        for (int parallelism : new int[] {2, 4, 1}) {
            if (parallelism != 2) {
                rescale(job, parallelism);
            }
            Ledger.awaitOrFail(
                    "back pressure of " + parallelism,
                    () -> {
                        JsonNode shown = get(path);
                        return shown.path("status").asText().equals("ok")
                                && shown.path("subtasks").size() == parallelism;
                    });
        }
        cluster.cancel(job).get(30, TimeUnit.SECONDS);
    }

    @Test
    void metricsOfSubtasksThatAreGoneAreForgotten() throws Exception {
        JobID job = submit(Long.MAX_VALUE);
        String path =
                "/jobs/"
                        + job
                        + "/vertices/"
                        + vertexId
                        + "/subtasks/metrics?get=numRecordsIn&agg=sum";
        String single = "/jobs/" + job + "/vertices/" + vertexId + "/metrics";
        rescale(job, 4);
        Ledger.awaitOrFail("metrics of four", () -> subtasksWithMetrics(single).equals("0,1,2,3"));
        rescale(job, 1);
        Ledger.awaitOrFail("metrics of one", () -> subtasksWithMetrics(single).equals("0"));
        assertThat(get(path).path(0).path("sum").asDouble()).isPositive();
        cluster.cancel(job).get(30, TimeUnit.SECONDS);
    }

    private static String subtasksWithMetrics(String path) throws Exception {
        JsonNode metrics = get(path);
        return IntStream.range(0, metrics.size())
                .mapToObj(i -> metrics.path(i).path("id").asText())
                .filter(id -> id.endsWith(".numRecordsIn") && id.split("\\.").length == 2)
                .map(id -> id.substring(0, id.indexOf('.')))
                .sorted()
                .reduce((a, b) -> a + "," + b)
                .orElse("");
    }

    /** Counts in an accumulator. */
    private static final class Counting
            extends RichMapFunction<Tuple3<Integer, Integer, Long>, Integer> {
        private static final long serialVersionUID = 1L;
        private final String ledgerName;
        private final IntCounter seen = new IntCounter();

        Counting(String ledgerName) {
            this.ledgerName = ledgerName;
        }

        @Override
        public void open(Configuration parameters) {
            getRuntimeContext().addAccumulator(SEEN, seen);
        }

        @Override
        public Integer map(Tuple3<Integer, Integer, Long> record) throws Exception {
            Ledger ledger = Ledger.named(ledgerName);
            if (ledger.failOnce && ledger.failed.compareAndSet(false, true)) {
                throw new Exception("as told");
            }
            seen.add(1);
            ledger.results.incrementAndGet();
            return record.f0;
        }
    }
}
