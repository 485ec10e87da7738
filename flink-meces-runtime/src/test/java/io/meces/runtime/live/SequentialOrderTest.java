// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.RescaleDetails;
import io.meces.api.RescaleStatus;
import io.meces.core.protocol.MigrationOrder;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.MecesOptions;
import io.meces.runtime.testing.MecesMiniCluster;
import io.meces.state.MecesStateOptions;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A job that is rescaled in the fixed order that experiments compare with. */
@Timeout(180)
class SequentialOrderTest {

    private final Ledger ledger = new Ledger();

    @ParameterizedTest
    @ValueSource(ints = {1, 16})
    void rescalesAreExactAndNothingMovesOnDemand(int subGroups) throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(MecesOptions.MIGRATION_ORDER, MigrationOrder.SEQUENTIAL);
        configuration.set(MecesStateOptions.SUB_GROUPS, subGroups);
        try (MecesMiniCluster cluster = Clusters.start(2, 2, configuration)) {
            ledger.rate = 10_000;
            JobID job =
                    cluster.submit(
                            TestGraphs.of(
                                    Jobs.counting(ledger, 5_000, Long.MAX_VALUE, 500), "counting"));
            ledger.awaitResults(10_000);
            for (int parallelism : new int[] {3, 4, 1, 2}) {
                RescaleDetails status =
                        cluster.rescale(job, "count", parallelism).get(120, TimeUnit.SECONDS);
                assertThat(status.failure()).isNull();
                assertThat(status.status()).isEqualTo(RescaleStatus.FINISHED);
                assertThat(status.unitsMigrated()).isPositive().isEqualTo(status.unitsTotal());
                assertThat(status.unitsOnDemand()).isZero();
                ledger.awaitResults(2_000);
            }
            Ledger.Verdict verdict = ledger.settle();
            assertThat(verdict.violations).isEmpty();
            assertThat(verdict.duplicated).isZero();
            assertThat(verdict.distinct).isEqualTo(verdict.emitted);
            assertThat(ledger.late.get()).isZero();
            cluster.cancel(job).get(30, TimeUnit.SECONDS);
        }
    }
}
