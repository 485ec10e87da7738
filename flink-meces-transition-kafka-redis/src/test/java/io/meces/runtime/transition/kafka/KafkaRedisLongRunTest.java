// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition.kafka;

import io.meces.runtime.live.Clusters;
import io.meces.runtime.live.Footprint;
import io.meces.runtime.live.LongRun;
import io.meces.runtime.testing.MecesMiniCluster;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Many rescales of a job whose state travels over Kafka and Redis: nothing is left there. */
@Tag("full")
@Timeout(600)
class KafkaRedisLongRunTest extends LongRun {
    private static final Logger LOG = LoggerFactory.getLogger(KafkaRedisLongRunTest.class);

    @Test
    void leavesNothingInRedis() throws Exception {
        try (Servers servers = Servers.start()) {
            Configuration configuration = configuration();
            configuration.addAll(servers.configuration());
            try (MecesMiniCluster cluster = Clusters.start(2, 2, configuration)) {
                servers.awaitKeys(2);
                JobID job = submit(cluster);
                rescale(cluster, job, 12);
                servers.awaitKeys(2);
                Footprint before = Footprint.now();
                LOG.info("After 12 rescales: {}", before);
                rescale(cluster, job, 28);
                servers.awaitKeys(2);
                Footprint.assertNoMoreThan(before);
                LOG.info("After 40 rescales: {}", Footprint.now());
                assertExact();
                cluster.cancel(job).get(30, TimeUnit.SECONDS);
            }
            servers.awaitKeys(0);
        }
    }
}
