// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.io.IOException;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.executiongraph.failover.flip1.FixedDelayRestartBackoffTimeStrategy;
import org.apache.flink.runtime.executiongraph.failover.flip1.NoRestartBackoffTimeStrategy;
import org.apache.flink.runtime.executiongraph.failover.flip1.RestartBackoffTimeStrategy;
import org.apache.flink.runtime.executiongraph.failover.flip1.RestartBackoffTimeStrategyFactoryLoader;
import org.apache.flink.runtime.jobgraph.JobGraph;

/** The restart strategy of a job, as its code and the configuration say. */
public final class JobRestarts {

    private final RestartBackoffTimeStrategy strategy;

    public JobRestarts(RestartBackoffTimeStrategy strategy) {
        this.strategy = strategy;
    }

    /** That of a job. */
    public static JobRestarts of(
            JobGraph jobGraph, Configuration configuration, ClassLoader userCode)
            throws IOException, ClassNotFoundException {
        return new JobRestarts(
                RestartBackoffTimeStrategyFactoryLoader.createRestartBackoffTimeStrategyFactory(
                                jobGraph.getSerializedExecutionConfig()
                                        .deserializeValue(userCode)
                                        .getRestartStrategy(),
                                configuration,
                                jobGraph.isCheckpointingEnabled())
                        .create());
    }

    /** Whether the job ever restarts. */
    public boolean areAllowed() {
        return !(strategy instanceof NoRestartBackoffTimeStrategy)
                && !(strategy instanceof FixedDelayRestartBackoffTimeStrategy
                        && ((FixedDelayRestartBackoffTimeStrategy) strategy)
                                        .getMaxNumberRestartAttempts()
                                == 0);
    }

    RestartBackoffTimeStrategy strategy() {
        return strategy;
    }
}
