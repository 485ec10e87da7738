// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.api.Elasticity;
import io.meces.api.RescaleDetails;
import io.meces.api.RescaleRequest;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.MecesOptions;
import io.meces.runtime.testing.MecesMiniCluster;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A session with many jobs, and a job with many vertices. */
@Tag("full")
@Timeout(600)
class BusySessionTest {
    private static final int JOBS = 20;
    private static final int SLOTS = 75;

    /** Every fifth job cannot be rescaled. */
    private static final class Job {
        private final Ledger ledger = new Ledger();
        private final boolean elastic;
        private JobID id;

        private Job(int number) {
            elastic = number % 5 != 4;
            ledger.rate = 100;
        }

        private void submit(MecesMiniCluster cluster) throws Exception {
            StreamExecutionEnvironment env = Jobs.counting(ledger, 100, Long.MAX_VALUE, 500);
            if (!elastic) {
                env.getCheckpointConfig().enableUnalignedCheckpoints();
            }
            id = cluster.submit(TestGraphs.of(env, ledger.name));
        }

        private CompletableFuture<RescaleDetails> rescale(MecesMiniCluster cluster, int to) {
            return cluster.rescale(id, "count", to);
        }

        private void awaitRunning(MecesMiniCluster cluster) throws Exception {
            ledger.awaitResults(100);
            Ledger.awaitOrFail(ledger.name + " runs", () -> Clusters.knowsToRun(cluster, id, 0));
        }

        private void assertExact(MecesMiniCluster cluster) throws Exception {
            Ledger.Verdict verdict = ledger.settle();
            assertThat(verdict.violations).as(ledger.name).isEmpty();
            assertThat(verdict.duplicated).as(ledger.name).isZero();
            assertThat(verdict.distinct).as(ledger.name).isEqualTo(verdict.emitted);
            assertThat(Clusters.restarts(cluster, id)).as(ledger.name).isZero();
        }
    }

    /** Asks the REST interface all the time whether it is there. */
    private static final class Client implements AutoCloseable {
        private final URI address;
        private final ObjectMapper mapper = new ObjectMapper();
        private final AtomicInteger answers = new AtomicInteger();
        private final Thread thread = new Thread(this::ask, "client");
        private volatile boolean closed;
        private volatile Throwable failure;

        private Client(MecesMiniCluster cluster) throws Exception {
            address = cluster.restAddress();
            Ledger.awaitOrFail("a leader", this::hasLeader);
            thread.start();
        }

        private void ask() {
            try {
                while (!closed) {
                    get("/overview");
                    get("/jobs/overview");
                    answers.incrementAndGet();
                    LockSupport.parkNanos(20_000_000);
                }
            } catch (IOException e) {
                failure = e;
            }
        }

        /** Until it knows the dispatcher, the REST interface answers 503. */
        private boolean hasLeader() throws IOException {
            HttpURLConnection connection = connect("/overview");
            return connection.getResponseCode() == 200;
        }

        private JsonNode get(String path) throws IOException {
            return mapper.readTree(connect(path).getInputStream());
        }

        private HttpURLConnection connect(String path) throws IOException {
            HttpURLConnection connection =
                    (HttpURLConnection) address.resolve(path).toURL().openConnection();
            connection.setConnectTimeout(5_000);
            // a JobMaster that is busy for so long is taken for dead by its TaskManagers soon
            connection.setReadTimeout(10_000);
            return connection;
        }

        @Override
        public void close() throws Exception {
            closed = true;
            thread.join(30_000);
            assertThat(failure).isNull();
            assertThat(answers.get()).isPositive();
        }
    }

    @Test
    void severalJobsOfASessionAreRescaledAtOnceWhileOthersComeAndGo() throws Exception {
        Configuration configuration = Footprint.configuration();
        configuration.set(
                MecesOptions.UNALIGNED_CHECKPOINTS, MecesOptions.UnalignedCheckpoints.REFUSE);
        try (MecesMiniCluster cluster = Clusters.start(2, SLOTS, configuration);
                Client client = new Client(cluster)) {
            List<Job> jobs = new ArrayList<>();
            for (int i = 0; i < JOBS; i++) {
                Job job = new Job(i);
                job.submit(cluster);
                jobs.add(job);
            }
            for (Job job : jobs) {
                job.awaitRunning(cluster);
            }
            List<CompletableFuture<RescaleDetails>> rescales = new ArrayList<>();
            for (Job job : jobs) {
                if (job.elastic) {
                    rescales.add(job.rescale(cluster, 4));
                } else {
                    assertThat(cluster.elasticity(job.id).get(30, TimeUnit.SECONDS).refusal())
                            .contains("unaligned");
                    assertRefused(job.rescale(cluster, 4));
                }
            }
            // one goes in the middle of its rescale, one that has none, and two come
            Job leaves = jobs.remove(0);
            CompletableFuture<RescaleDetails> interrupted = rescales.remove(0);
            cluster.cancel(leaves.id).get(60, TimeUnit.SECONDS);
            cluster.cancel(jobs.remove(3).id).get(60, TimeUnit.SECONDS);
            for (int i = 0; i < 2; i++) {
                Job job = new Job(i);
                job.submit(cluster);
                jobs.add(job);
            }
            assertFinished(rescales);
            assertThat(cluster.status(leaves.id).get()).isEqualTo(JobStatus.CANCELED);
            assertEnds(interrupted);

            rescales.clear();
            int to = 0;
            for (Job job : jobs) {
                job.awaitRunning(cluster);
                if (job.elastic) {
                    // in and out
                    rescales.add(job.rescale(cluster, 1 + to++ % 5));
                }
            }
            assertFinished(rescales);
            for (Job job : jobs) {
                job.assertExact(cluster);
                cluster.cancel(job.id).get(60, TimeUnit.SECONDS);
            }
            Ledger.awaitOrFail(
                    "all slots are free",
                    () -> client.get("/overview").path("slots-available").asInt() == 2 * SLOTS);
            Footprint.assertNoBuffers();
        }
    }

