// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.runtime.leaderelection.LeaderElectionService;
import org.apache.flink.runtime.leaderelection.StandaloneLeaderElectionService;

/** Leader elections of tests. */
public final class TestElections {

    private TestElections() {}

    /** One without a rival. */
    public static LeaderElectionService alone() {
        return new StandaloneLeaderElectionService();
    }
}
