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
