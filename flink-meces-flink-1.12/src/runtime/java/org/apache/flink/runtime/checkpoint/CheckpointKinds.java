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
     * it is; so do savepoints.
     */
    public static boolean isRecoveredFrom(PendingCheckpoint checkpoint) {
        return true;
    }

    /**
     * Whether a user has named it to start the job from. Flink loads such a one as a savepoint that
     * is not forced; those that jobs take are.
     */
    public static boolean isNamedByUser(CompletedCheckpoint checkpoint) {
        return checkpoint.getProperties().isSavepoint()
                && !checkpoint.getProperties().forceCheckpoint();
    }
}
