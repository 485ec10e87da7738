// SPDX-License-Identifier: Apache-2.0
package io.meces.core.job;

import io.meces.api.RescaleStatus;
import io.meces.core.command.StepStatistics;

/** Who counts what the rescales of a job do. Called by the JobMaster's main thread. */
public interface RescaleMetrics {

    /** A rescale has begun, or is taken over from an earlier JobManager. */
    void begun();

    /** The job restarts while tasks take part in a rescale. */
    void restarted();

    /** A subtask has completed its part of a step. */
    void migrated(StepStatistics statistics);

    /**
     * The rescale has ended.
     *
     * @param outcome a terminal one
     * @param durationMillis since it was asked for
     */
    void ended(RescaleStatus outcome, long durationMillis);
}
