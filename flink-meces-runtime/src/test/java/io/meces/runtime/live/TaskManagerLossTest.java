// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.testing.MecesMiniCluster;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A TaskManager is lost after a rescale. */
@Timeout(120)
class TaskManagerLossTest {

    @Test
    void theJobRecoversAtItsNewParallelismAndCanBeRescaledAgain() throws Exception {
        Ledger ledger = new Ledger();
        try (MecesMiniCluster cluster = Clusters.start(1, 6, new Configuration())) {
            JobID job =
                    cluster.submit(
                            TestGraphs.of(
                                    Jobs.counting(ledger, 1_000, Long.MAX_VALUE, 300), "counting"));
            ledger.awaitResults(2_000);
            assertThat(cluster.rescale(job, "count", 4).get(60, TimeUnit.SECONDS).failure())
                    .isNull();
            ledger.awaitResults(2_000);

            cluster.terminateTaskManager(0).get(30, TimeUnit.SECONDS);
            long before = ledger.results.get();
            cluster.startTaskManager();
            Clusters.awaitRecovery(cluster, job, ledger, before);
            assertThat(cluster.elasticity(job).get().vertices().get(0).parallelism()).isEqualTo(4);
            assertThat(cluster.rescale(job, "count", 3).get(60, TimeUnit.SECONDS).failure())
                    .isNull();
            ledger.awaitResults(2_000);
            Ledger.Verdict verdict = ledger.settle();
            assertThat(verdict.violations).isEmpty();
            assertThat(verdict.distinct).isEqualTo(verdict.emitted);
        }
    }
}
