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
import java.util.concurrent.atomic.AtomicReference;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.highavailability.nonha.embedded.EmbeddedHaServicesWithLeadershipControl;
import org.apache.flink.runtime.highavailability.nonha.embedded.HaLeadershipControl;

/** Clusters whose JobMasters lose the leadership when a test says so. Not with Flink 1.12.0. */
final class Leadership {

    private Leadership() {}

    /**
     * One TaskManager, and a JobMaster whose leadership can be taken.
     *
     * @param control gets what takes it
     */
    static MecesMiniCluster start(int slots, AtomicReference<HaLeadershipControl> control)
            throws Exception {
        return Clusters.builder(1, slots, new Configuration())
                .highAvailability(
                        executor -> {
                            EmbeddedHaServicesWithLeadershipControl embedded =
                                    new EmbeddedHaServicesWithLeadershipControl(executor);
                            control.set(embedded);
                            return embedded;
                        })
                .start();
    }

    /** Has the JobMaster lose the leadership and get it again, and waits until the job goes on. */
    static void changeLeader(
            MecesMiniCluster cluster, HaLeadershipControl control, JobID job, Ledger ledger)
            throws Exception {
        control.revokeJobMasterLeadership(job).get(30, TimeUnit.SECONDS);
        long before = ledger.results.get();
        control.grantJobMasterLeadership(job).get(30, TimeUnit.SECONDS);
        Clusters.awaitRecovery(cluster, job, ledger, before);
    }
}
