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

package io.meces.runtime.transition.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.RescaleDetails;
import io.meces.api.RescaleStatus;
import io.meces.runtime.live.Clusters;
import io.meces.runtime.live.Jobs;
import io.meces.runtime.live.Ledger;
import io.meces.runtime.testing.MecesMiniCluster;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A job that is rescaled while its state travels over Kafka and Redis. */
@Tag("full")
@Timeout(300)
class KafkaRedisTest {

    private static final int TASK_MANAGERS = 3;

    private final Ledger ledger = new Ledger();

    @Test
    void rescalesAreExactAndLeaveNothingInRedis() throws Exception {
        try (Servers servers = Servers.start()) {
            try (MecesMiniCluster cluster =
                    Clusters.start(TASK_MANAGERS, 2, servers.configuration())) {
                servers.awaitKeys(TASK_MANAGERS);
                long writesBefore = servers.redis().calls("set");
                ledger.rate = 5_000;
                JobID job =
                        cluster.submit(
                                Jobs.counting(ledger, 1_000, Long.MAX_VALUE, 500)
                                        .getStreamGraph("counting")
                                        .getJobGraph());
                ledger.awaitResults(2_000);
                for (int parallelism : new int[] {4, 1, 3, 2}) {
                    RescaleDetails status =
                            cluster.rescale(job, "count", parallelism).get(120, TimeUnit.SECONDS);
                    assertThat(status.failure()).isNull();
                    assertThat(status.status()).isEqualTo(RescaleStatus.FINISHED);
                    assertThat(status.unitsMigrated()).isEqualTo(status.unitsTotal());
                    ledger.awaitResults(1_000);
                }
                Ledger.Verdict verdict = ledger.settle();
                assertThat(verdict.violations).isEmpty();
                assertThat(verdict.duplicated).isZero();
                assertThat(verdict.distinct).isEqualTo(verdict.emitted);
                assertThat(servers.redis().calls("set")).isGreaterThan(writesBefore + 10);
                servers.awaitKeys(TASK_MANAGERS);
                cluster.cancel(job).get(30, TimeUnit.SECONDS);
            }
            servers.awaitKeys(0);
        }
    }
}
