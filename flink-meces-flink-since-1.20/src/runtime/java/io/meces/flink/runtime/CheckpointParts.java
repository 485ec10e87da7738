// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.PendingCheckpoint;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle;

/** What checkpoints, and what is in them, are asked for. Thread-safe. */
public final class CheckpointParts {

    private CheckpointParts() {}

    public static long id(PendingCheckpoint checkpoint) {
        return checkpoint.getCheckpointID();
    }

    /** Whether all subtasks of the operator have finished, so that it has no state. */
    public static boolean isFinished(OperatorState state) {
        return state.isFullyFinished();
    }

    /** Whether it is that of a backend with a changelog, in files of its own. */
    public static boolean hasChangelog(OperatorState state) {
        return state.getStates().stream()
                .flatMap(part -> part.getManagedKeyedState().stream())
                .anyMatch(ChangelogStateBackendHandle.class::isInstance);
    }

    /**
     * State with what a subtask had in flight, for the same channels. What Flink has assigned of
     * that is left out: it takes a vertex whose capacity is above its parallelism for rescaled.
     */
    public static OperatorSubtaskState withInFlight(
            OperatorSubtaskState assigned, OperatorSubtaskState stored) {
        return OperatorSubtaskState.builder()
                .setManagedKeyedState(assigned.getManagedKeyedState())
                .setRawKeyedState(assigned.getRawKeyedState())
                .setManagedOperatorState(assigned.getManagedOperatorState())
                .setRawOperatorState(assigned.getRawOperatorState())
                .setInputChannelState(stored.getInputChannelState())
                .setResultSubpartitionState(stored.getResultSubpartitionState())
                .build();
    }

    /** The file that describes the others. */
    public static StreamStateHandle description(IncrementalRemoteKeyedStateHandle files) {
        return files.getMetaDataStateHandle();
    }
}
