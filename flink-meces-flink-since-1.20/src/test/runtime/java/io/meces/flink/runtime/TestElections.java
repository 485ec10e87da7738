// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.UUID;
import org.apache.flink.runtime.leaderelection.LeaderElection;
import org.apache.flink.runtime.leaderelection.StandaloneLeaderElection;

/** Leader elections of tests. */
public final class TestElections {

    private TestElections() {}

    /** One without a rival. */
    public static LeaderElection alone() {
        return new StandaloneLeaderElection(UUID.randomUUID());
    }
}
