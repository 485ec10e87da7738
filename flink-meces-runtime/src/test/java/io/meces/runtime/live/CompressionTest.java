// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.RescaleDetails;
import io.meces.api.RescaleStatus;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.MecesOptions;
import io.meces.runtime.testing.MecesMiniCluster;
import io.meces.runtime.transition.FaultyTransitionServiceFactory;
import io.meces.runtime.transition.TransitionMetrics;
import io.meces.state.Compression;
import io.meces.state.MecesStateOptions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A job that is rescaled while its units are compressed, and some of them are lost on the way. */
@Tag("full")
@Timeout(180)
class CompressionTest {

    private final Ledger ledger = new Ledger();

    @ParameterizedTest
    @EnumSource(Compression.class)
    void rescalesAreExactAndUnitsSmaller(Compression compression) throws Exception {
        long seed = Long.getLong("faults.seed", System.nanoTime());
        Configuration configuration = new Configuration();
        configuration.set(MecesOptions.TRANSITION_COMPRESSION, compression);
        // few units, so that they are large enough to be compressed
        configuration.set(MecesStateOptions.SUB_GROUPS, 1);
        configuration.set(
                MecesOptions.TRANSITION_SERVICE, FaultyTransitionServiceFactory.class.getName());
        configuration.set(FaultyTransitionServiceFactory.SEED, seed);
        configuration.set(FaultyTransitionServiceFactory.PERCENT, 2);
        int before = FaultyTransitionServiceFactory.made().size();
        try (MecesMiniCluster cluster = Clusters.start(2, 2, configuration)) {
            List<TransitionMetrics> metrics =
                    FaultyTransitionServiceFactory.made()
                            .subList(before, FaultyTransitionServiceFactory.made().size())
                            .stream()
                            .map(FaultyTransitionServiceFactory.Faulty::metrics)
                            .collect(Collectors.toList());
            JobID job =
                    cluster.submit(
                            TestGraphs.of(
                                    Jobs.counting(ledger, 5_000, Long.MAX_VALUE, 500), "counting"));
            ledger.awaitResults(10_000);
            for (int parallelism : new int[] {4, 1, 2}) {
                RescaleDetails status =
                        cluster.rescale(job, "count", parallelism).get(120, TimeUnit.SECONDS);
                assertThat(status.failure()).as("-Dfaults.seed=%s", seed).isNull();
                assertThat(status.status()).isEqualTo(RescaleStatus.FINISHED);
                assertThat(status.unitsMigrated()).isEqualTo(status.unitsTotal());
                ledger.awaitResults(1_000);
            }
            Ledger.Verdict verdict = ledger.settle();
            assertThat(verdict.violations).as("-Dfaults.seed=%s", seed).isEmpty();
            assertThat(verdict.duplicated).as("-Dfaults.seed=%s", seed).isZero();
            assertThat(verdict.distinct).as("-Dfaults.seed=%s", seed).isEqualTo(verdict.emitted);
            long bytes = metrics.stream().mapToLong(TransitionMetrics::unitBytes).sum();
            long uncompressed =
                    metrics.stream().mapToLong(TransitionMetrics::unitBytesUncompressed).sum();
            if (compression == Compression.NONE) {
                assertThat(bytes).isPositive().isEqualTo(uncompressed);
            } else {
                assertThat(bytes).isPositive().isLessThan(uncompressed * 9 / 10);
            }
            cluster.cancel(job).get(30, TimeUnit.SECONDS);
        }
    }
}
