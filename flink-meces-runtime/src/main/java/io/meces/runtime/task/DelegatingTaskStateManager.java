// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import io.meces.flink.runtime.LineTaskStateManager;
import javax.annotation.Nonnull;
import javax.annotation.Nullable;
import org.apache.flink.runtime.checkpoint.CheckpointMetaData;
import org.apache.flink.runtime.checkpoint.CheckpointMetrics;
import org.apache.flink.runtime.checkpoint.PrioritizedOperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.TaskStateSnapshot;
import org.apache.flink.runtime.checkpoint.channel.SequentialChannelStateReader;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.TaskStateManager;

/**
 * The states of a task, but for what is overridden. What lines of Flink have otherwise is in {@link
 * LineTaskStateManager}. Thread-safe as Flink's own.
 */
abstract class DelegatingTaskStateManager extends LineTaskStateManager {

    DelegatingTaskStateManager(TaskStateManager states) {
        super(states);
    }

    @Nonnull
    @Override
    public LocalRecoveryConfig createLocalRecoveryConfig() {
        return states.createLocalRecoveryConfig();
    }

    @Override
    public void reportTaskStateSnapshots(
            @Nonnull CheckpointMetaData checkpoint,
            @Nonnull CheckpointMetrics metrics,
            @Nullable TaskStateSnapshot acknowledgedState,
            @Nullable TaskStateSnapshot localState) {
        states.reportTaskStateSnapshots(checkpoint, metrics, acknowledgedState, localState);
    }

    @Nonnull
    @Override
    public PrioritizedOperatorSubtaskState prioritizedOperatorState(OperatorID operator) {
        return states.prioritizedOperatorState(operator);
    }

    @Override
    public SequentialChannelStateReader getSequentialChannelStateReader() {
        return states.getSequentialChannelStateReader();
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) throws Exception {
        states.notifyCheckpointComplete(checkpointId);
    }

    @Override
    public void notifyCheckpointAborted(long checkpointId) throws Exception {
        states.notifyCheckpointAborted(checkpointId);
    }

    @Override
    public void close() throws Exception {
        states.close();
    }
}
