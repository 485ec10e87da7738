// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.RescaleDetails;
import io.meces.api.RescaleRequest;
import io.meces.api.RescaleStatus;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.MecesOptions;
import io.meces.runtime.testing.MecesMiniCluster;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.AfterEach;

/** A job that is rescaled while what its state travels over is away. */
public abstract class OutageScenario {

    protected static final int TASK_MANAGERS = 2;
    protected static final Duration READY = Duration.ofSeconds(90);

    /** Longer than any outage that only delays. */
    protected static final Duration PATIENT = MecesOptions.STEP_TIMEOUT.defaultValue();

    /** Long enough for a sound step on a slow machine. */
    protected static final Duration STEP_TIMEOUT = Duration.ofSeconds(8);

    /** Three seconds of both sources. */
    private static final int RESULTS_OF_SECONDS = 12_000;

    private final Ledger ledger = new Ledger();
    private MecesMiniCluster cluster;
    private JobID job;

    @AfterEach
    public final void stopCluster() throws Exception {
        cluster.cancel(job).get(30, TimeUnit.SECONDS);
        cluster.close();
        assertNothingIsLeft();
    }

    /** Called when the cluster is closed. */
    protected void assertNothingIsLeft() throws Exception {}

    /** An outage during a rescale that is over before a step has taken too long. */
    protected final void isOnlyDelayed(Action fault, Action repair) throws Exception {
        CompletableFuture<RescaleDetails> rescale = rescaleHalfway(4);
        fault.run();
        // the job goes on meanwhile
        ledger.awaitResults(RESULTS_OF_SECONDS);
        assertThat(rescale).isNotDone();
        repair.run();

        assertFinished(rescale.get(100, TimeUnit.SECONDS));
        ledger.awaitResults(1_000);
        Ledger.Verdict verdict = ledger.settle();
        assertThat(verdict.violations).isEmpty();
        assertThat(verdict.duplicated).isZero();
        assertThat(verdict.distinct).isEqualTo(verdict.emitted);
        assertThat(Clusters.restarts(cluster, job)).isZero();
    }

    /** An outage during a rescale that lasts. */
    protected final void failsAndRecovers(Action fault, Action repair, String... reasons)
            throws Exception {
        CompletableFuture<RescaleDetails> rescale = rescaleHalfway(4);
        fault.run();
        try {
            RescaleDetails status = rescale.get(60, TimeUnit.SECONDS);
            assertThat(status.status()).isEqualTo(RescaleStatus.FAILED);
            String failure = status.failure();
            assertThat(failure).contains("the job restarts", "longer than " + STEP_TIMEOUT);
            assertThat(reasons).allSatisfy(reason -> assertThat(failure).contains(reason));
            // without what is away
            Ledger.awaitOrFail("recovery", () -> Clusters.knowsToRun(cluster, job, 1));
            ledger.awaitResults(2_000);
        } finally {
            repair.run();
        }
        assertThat(cluster.elasticity(job).get().vertices().get(0).parallelism()).isEqualTo(2);
        assertFinished(cluster.rescale(job, "count", 3).get(100, TimeUnit.SECONDS));
        ledger.awaitResults(1_000);
        Ledger.Verdict verdict = ledger.settle();
        assertThat(verdict.violations).isEmpty();
        assertThat(verdict.distinct).isEqualTo(verdict.emitted);
        assertThat(Clusters.restarts(cluster, job)).isEqualTo(1);
    }

    /** Starts a cluster and a job. */
    protected final void submit(Configuration configuration, Duration stepTimeout)
            throws Exception {
        configuration.set(MecesOptions.STEP_TIMEOUT, stepTimeout);
        configuration.set(MecesOptions.ON_FAILURE, MecesOptions.OnFailure.ABORT);
        cluster = Clusters.start(TASK_MANAGERS, 2, configuration);
        ledger.rate = RESULTS_OF_SECONDS / 6;
        job =
                cluster.submit(
                        TestGraphs.of(
                                Jobs.counting(ledger, 1_000, Long.MAX_VALUE, 300), "counting"));
        Ledger.awaitOrFail("a checkpoint", () -> Clusters.completedCheckpoints(cluster, job) > 0);
        ledger.awaitResults(2_000);
    }

    /** Begins a rescale of many steps; some of them are over when this returns. */
    private CompletableFuture<RescaleDetails> rescaleHalfway(int parallelism) throws Exception {
        CompletableFuture<RescaleDetails> rescale =
                cluster.rescale(
                        job,
                        RescaleRequest.of(RescaleRequest.Target.byName("count", parallelism))
                                .withBatchSize(1));
        Ledger.awaitOrFail(
                "migration",
                () -> {
                    List<RescaleDetails> all = cluster.rescales(job).get();
                    return !all.isEmpty() && all.get(0).stepsCompleted() > 2;
                });
        return rescale;
    }

    private static void assertFinished(RescaleDetails status) {
        assertThat(status.failure()).isNull();
        assertThat(status.status()).isEqualTo(RescaleStatus.FINISHED);
        assertThat(status.unitsMigrated()).isEqualTo(status.unitsTotal());
    }

    /** Something that may fail. */
    protected interface Action {
        void run() throws Exception;
    }
}
