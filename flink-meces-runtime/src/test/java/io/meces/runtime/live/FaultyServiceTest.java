// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.RescaleDetails;
import io.meces.api.RescaleStatus;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.MecesOptions;
import io.meces.runtime.testing.MecesMiniCluster;
import io.meces.runtime.transition.DropReason;
import io.meces.runtime.transition.FaultyTransitionServiceFactory;
import io.meces.state.MecesStateOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A job that is rescaled over a transition service that drops, repeats, delays and reorders. */
@Tag("full")
@Timeout(300)
class FaultyServiceTest {

    private final Ledger ledger = new Ledger();

    @Test
    void rescalesAreExactOverAServiceThatLosesAFifthOfAllMessages() throws Exception {
        long seed = Long.getLong("faults.seed", System.nanoTime());
        Configuration configuration = new Configuration();
        configuration.set(
                MecesOptions.TRANSITION_SERVICE, FaultyTransitionServiceFactory.class.getName());
        configuration.set(FaultyTransitionServiceFactory.SEED, seed);
        int before = FaultyTransitionServiceFactory.made().size();
        try (MecesMiniCluster cluster = Clusters.start(2, 2, configuration)) {
            List<FaultyTransitionServiceFactory.Faulty> services =
                    FaultyTransitionServiceFactory.made()
                            .subList(before, FaultyTransitionServiceFactory.made().size());
            assertThat(services).hasSize(2);
            ledger.rate = 5_000;
            JobID job =
                    cluster.submit(
                            TestGraphs.of(
                                    Jobs.counting(ledger, 1_000, Long.MAX_VALUE, 500), "counting"));
            ledger.awaitResults(2_000);
            for (int parallelism : new int[] {4, 1, 3, 2}) {
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
            for (FaultyTransitionServiceFactory.Faulty service : services) {
                assertThat(service.faults()).isGreaterThan(100);
                assertThat(service.metrics().messagesRepeated()).isPositive();
                assertThat(service.metrics().droppedFor(DropReason.DUPLICATE)).isPositive();
                assertThat(service.metrics().droppedFor(DropReason.MALFORMED)).isZero();
            }
            cluster.cancel(job).get(30, TimeUnit.SECONDS);
        }
    }

    @Test
    void aSchemaThatComesInALaterStepStillMakesTheUnitsBehindItReadable() throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(
                MecesOptions.TRANSITION_SERVICE, FaultyTransitionServiceFactory.class.getName());
        configuration.set(FaultyTransitionServiceFactory.SEED, 1L);
        configuration.set(FaultyTransitionServiceFactory.SCHEMA_DELAY_MS, 400);
        // a schema and a unit fill the window; the unit is in a chunk, until it is asked for as
        // all others are, so that steps end without the schema
        configuration.set(MecesOptions.TRANSITION_IN_FLIGHT_PER_PEER, new MemorySize(2_800));
        configuration.set(MecesOptions.TRANSITION_CHUNK_LINGER, Duration.ofHours(1));
        configuration.set(MecesStateOptions.SUB_GROUPS, 1);
        configuration.set(MecesOptions.BATCH_SIZE, 16);
        int before = FaultyTransitionServiceFactory.made().size();
        try (MecesMiniCluster cluster = Clusters.start(2, 1, configuration)) {
            ledger.rate = 5_000;
            JobID job =
                    cluster.submit(
                            TestGraphs.of(
                                    Jobs.counting(ledger, 1_000, Long.MAX_VALUE, 500), "counting"));
            ledger.awaitResults(2_000);

            for (int parallelism : new int[] {1, 2, 1}) {
                RescaleDetails status =
                        cluster.rescale(job, "count", parallelism).get(120, TimeUnit.SECONDS);
                assertThat(status.failure()).isNull();
                assertThat(status.status()).isEqualTo(RescaleStatus.FINISHED);
                assertThat(status.attempt()).isOne();
            }
            ledger.awaitResults(1_000);
            Ledger.Verdict verdict = ledger.settle();
            assertThat(verdict.violations).isEmpty();
            assertThat(verdict.duplicated).isZero();
            assertThat(verdict.distinct).isEqualTo(verdict.emitted);
            assertThat(Clusters.restarts(cluster, job)).isZero();
            assertThat(
                            FaultyTransitionServiceFactory.made().stream()
                                    .skip(before)
                                    .mapToLong(FaultyTransitionServiceFactory.Faulty::faults)
                                    .sum())
                    .isPositive();
            cluster.cancel(job).get(30, TimeUnit.SECONDS);
        }
    }
}
