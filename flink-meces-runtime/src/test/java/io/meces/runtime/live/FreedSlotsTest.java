// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.AbortMode;
import io.meces.api.RescaleDetails;
import io.meces.api.RescaleState;
import io.meces.api.RescaleStatus;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.MecesOptions;
import io.meces.runtime.testing.MecesMiniCluster;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Slots that a rescale leaves unused are there for other jobs at once: Flink's slot pool would keep
 * them for an hour here.
 */
@Tag("full")
@Timeout(180)
class FreedSlotsTest {

    private static final int SLOTS = 4;

    private final Ledger ledger = new Ledger();
    private final Ledger others = new Ledger();
    private final EndingSourcesTest.Doors doors = EndingSourcesTest.Doors.of(ledger.name);
    private MecesMiniCluster cluster;
    private JobID job;
    private String vertex;

    @AfterEach
    void stop() throws Exception {
        doors.open.countDown();
        cluster.close();
    }

    private void start(Configuration more, long restartDelayMillis) throws Exception {
        more.setString(JobManagerOptions.SLOT_IDLE_TIMEOUT.key(), "3600000");
        cluster = Clusters.start(2, SLOTS / 2, more);
        StreamExecutionEnvironment env = Jobs.environment(200);
        TestGraphs.restart(env, 1, restartDelayMillis);
        Jobs.source(env, ledger, 1_000, Long.MAX_VALUE)
                .keyBy(r -> r.f0, Types.INT)
                .process(new Jobs.Counter(ledger.name))
                .returns(Jobs.RESULT)
                .name("count")
                .map(new EndingSourcesTest.Door(ledger.name))
                .returns(Jobs.RESULT)
                .rebalance()
                .addSink(new Jobs.Books(ledger.name))
                .name("books");
        JobGraph graph = TestGraphs.of(env, "rescaled");
        for (JobVertex v : graph.getVertices()) {
            if (v.getName().startsWith("count")) {
                vertex = v.getName();
            }
        }
        job = cluster.submit(graph);
        ledger.awaitResults(1_000);
        Ledger.awaitOrFail("it runs", () -> Clusters.knowsToRun(cluster, job, 0));
    }

    private CompletableFuture<RescaleDetails> rescale(int parallelism) {
        return cluster.rescale(job, vertex, parallelism);
    }

    private RescaleDetails latest() throws Exception {
        List<RescaleDetails> all = cluster.rescales(job).get(10, TimeUnit.SECONDS);
        return all.get(all.size() - 1);
    }

    private void awaitAllTaken() throws Exception {
        Ledger.awaitOrFail("all slots are taken", () -> freeSlots() == 0);
    }

    private int freeSlots() throws Exception {
        return new ObjectMapper()
                .readTree(cluster.restAddress().resolve("/overview").toURL())
                .path("slots-available")
                .asInt();
    }

    private JobID submitOther(int parallelism) throws Exception {
        StreamExecutionEnvironment env = Jobs.environment(200);
        env.setParallelism(parallelism);
        Jobs.count(Jobs.source(env, others, 100, Long.MAX_VALUE), others, parallelism);
        return cluster.submit(TestGraphs.of(env, "other"));
    }

    private void assertExact(int restarts) throws Exception {
        ledger.awaitResults(1_000);
        Ledger.Verdict verdict = ledger.settle();
        assertThat(verdict.violations).isEmpty();
        assertThat(verdict.distinct).isEqualTo(verdict.emitted);
        assertThat(Clusters.restarts(cluster, job)).isEqualTo(restarts);
    }

    @Test
    void thoseOfAScaleInAreForOthers() throws Exception {
        doors.open.countDown();
        start(new Configuration(), 50);
        assertThat(rescale(4).get(60, TimeUnit.SECONDS).failure()).isNull();
        awaitAllTaken();
        submitOther(2);
        assertThat(rescale(2).get(60, TimeUnit.SECONDS).failure()).isNull();
        others.awaitResults(100);
        assertExact(0);
    }

    @Test
    void thoseOfAScaleOutThatIsAbortedAreForOthers() throws Exception {
        doors.open.countDown();
        start(new Configuration(), 50);
        CompletableFuture<RescaleDetails> rescale = rescale(8);
        awaitAllTaken();
        assertThat(latest().state()).isEqualTo(RescaleState.DEPLOYING);
        cluster.abort(job, latest().id(), AbortMode.STOP).get(10, TimeUnit.SECONDS);
        assertThat(rescale.get(60, TimeUnit.SECONDS).status()).isEqualTo(RescaleStatus.ABORTED);
        submitOther(2);
        others.awaitResults(100);
        assertExact(0);
    }

    /**
     * TaskManagers offer what the resource manager took for it, wherever the abort comes between.
     */
    @Test
    void thoseThatComeAfterTheAbortAreForOthers() throws Exception {
        doors.open.countDown();
        start(new Configuration(), 50);
        for (int round = 0; round < 20; round++) {
            CompletableFuture<RescaleDetails> rescale = rescale(8);
            Ledger.awaitOrFail("it takes slots", () -> freeSlots() < SLOTS / 2);
            cluster.abort(job, latest().id(), AbortMode.STOP).get(10, TimeUnit.SECONDS);
            assertThat(rescale.get(60, TimeUnit.SECONDS).status()).isEqualTo(RescaleStatus.ABORTED);
            Ledger.awaitOrFail("all are free again", () -> freeSlots() == SLOTS / 2);
        }
        assertExact(0);
    }

    @Test
    void thoseOfAScaleOutThatIsGivenUpAreForOthers() throws Exception {
        Configuration config = new Configuration();
        config.set(MecesOptions.STEP_TIMEOUT, Duration.ofSeconds(5));
        start(config, 50);
        RescaleDetails end = rescale(4).get(90, TimeUnit.SECONDS);
        assertThat(end.failure()).startsWith("BEGINNING took longer than PT5S");
        submitOther(2);
        others.awaitResults(100);
        assertExact(0);
    }

    /** It would have to wait for others that have got its slots. */
    @Test
    void aJobThatRestartsKeepsWhatItNeeds() throws Exception {
        start(new Configuration(), 5_000);
        CompletableFuture<RescaleDetails> rescale = rescale(4);
        Ledger.awaitOrFail("it begins", () -> latest().state() == RescaleState.BEGINNING);
        JobID other = submitOther(3);
        ledger.failOnce = true;
        Ledger.awaitOrFail("a failure", () -> latest().status() == RescaleStatus.RECOVERING);
        cluster.abort(job, latest().id(), AbortMode.STOP).get(10, TimeUnit.SECONDS);
        assertThat(rescale.get(60, TimeUnit.SECONDS).status()).isEqualTo(RescaleStatus.ABORTED);
        Ledger.awaitOrFail("it runs again", () -> Clusters.knowsToRun(cluster, job, 1));
        assertExact(1);
        // what it needs no more is given back now: with its own two slots the other job runs
        cluster.cancel(other).get(30, TimeUnit.SECONDS);
        submitOther(2);
        others.awaitResults(100);
    }
}
