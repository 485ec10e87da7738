// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.runtime.executiongraph.failover.RestartBackoffTimeStrategy;

/**
 * The restart strategy of a job, past which some restarts go.
 *
 * <p>Owned by the JobMaster's main thread. Flink tells of a failure, then asks what is to be done.
 */
public abstract class RestartStrategy implements RestartBackoffTimeStrategy {

    private final RestartBackoffTimeStrategy ofJob;
    private boolean granted;

    protected RestartStrategy(JobRestarts ofJob) {
        this.ofJob = ofJob.strategy();
    }

    /** Whether the job restarts now without an attempt from those that its strategy allows. */
    protected abstract boolean grants(Throwable cause);

    /** Whether it is shown as a failure of its own. */
    @Override
    public final boolean notifyFailure(Throwable cause) {
        granted = grants(cause);
        return granted || ofJob.notifyFailure(cause);
    }

    @Override
    public final boolean canRestart() {
        return granted || ofJob.canRestart();
    }

    @Override
    public final long getBackoffTime() {
        return ofJob.getBackoffTime();
    }

    @Override
    public final String toString() {
        return ofJob.toString();
    }
}
