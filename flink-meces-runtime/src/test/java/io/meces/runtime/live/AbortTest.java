// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.api.AbortMode;
import io.meces.api.RescaleDetails;
import io.meces.api.RescaleRequest;
import io.meces.api.RescaleState;
import io.meces.api.RescaleStatus;
import io.meces.flink.runtime.Savepoints;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.testing.MecesMiniCluster;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rescales that end early: aborted, rolled back, or because the job is stopped. */
@Timeout(180)
class AbortTest {

    private static final int TASK_MANAGERS = 3;
    private static final int SLOTS = 4;

    private static MecesMiniCluster cluster;

    @TempDir private Path savepoints;

    private final Ledger ledger = new Ledger();
    private JobID job;

    @BeforeAll
    static void start() throws Exception {
        cluster = Clusters.start(TASK_MANAGERS, SLOTS, new Configuration());
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

    private void submit(String savepoint) throws Exception {
        JobGraph graph =
                TestGraphs.of(Jobs.counting(ledger, 1_000, Long.MAX_VALUE, 300), "counting");
        if (savepoint != null) {
            graph.setSavepointRestoreSettings(SavepointRestoreSettings.forPath(savepoint));
        }
        job = cluster.submit(graph);
        ledger.awaitResults(2_000);
    }

    /** In steps of one key-group, so that it takes long. */
    private CompletableFuture<RescaleDetails> rescaleSlowly(int parallelism) {
        return cluster.rescale(
                job,
                RescaleRequest.of(RescaleRequest.Target.byName("count", parallelism))
                        .withBatchSize(1));
    }

    private boolean isRetiring() throws Exception {
        RescaleState state = latest().state();
        return state != null && state.compareTo(RescaleState.DRAINING) >= 0;
    }

    private RescaleDetails latest() throws Exception {
        List<RescaleDetails> all = cluster.rescales(job).get(10, TimeUnit.SECONDS);
        return all.get(all.size() - 1);
    }

    private void awaitSteps(int steps) throws Exception {
        Ledger.awaitOrFail(
                steps + " steps",
                () -> !cluster.rescales(job).get().isEmpty() && latest().stepsCompleted() >= steps);
    }

    private int parallelism() throws Exception {
        return cluster.elasticity(job).get(10, TimeUnit.SECONDS).vertices().get(0).parallelism();
    }

    private void assertExact() throws Exception {
        ledger.awaitResults(2_000);
        Ledger.Verdict verdict = ledger.settle();
        assertThat(verdict.violations).isEmpty();
        assertThat(verdict.duplicated).isZero();
        assertThat(verdict.distinct).isEqualTo(verdict.emitted);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void anAbortedRescaleLeavesAJobThatCanBeRescaledAgain(int parallelism) throws Exception {
        submit(null);
        CompletableFuture<RescaleDetails> end = rescaleSlowly(parallelism);
        awaitSteps(3);
        cluster.abort(job, latest().id(), AbortMode.STOP).get(10, TimeUnit.SECONDS);
        RescaleDetails status = end.get(60, TimeUnit.SECONDS);
        assertThat(status.status()).isEqualTo(RescaleStatus.ABORTED);
        assertThat(status.stepsCompleted()).isLessThan(status.stepsTotal());
        ledger.awaitResults(1_000);
        assertThat(cluster.rescale(job, "count", 3).get(60, TimeUnit.SECONDS).failure()).isNull();
        assertExact();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void aRollbackLeavesTheJobAsItWas(int parallelism) throws Exception {
        submit(null);
        List<List<Integer>> before = cluster.elasticity(job).get().vertices().get(0).keyGroups();
        CompletableFuture<RescaleDetails> end = rescaleSlowly(parallelism);
        awaitSteps(3);
        cluster.abort(job, latest().id(), AbortMode.ROLLBACK).get(10, TimeUnit.SECONDS);
        RescaleDetails status = end.get(60, TimeUnit.SECONDS);
        assertThat(status.failure()).isEqualTo("rolled back by request");
        assertThat(status.status()).isEqualTo(RescaleStatus.ABORTED);
        assertThat(cluster.elasticity(job).get().vertices().get(0).keyGroups()).isEqualTo(before);
        ledger.awaitResults(1_000);
        assertThat(cluster.rescale(job, "count", 3).get(60, TimeUnit.SECONDS).failure()).isNull();
        assertExact();
    }

    @Test
    void staysExactThroughAbortsAtAnyMoment() throws Exception {
        long seed = Long.getLong("rescale.seed", System.nanoTime());
        Random random = new Random(seed);
        ledger.rate = 10_000;
        submit(null);
        for (int i = 0; i < 25; i++) {
            CompletableFuture<RescaleDetails> end =
                    cluster.rescale(
                            job,
                            RescaleRequest.of(
                                            RescaleRequest.Target.byName(
                                                    "count", 1 + random.nextInt(6)))
                                    .withBatchSize(1 + random.nextInt(16)));
            int rescales = i + 1;
            Ledger.awaitOrFail("the rescale", () -> cluster.rescales(job).get().size() == rescales);
            ledger.awaitResults(1 + random.nextInt(3_000));
            AbortMode mode = random.nextBoolean() ? AbortMode.STOP : AbortMode.ROLLBACK;
            // it may be too late, which is refused
            cluster.abort(job, latest().id(), mode)
                    .handle((status, refused) -> null)
                    .get(10, TimeUnit.SECONDS);
            assertThat(end.get(60, TimeUnit.SECONDS).status())
                    .as("rescale %s, -Drescale.seed=%s", i, seed)
                    .isIn(RescaleStatus.ABORTED, RescaleStatus.FINISHED);
        }
        assertThat(Clusters.restarts(cluster, job))
                .as("restarts, -Drescale.seed=%s", seed)
                .isZero();
        assertExact();
    }

    /** What to stop the job in. */
    private enum Moment {
        /** New subtasks wait for slots. */
        DEPLOYING {
            @Override
            void reach(AbortTest test) throws Exception {
                test.rescaleSlowly(32);
                Ledger.awaitOrFail(
                        "deployment",
                        () ->
                                !cluster.rescales(test.job).get().isEmpty()
                                        && test.latest().state() == RescaleState.DEPLOYING);
            }
        },
        MIGRATING {
            @Override
            void reach(AbortTest test) throws Exception {
                test.rescaleSlowly(4);
                test.awaitSteps(2);
            }
        },
        RETIRING {
            @Override
            void reach(AbortTest test) throws Exception {
                test.rescaleSlowly(1);
                Ledger.awaitOrFail(
                        "retirement",
                        () -> !cluster.rescales(test.job).get().isEmpty() && test.isRetiring());
            }
        };

        abstract void reach(AbortTest test) throws Exception;
    }

    @ParameterizedTest
    @EnumSource(Moment.class)
    void aJobIsStoppedWithASavepointInAnyPhaseOfARescale(Moment moment) throws Exception {
        submit(null);
        moment.reach(this);
        // Flink 1.12 lets a legacy source go on between the savepoint and the stop
        ledger.settle();
        String savepoint =
                Savepoints.stop(cluster.flink(), job, savepoints.toUri().toString())
                        .get(60, TimeUnit.SECONDS);
        Ledger.awaitOrFail("the end", () -> cluster.status(job).get() == JobStatus.FINISHED);
        Ledger.Verdict stopped = ledger.verdict();
        assertThat(stopped.violations).isEmpty();
        assertThat(stopped.duplicated).isZero();

        ledger.paused = false;
        submit(savepoint);
        // a rescale that was running then does not go on
        assertThat(cluster.rescales(job).get()).isEmpty();
        assertThat(parallelism()).isEqualTo(2);
        assertExact();
    }

    @Test
    void aStopThatFlinkRefusesDoesNotEndARescale() throws Exception {
        submit(null);
        CompletableFuture<RescaleDetails> end = rescaleSlowly(4);
        awaitSteps(2);
        assertThatThrownBy(
                        () -> Savepoints.stop(cluster.flink(), job, null).get(60, TimeUnit.SECONDS))
                .hasStackTraceContaining("No savepoint directory configured");
        assertThat(end.get(60, TimeUnit.SECONDS).status()).isEqualTo(RescaleStatus.FINISHED);
        assertExact();
    }

    @ParameterizedTest
    @EnumSource(Moment.class)
    void aJobThatIsCancelledInARescaleLeavesNothingBehind(Moment moment) throws Exception {
        submit(null);
        moment.reach(this);
        cluster.cancel(job).get(30, TimeUnit.SECONDS);
        job = null;
        Ledger.awaitOrFail("free slots", () -> freeSlots() == TASK_MANAGERS * SLOTS);
        // and others find the cluster as if nothing had been
        submit(null);
        assertThat(cluster.rescale(job, "count", 3).get(60, TimeUnit.SECONDS).failure()).isNull();
    }

    private static int freeSlots() throws Exception {
        return new ObjectMapper()
                .readTree(cluster.restAddress().resolve("/overview").toURL())
                .path("slots-available")
                .asInt();
    }

    @Test
    void aSavepointThatIsAskedForInARescaleIsTakenBetweenSteps() throws Exception {
        submit(null);
        CompletableFuture<RescaleDetails> end = rescaleSlowly(4);
        awaitSteps(2);
        Savepoints.take(cluster.flink(), job, savepoints.toUri().toString(), false)
                .get(60, TimeUnit.SECONDS);
        assertThat(end.get(60, TimeUnit.SECONDS).status()).isEqualTo(RescaleStatus.FINISHED);
        assertThat(latest().longestWithoutCheckpointMs()).isBetween(1L, 30_000L);
        assertExact();
    }
}
