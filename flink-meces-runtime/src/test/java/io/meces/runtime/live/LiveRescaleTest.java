// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.api.RescaleDetails;
import io.meces.api.RescaleRefusedException;
import io.meces.api.RescaleRequest;
import io.meces.api.RescaleStatus;
import io.meces.flink.runtime.Savepoints;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.MecesOptions;
import io.meces.runtime.testing.MecesMiniCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.executiongraph.AccessExecutionVertex;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A counting job on two TaskManagers, rescaled while it runs. */
@Timeout(120)
class LiveRescaleTest {

    private static MecesMiniCluster cluster;

    @TempDir private Path savepoints;

    private final Ledger ledger = new Ledger();
    private JobID job;

    @BeforeAll
    static void start() throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(MecesOptions.SLOT_TIMEOUT, Duration.ofSeconds(4));
        cluster = Clusters.start(3, 4, configuration);
    }

    @AfterAll
    static void stop() throws Exception {
        cluster.close();
    }

    @AfterEach
    void cancel() throws Exception {
        if (job != null) {
            cluster.cancel(job).get(30, TimeUnit.SECONDS);
        }
    }

    private void submit() throws Exception {
        job =
                cluster.submit(
                        TestGraphs.of(
                                Jobs.counting(ledger, 1_000, Long.MAX_VALUE, 300), "counting"));
        Clusters.awaitRunning(cluster, job);
        ledger.awaitResults(2_000);
    }

    private RescaleDetails rescale(int parallelism) throws Exception {
        RescaleDetails status =
                cluster.rescale(job, "count", parallelism).get(60, TimeUnit.SECONDS);
        assertThat(status.failure()).isNull();
        assertThat(status.status()).isEqualTo(RescaleStatus.FINISHED);
        assertThat(status.unitsMigrated()).isEqualTo(status.unitsTotal());
        return status;
    }

    private void assertExact() throws Exception {
        Ledger.Verdict verdict = ledger.settle();
        assertThat(verdict.violations).isEmpty();
        assertThat(verdict.duplicated).isZero();
        assertThat(verdict.distinct).isEqualTo(verdict.emitted);
        assertThat(ledger.late.get()).isZero();
        for (AccessExecutionVertex v :
                cluster.flink().getExecutionGraph(job).get().getAllExecutionVertices()) {
            if (v.getTaskNameWithSubtaskIndex().startsWith("Source: source")) {
                assertThat(v.getCurrentExecutionAttempt().getAttemptNumber()).isZero();
            }
        }
    }

    @Test
    void scalesOutWithoutAnyDifference() throws Exception {
        submit();
        rescale(3);
        ledger.awaitResults(2_000);
        assertThat(ledger.resultsBySubtask.get(2)).isPositive();
        assertThat(ledger.parallelismSeen).containsEntry(0, 2).containsEntry(2, 3);
        assertExact();
    }

    @Test
    void scalesInWithoutAnyDifference() throws Exception {
        submit();
        rescale(1);
        int gone = ledger.resultsBySubtask.get(1);
        ledger.awaitResults(2_000);
        assertThat(ledger.resultsBySubtask.get(1)).isEqualTo(gone);
        assertExact();
    }

    @Test
    void activatesASubtaskAgain() throws Exception {
        submit();
        rescale(4);
        ledger.awaitResults(1_000);
        rescale(2);
        ledger.awaitResults(1_000);
        int before = ledger.resultsBySubtask.get(3);
        rescale(4);
        ledger.awaitResults(4_000);
        assertThat(ledger.resultsBySubtask.get(3)).isGreaterThan(before);
        rescale(1);
        rescale(3);
        ledger.awaitResults(1_000);
        assertExact();
    }

    @Test
    void staysExactThroughFortyRandomRescalesUnderLoad() throws Exception {
        long seed = Long.getLong("rescale.seed", System.nanoTime());
        Random random = new Random(seed);
        ledger.rate = 10_000;
        submit();
        for (int i = 0; i < 40; i++) {
            int parallelism = 1 + random.nextInt(6);
            RescaleDetails status =
                    cluster.rescale(
                                    job,
                                    RescaleRequest.of(
                                                    RescaleRequest.Target.byName(
                                                            "count", parallelism))
                                            .withBatchSize(1 + random.nextInt(64)))
                            .get(60, TimeUnit.SECONDS);
            assertThat(status.failure()).as("rescale %s, -Drescale.seed=%s", i, seed).isNull();
            ledger.awaitResults(random.nextInt(3_000));
        }
        ledger.awaitResults(3_000);
        assertExact();
        // each position has one timer, due 500 later, and the watermark is that of the slower
        // source
        long[] positions = {ledger.emitted.get(0), ledger.emitted.get(1)};
        Arrays.sort(positions);
        long pending = positions[1] - positions[0] + 500;
        Ledger.awaitOrFail(
                pending + " timers are left, -Drescale.seed=" + seed,
                () -> ledger.timersRegistered.get() - ledger.timersFired.get() == pending);
        assertThat(ledger.timersFired.get()).isLessThan(ledger.timersRegistered.get());
    }

    @Test
    void runsCheckpointsBetweenSteps() throws Exception {
        submit();
        long before = Clusters.completedCheckpoints(cluster, job);
        cluster.rescale(
                        job,
                        RescaleRequest.of(RescaleRequest.Target.byName("count", 4))
                                .withBatchSize(1))
                .get(60, TimeUnit.SECONDS);
        Ledger.awaitOrFail(
                "a checkpoint", () -> Clusters.completedCheckpoints(cluster, job) > before);
        assertExact();
    }

    @Test
    void usesATaskManagerThatJoinedLater() throws Exception {
        submit();
        CompletableFuture<RescaleDetails> waiting = cluster.rescale(job, "count", 15);
        cluster.startTaskManager();
        assertThat(waiting.get(60, TimeUnit.SECONDS).failure()).isNull();
        ledger.awaitResults(3_000);
        assertThat(ledger.resultsBySubtask.get(14)).isPositive();
        rescale(2);
        assertExact();
    }

    private boolean allRunning() throws Exception {
        return cluster.status(job).get() == JobStatus.RUNNING;
    }

    @Test
    void recoversFromAFailureOutsideOfARescale() throws Exception {
        submit();
        rescale(3);
        Ledger.awaitOrFail("a checkpoint", () -> Clusters.completedCheckpoints(cluster, job) > 0);
        ledger.failOnce = true;
        Ledger.awaitOrFail(
                "the restart", () -> Clusters.restarts(cluster, job) == 1 && allRunning());
        ledger.awaitResults(2_000);
        rescale(2);
        Ledger.Verdict verdict = ledger.settle();
        assertThat(verdict.violations).isEmpty();
        assertThat(verdict.distinct).isEqualTo(verdict.emitted);
    }

    @Test
    void recoversFromAFailureInARescaleAndGoesOnWithIt() throws Exception {
        submit();
        Ledger.awaitOrFail("a checkpoint", () -> Clusters.completedCheckpoints(cluster, job) > 0);
        CompletableFuture<RescaleDetails> rescale =
                cluster.rescale(
                        job,
                        RescaleRequest.of(RescaleRequest.Target.byName("count", 4))
                                .withBatchSize(1));
        Ledger.awaitOrFail(
                "migration",
                () -> {
                    List<RescaleDetails> all = cluster.rescales(job).get();
                    return !all.isEmpty() && all.get(0).stepsCompleted() > 2;
                });
        ledger.failOnce = true;
        RescaleDetails status = rescale.get(60, TimeUnit.SECONDS);
        assertThat(status.failure()).isNull();
        assertThat(status.status()).isEqualTo(RescaleStatus.FINISHED);
        assertThat(status.attempt()).isEqualTo(2);
        assertThat(Clusters.restarts(cluster, job)).isEqualTo(1);
        ledger.awaitResults(2_000);
        assertThat(cluster.elasticity(job).get().vertices().get(0).parallelism()).isEqualTo(4);
        rescale(3);
        ledger.awaitResults(2_000);
        Ledger.Verdict verdict = ledger.settle();
        assertThat(verdict.violations).isEmpty();
        assertThat(verdict.distinct).isEqualTo(verdict.emitted);
    }

    @Test
    void stopsWithASavepointAndResumes() throws Exception {
        submit();
        rescale(3);
        ledger.awaitResults(1_000);
        // Flink 1.12 lets a legacy source go on between the savepoint and the stop
        assertExact();
        String savepoint =
                Savepoints.stop(cluster.flink(), job, savepoints.toUri().toString())
                        .get(60, TimeUnit.SECONDS);
        Ledger.Verdict stopped = ledger.verdict();
        assertThat(stopped.violations).isEmpty();
        assertThat(stopped.duplicated).isZero();

        JobGraph resumed =
                TestGraphs.of(Jobs.counting(ledger, 1_000, Long.MAX_VALUE, 300), "resumed");
        ledger.paused = false;
        resumed.setSavepointRestoreSettings(SavepointRestoreSettings.forPath(savepoint));
        job = cluster.submit(resumed);
        Clusters.awaitRunning(cluster, job);
        ledger.awaitResults(2_000);
        rescale(4);
        rescale(1);
        ledger.awaitResults(2_000);
        assertExact();
    }

    @Test
    void finishesABoundedJobAfterRescales() throws Exception {
        ledger.rate = 500;
        JobID bounded =
                cluster.submit(TestGraphs.of(Jobs.counting(ledger, 1_000, 15_000, 300), "bounded"));
        job = bounded;
        Clusters.awaitRunning(cluster, job);
        ledger.awaitResults(2_000);
        rescale(4);
        rescale(2);
        rescale(3);
        ledger.rate = 20_000;
        Ledger.awaitOrFail("the end", () -> cluster.status(bounded).get() == JobStatus.FINISHED);
        job = null;
        Ledger.Verdict verdict = ledger.verdict();
        assertThat(verdict.violations).isEmpty();
        assertThat(verdict.duplicated).isZero();
        assertThat(verdict.distinct).isEqualTo(30_000);
        assertThat(ledger.timersFired.get()).isEqualTo(ledger.timersRegistered.get());
    }

    @Test
    void finishesABoundedJobWhileARescaleWaitsForSlots() throws Exception {
        ledger.rate = 500;
        JobID bounded =
                cluster.submit(TestGraphs.of(Jobs.counting(ledger, 1_000, 10_000, 300), "bounded"));
        Ledger.awaitOrFail("it runs", () -> Clusters.knowsToRun(cluster, bounded, 0));
        ledger.awaitResults(1_000);
        CompletableFuture<RescaleDetails> waiting = cluster.rescale(bounded, "count", 32);
        Ledger.awaitOrFail("a rescale", () -> !cluster.rescales(bounded).get().isEmpty());
        ledger.rate = 20_000;
        Ledger.awaitOrFail("the end", () -> cluster.status(bounded).get() == JobStatus.FINISHED);
        assertThat(ledger.verdict().distinct).isEqualTo(20_000);
        waiting.cancel(true);
    }

    @Test
    void leavesTheJobAloneWhenThereAreNoSlots() throws Exception {
        submit();
        RescaleDetails status = cluster.rescale(job, "count", 32).get(60, TimeUnit.SECONDS);
        assertThat(status.status()).isEqualTo(RescaleStatus.FAILED);
        assertThat(status.failure()).contains("no slots").contains("meces.rescale.slot-timeout");
        ledger.awaitResults(1_000);
        rescale(3);
        ledger.awaitResults(1_000);
        assertExact();
    }

    @Test
    void refusesWhatItCannotDoAndChangesNothing() throws Exception {
        submit();
        assertRefused("nobody", 3, RescaleRefusedException.Kind.NOT_FOUND, "no vertex");
        assertRefused("count", 0, RescaleRefusedException.Kind.BAD_REQUEST, "at least 1");
        assertRefused("count", 33, RescaleRefusedException.Kind.BAD_REQUEST, "capacity 32");
        assertRefused("Source: source", 3, RescaleRefusedException.Kind.BAD_REQUEST, "not elastic");
        CompletableFuture<RescaleDetails> running =
                cluster.rescale(
                        job,
                        RescaleRequest.of(RescaleRequest.Target.byName("count", 4))
                                .withBatchSize(1));
        assertRefused("count", 3, RescaleRefusedException.Kind.CONFLICT, "still running");
        assertThat(running.get(60, TimeUnit.SECONDS).failure()).isNull();
        assertExact();
    }

    private void assertRefused(
            String vertex, int parallelism, RescaleRefusedException.Kind kind, String message) {
        assertThatThrownBy(() -> cluster.rescale(job, vertex, parallelism).get())
                .cause()
                .isInstanceOfSatisfying(
                        RescaleRefusedException.class,
                        e -> {
                            assertThat(e.getKind()).isEqualTo(kind);
                            assertThat(e).hasMessageContaining(message);
                        });
    }
}
