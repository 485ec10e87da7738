// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.io.IOException;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.executiongraph.failover.RestartBackoffTimeStrategy;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.util.FlinkException;

/** The restart strategy of a job, as its code and the configuration say. */
public final class JobRestarts {

    private final RestartBackoffTimeStrategy strategy;
    private final boolean allowed;

    public JobRestarts(RestartBackoffTimeStrategy.Factory strategies) {
        this.strategy = strategies.create();
        // a strategy says whether it allows a restart only of a failure that it has heard of
        RestartBackoffTimeStrategy asked = strategies.create();
        asked.notifyFailure(new FlinkException("Would the job restart?"));
        this.allowed = asked.canRestart();
    }

    /** That of a job. */
    public static JobRestarts of(
            JobGraph jobGraph, Configuration configuration, ClassLoader userCode)
            throws IOException, ClassNotFoundException {
        return new JobRestarts(RestartStrategies.of(jobGraph, configuration, userCode));
    }

    /** Whether the job ever restarts. */
    public boolean areAllowed() {
        return allowed;
    }

    RestartBackoffTimeStrategy strategy() {
        return strategy;
    }
}
