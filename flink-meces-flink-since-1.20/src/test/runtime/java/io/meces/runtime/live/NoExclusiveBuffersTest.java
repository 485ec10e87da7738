// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.testing.MecesMiniCluster;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.NettyShuffleEnvironmentOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Channels whose buffers all come from those of their gate, as this line of Flink allows. */
@Tag("full")
@Timeout(120)
class NoExclusiveBuffersTest {

    @Test
    void aJobIsRescaled() throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(NettyShuffleEnvironmentOptions.NETWORK_BUFFERS_PER_CHANNEL, 0);
        Ledger ledger = new Ledger();
        try (MecesMiniCluster cluster = Clusters.start(2, 4, configuration)) {
            JobID job =
                    cluster.submit(
                            TestGraphs.of(
                                    Jobs.counting(ledger, 1_000, Long.MAX_VALUE, 300), "counting"));
            ledger.awaitResults(2_000);
            Ledger.awaitOrFail("it runs", () -> Clusters.knowsToRun(cluster, job, 0));
            for (int parallelism : new int[] {6, 1, 4}) {
                assertThat(
                                cluster.rescale(job, "count", parallelism)
                                        .get(60, TimeUnit.SECONDS)
                                        .failure())
                        .isNull();
                ledger.awaitResults(2_000);
            }
            Ledger.Verdict verdict = ledger.settle();
            assertThat(verdict.violations).isEmpty();
            assertThat(verdict.duplicated).isZero();
            assertThat(verdict.distinct).isEqualTo(verdict.emitted);
            cluster.cancel(job).get(30, TimeUnit.SECONDS);
        }
    }
}
