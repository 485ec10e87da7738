// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.testing.MecesMiniCluster;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.highavailability.nonha.embedded.HaLeadershipControl;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A JobMaster that loses the leadership and gets it again: it makes a new scheduler. */
@Tag("full")
@Timeout(180)
class LeadershipTest {

    @Test
    void theJobRecoversAtItsNewParallelismAndCanBeRescaledAgain() throws Exception {
        Ledger ledger = new Ledger();
        AtomicReference<HaLeadershipControl> services = new AtomicReference<>();
        try (MecesMiniCluster cluster = Leadership.start(6, services)) {
            JobID job =
                    cluster.submit(
                            TestGraphs.of(
                                    Jobs.counting(ledger, 1_000, Long.MAX_VALUE, 300), "counting"));
            ledger.awaitResults(2_000);
            Clusters.awaitRunning(cluster, job);
            assertThat(cluster.rescale(job, "count", 4).get(60, TimeUnit.SECONDS).failure())
                    .isNull();
            Clusters.awaitCheckpointOfNow(cluster, job);

            Leadership.changeLeader(cluster, services.get(), job, ledger);

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
