// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.runtime.checkpoint;

/** Bridge: what a checkpoint is for. Thread-safe. */
public final class CheckpointKinds {

    private CheckpointKinds() {}

    /** Whether a user has asked for it. */
    public static boolean isSavepoint(PendingCheckpoint checkpoint) {
        return checkpoint.getProps().isSavepoint();
    }

    /**
     * Whether the job restarts from it, if it is the last that is complete, and tasks are told that
     * it is; savepoints do not.
     */
    public static boolean isRecoveredFrom(PendingCheckpoint checkpoint) {
        return !isSavepoint(checkpoint);
    }

    /**
     * Whether a user has named it to start the job from. Flink loads such a one as a savepoint that
     * is not forced; those that jobs take are. One that the job claims it loads as one of the job.
     */
    public static boolean isNamedByUser(CompletedCheckpoint checkpoint) {
        return checkpoint.getProperties().isUnclaimed()
                || checkpoint.getProperties().isSavepoint()
                        && !checkpoint.getProperties().forceCheckpoint();
    }
}
