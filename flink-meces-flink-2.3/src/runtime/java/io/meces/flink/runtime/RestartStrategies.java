// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.io.IOException;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.executiongraph.failover.RestartBackoffTimeStrategy;
import org.apache.flink.runtime.executiongraph.failover.RestartBackoffTimeStrategyFactoryLoader;
import org.apache.flink.runtime.jobgraph.JobGraph;

/** What jobs say of restarts. Has no state. */
final class RestartStrategies {

    private RestartStrategies() {}

    /** As the code of the job and the configuration say. */
    static RestartBackoffTimeStrategy.Factory of(
            JobGraph jobGraph, Configuration configuration, ClassLoader userCode)
            throws IOException, ClassNotFoundException {
        return RestartBackoffTimeStrategyFactoryLoader.createRestartBackoffTimeStrategyFactory(
                jobGraph.getJobConfiguration(), configuration, jobGraph.isCheckpointingEnabled());
    }
}
