/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.runtime.task;

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
 * Flink's own without local recovery: a local copy has the key-groups that a subtask had, and is
 * taken for what it is to restore. Thread-safe as Flink's own.
 */
final class RemoteTaskStateManager implements TaskStateManager {

    private final TaskStateManager states;

    RemoteTaskStateManager(TaskStateManager states) {
        this.states = states;
    }

    @Nonnull
    @Override
    public LocalRecoveryConfig createLocalRecoveryConfig() {
        return new LocalRecoveryConfig(
                false, states.createLocalRecoveryConfig().getLocalStateDirectoryProvider());
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
