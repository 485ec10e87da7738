// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.RescaleDetails;
import io.meces.api.RescaleState;
import io.meces.api.RescaleStatus;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.MecesOptions;
import io.meces.runtime.testing.MecesMiniCluster;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A job with a single upstream subtask, whose queue takes longer than a step may. */
@Timeout(180)
class LongQueueTest {

    private long migratingSince;

    private boolean isMigratingFor(MecesMiniCluster cluster, JobID job, Duration time)
            throws Exception {
        boolean migrating =
                cluster.rescales(job).get().stream()
                        .anyMatch(r -> r.state() == RescaleState.MIGRATING);
        long now = System.nanoTime();
        if (!migrating || migratingSince == 0) {
            migratingSince = migrating ? now : 0;
        }
        return migrating && now - migratingSince > time.toNanos();
    }

    @Test
    void aStepWaitsForTheQueueBeforeItsMarkerAsLongAsThatIsWorkedOff() throws Exception {
        Ledger ledger = new Ledger();
        ledger.rate = 1_000_000;
        ledger.workNanos = 350_000;
        StreamExecutionEnvironment env = Jobs.environment(300);
        env.setParallelism(1);
        env.setMaxParallelism(4);
        Jobs.count(Jobs.source(env, ledger, 1_000, Long.MAX_VALUE), ledger, 1);
        Duration limit = Duration.ofSeconds(2);
        Configuration config = new Configuration();
        config.set(MecesOptions.STEP_TIMEOUT, limit);
        try (MecesMiniCluster cluster = Clusters.start(1, 2, config)) {
            JobID job = cluster.submit(TestGraphs.of(env, "behind"));
            ledger.awaitResults(5_000);
            CompletableFuture<RescaleDetails> done = cluster.rescale(job, "count", 2);
            Ledger.awaitOrFail(
                    "a step that takes longer than its limit",
                    () -> isMigratingFor(cluster, job, limit) || done.isDone());
            assertThat(done).as("such a step").isNotDone();
            // on a busy machine the queue would take longer than even a step may that gets on
            ledger.workNanos = 0;
            RescaleDetails rescale = done.get(100, TimeUnit.SECONDS);

            assertThat(rescale.failure()).isNull();
            assertThat(rescale.interruption()).as("a restart").isNull();
            assertThat(rescale.status()).isEqualTo(RescaleStatus.FINISHED);
            Ledger.Verdict verdict = ledger.settle();
            assertThat(verdict.violations).isEmpty();
            assertThat(verdict.duplicated).isZero();
            assertThat(verdict.distinct).isEqualTo(verdict.emitted);
            cluster.cancel(job).get(30, TimeUnit.SECONDS);
        }
    }
}
