// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.PendingCheckpoint;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;

/** What checkpoints, and what is in them, are asked for. Thread-safe. */
public final class CheckpointParts {

    private CheckpointParts() {}

    public static long id(PendingCheckpoint checkpoint) {
        return checkpoint.getCheckpointId();
    }

    /** Whether all subtasks of the operator have finished, so that it has no state. */
    public static boolean isFinished(OperatorState state) {
        return false;
    }

    /** Whether it is that of a backend with a changelog, in files of its own. */
    public static boolean hasChangelog(OperatorState state) {
        return false;
    }

    /** State with what a subtask had in flight: nothing, as all checkpoints are aligned. */
    public static OperatorSubtaskState withInFlight(
            OperatorSubtaskState assigned, OperatorSubtaskState stored) {
        return assigned;
    }

    /** The file that describes the others. */
    public static StreamStateHandle description(IncrementalRemoteKeyedStateHandle files) {
        return files.getMetaStateHandle();
    }
}
