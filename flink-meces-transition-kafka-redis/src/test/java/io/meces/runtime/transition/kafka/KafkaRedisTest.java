// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.RescaleDetails;
import io.meces.api.RescaleStatus;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.live.Clusters;
import io.meces.runtime.live.Jobs;
import io.meces.runtime.live.Ledger;
import io.meces.runtime.testing.MecesMiniCluster;
import io.meces.servers.ServerFiles;
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
        rescale(Servers.FILES);
    }

    @Test
    void soTheyAreWithTheNewestServers() throws Exception {
        PackagedRedis.assumeJavaOfNewestKafka();
        rescale(Servers.FILES.withNewestKafka().withRedis(PackagedRedis.VALKEY_9.programOrAbort()));
    }

    private void rescale(ServerFiles files) throws Exception {
        try (Servers servers = Servers.start(files)) {
            try (MecesMiniCluster cluster =
                    Clusters.start(TASK_MANAGERS, 2, servers.configuration())) {
                servers.awaitKeys(TASK_MANAGERS);
                long writesBefore = servers.redis().calls("set");
                ledger.rate = 5_000;
                JobID job =
                        cluster.submit(
                                TestGraphs.of(
                                        Jobs.counting(ledger, 1_000, Long.MAX_VALUE, 500),
                                        "counting"));
                Clusters.awaitRunning(cluster, job);
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
