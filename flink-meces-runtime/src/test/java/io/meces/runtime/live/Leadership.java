// SPDX-License-Identifier: Apache-2.0
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
        return start(1, slots, new Configuration(), control);
    }

    /** The same with several TaskManagers, and a configuration. */
    static MecesMiniCluster start(
            int taskManagers,
            int slots,
            Configuration more,
            AtomicReference<HaLeadershipControl> control)
            throws Exception {
        return Clusters.builder(taskManagers, slots, more)
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
