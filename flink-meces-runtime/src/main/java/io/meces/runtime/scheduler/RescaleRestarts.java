// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.scheduler;

import io.meces.core.checkpoint.RescaleException;
import io.meces.flink.runtime.JobRestarts;
import io.meces.flink.runtime.RestartStrategy;

/**
 * The restart strategy of a job. A restart that a rescale asks for is no failure of the job: it
 * takes no attempt from those that the user allows.
 *
 * <p>Owned by the JobMaster's main thread. Flink tells of a failure, then asks what is to be done.
 */
final class RescaleRestarts extends RestartStrategy {

    private final boolean allowed;

    RescaleRestarts(JobRestarts ofJob) {
        super(ofJob);
        this.allowed = ofJob.areAllowed();
    }

    /** Whether the job ever restarts. If not, no rescale may have it restart either. */
    boolean areAllowed() {
        return allowed;
    }

    @Override
    protected boolean grants(Throwable cause) {
        return cause instanceof RescaleException && allowed;
    }
}