    private static void assertFinished(List<CompletableFuture<RescaleDetails>> rescales)
            throws Exception {
        for (CompletableFuture<RescaleDetails> rescale : rescales) {
            assertThat(rescale.get(120, TimeUnit.SECONDS).failure()).isNull();
        }
    }

    private static void assertRefused(CompletableFuture<RescaleDetails> rescale) {
        assertThatThrownBy(() -> rescale.get(30, TimeUnit.SECONDS))
                .hasMessageContaining("unaligned");
    }

    /** It was finished just before its job ended, or ends with that, and is not known any more. */
    private static void assertEnds(CompletableFuture<RescaleDetails> rescale) throws Exception {
        try {
            assertThat(rescale.get(130, TimeUnit.SECONDS).status().isTerminal()).isTrue();
        } catch (ExecutionException e) {
            assertThat(e).hasMessageContaining("job");
        }
    }

    @Test
    void aJobWithThreeHundredVerticesIsRescaled() throws Exception {
        Configuration configuration = new Configuration();
        configuration.setString("meces.rescale.max-parallelism", "64");
        configuration.set(TaskManagerOptions.MEMORY_SEGMENT_SIZE, MemorySize.parse("4kb"));
        Ledger ledger = new Ledger();
        ledger.rate = 50;
        try (MecesMiniCluster cluster = Clusters.start(2, 3, configuration);
                Client client = new Client(cluster)) {
            StreamExecutionEnvironment env = Jobs.environment(2_000);
            env.setParallelism(1);
            DataStream<Tuple3<Integer, Integer, Long>> records =
                    Jobs.source(env, ledger, 100, Long.MAX_VALUE);
            for (int i = 1; i <= 297; i++) {
                records =
                        records.keyBy(r -> r.f0, Types.INT)
                                .map(r -> r)
                                .returns(Jobs.RECORD)
                                .name("stage " + i)
                                .uid("stage " + i);
            }
            Jobs.count(records, ledger, 1);
            JobID job = cluster.submit(TestGraphs.of(env, "300 vertices"));
            ledger.awaitResults(100);
            Ledger.awaitOrFail("it runs", () -> Clusters.knowsToRun(cluster, job, 0));

            Elasticity elasticity = cluster.elasticity(job).get(30, TimeUnit.SECONDS);
            assertThat(elasticity.refusal()).isNull();
            assertThat(elasticity.vertices()).hasSize(298);
            assertThat(elasticity.warnings())
                    .anySatisfy(text -> assertThat(text).contains("meces.rescale.max-edges"));
            assertThat(elasticity.vertices())
                    .allSatisfy(vertex -> assertThat(vertex.capacity()).isBetween(32, 63));

            rescale(cluster, job, RescaleRequest.Target.byName("stage 150", 3));
            rescale(
                    cluster,
                    job,
                    RescaleRequest.Target.byName("stage 150", 1),
                    RescaleRequest.Target.byName("stage 151", 2),
                    RescaleRequest.Target.byName("count", 3));
            ledger.awaitResults(100);
            Ledger.Verdict verdict = ledger.settle();
            assertThat(verdict.violations).isEmpty();
            assertThat(verdict.duplicated).isZero();
            assertThat(verdict.distinct).isEqualTo(verdict.emitted);
            assertThat(Clusters.restarts(cluster, job)).isZero();
            assertThat(client.get("/jobs/" + job).path("vertices").size()).isEqualTo(300);
        }
    }

    private static void rescale(
            MecesMiniCluster cluster, JobID job, RescaleRequest.Target... targets)
            throws Exception {
        List<RescaleRequest.Target> list = Arrays.asList(targets);
        assertThat(
                        cluster.rescale(job, RescaleRequest.of(list))
                                .get(300, TimeUnit.SECONDS)
                                .failure())
                .isNull();
    }
}
