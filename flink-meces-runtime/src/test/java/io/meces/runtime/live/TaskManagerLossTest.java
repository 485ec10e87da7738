/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

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
                            Jobs.counting(ledger, 1_000, Long.MAX_VALUE, 300)
                                    .getStreamGraph("counting")
                                    .getJobGraph());
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
