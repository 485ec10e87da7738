// SPDX-License-Identifier: Apache-2.0
package io.meces.core.command;

import java.util.UUID;

/** What a subtask tells the JobManager. Called by the task thread. */
public interface MigrationReports {

    /** The subtask is ready to give and take. */
    void begun(UUID rescale, EventTime time);

    void stepStarted(UUID rescale, long step);

    /** Its watermark has passed the one that it was asked for. */
    void watermarkRisen(UUID rescale, EventTime time);

    /** The first record of a unit that was taken in this rescale is processed. */
    void firstRecord(UUID rescale);

    /**
     * The subtask's part of a step is over.
     *
     * @param dataToCome whether {@link #dataCompleted} will be reported of this step, too
     * @param orderEvents events that consumers got for the order of results, one for all behind an
     *     output
     * @param longestStopNanos the longest that one unit has kept the task so far
     */
    void stepCompleted(
            UUID rescale,
            long step,
            EventTime time,
            StepStatistics statistics,
            boolean dataToCome,
            int orderEvents,
            long longestStopNanos);

    /** This subtask gets on with what takes long in a step. */
    void stepProceeds(UUID rescale, long step);

    /** All data of a step has come here, and what was to be given is gone from here. */
    void dataCompleted(UUID rescale, long step, EventTime time, DataStatistics statistics);

    /** The subtask, which leaves, holds nothing back. */
    void inputEnded(UUID rescale);

    /** The operators of a subtask that leaves know that a checkpoint is complete. */
    void checkpointConfirmed(UUID rescale, long checkpoint);
}
