// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import io.meces.runtime.testing.MecesMiniCluster;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Many rescales of a job, after which the JVM holds what it held after some. */
@Tag("full")
@Timeout(600)
class LongRunTest extends LongRun {
    private static final Logger LOG = LoggerFactory.getLogger(LongRunTest.class);

    @Test
    void holdsAfterTwoHundredRescalesWhatItHeldAfterFifty() throws Exception {
        try (MecesMiniCluster cluster = Clusters.start(2, 2, configuration())) {
            JobID job = submit(cluster);
            rescale(cluster, job, 52);
            Footprint before = Footprint.now();
            LOG.info("After 52 rescales: {}", before);
            rescale(cluster, job, 148);
            Footprint.assertNoMoreThan(before);
            LOG.info("After 200 rescales: {}", Footprint.now());
            assertExact();
            cluster.cancel(job).get(30, TimeUnit.SECONDS);
            Footprint.assertNoBuffers();
        }
    }
}
