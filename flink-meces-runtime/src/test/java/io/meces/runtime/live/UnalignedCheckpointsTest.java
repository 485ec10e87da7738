// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.RescaleDetails;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.MecesOptions;
import io.meces.runtime.testing.MecesMiniCluster;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A job that asks for unaligned checkpoints, and is to be rescaled all the same. */
@Timeout(180)
class UnalignedCheckpointsTest {

    private final Ledger ledger = new Ledger();

    @Test
    void isRescaledWithAlignedOnes() throws Exception {
        Configuration align = new Configuration();
        align.set(MecesOptions.UNALIGNED_CHECKPOINTS, MecesOptions.UnalignedCheckpoints.ALIGN);
        try (MecesMiniCluster cluster = Clusters.start(2, 4, align)) {
            StreamExecutionEnvironment env = Jobs.counting(ledger, 500, Long.MAX_VALUE, 200);
            env.getCheckpointConfig().enableUnalignedCheckpoints();
            JobID job = cluster.submit(TestGraphs.of(env, "unaligned"));
            ledger.awaitResults(1_000);
            assertThat(cluster.elasticity(job).get().warnings())
                    .singleElement()
                    .asString()
                    .contains("unaligned checkpoints");
            for (int parallelism : new int[] {4, 1, 3}) {
                rescale(cluster, job, parallelism);
                Clusters.awaitCheckpointOfNow(cluster, job);
            }
            long before = ledger.results.get();
            ledger.failOnce = true;
            Ledger.awaitOrFail("the restart", () -> Clusters.restarts(cluster, job) == 1);
            Clusters.awaitRecovery(cluster, job, ledger, before);
            Ledger.awaitOrFail("running", () -> Clusters.knowsToRun(cluster, job, 1));
            rescale(cluster, job, 2);
            Ledger.Verdict verdict = ledger.settle();
            assertThat(verdict.violations).isEmpty();
            assertThat(verdict.distinct).isEqualTo(verdict.emitted);
            cluster.cancel(job).get(30, TimeUnit.SECONDS);
        }
    }

    private void rescale(MecesMiniCluster cluster, JobID job, int to) throws Exception {
        RescaleDetails end = cluster.rescale(job, "count", to).get(60, TimeUnit.SECONDS);
        assertThat(end.failure()).isNull();
        ledger.awaitResults(500);
    }
}
