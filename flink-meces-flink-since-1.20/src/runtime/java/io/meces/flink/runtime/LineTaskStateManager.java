// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import javax.annotation.Nullable;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.checkpoint.CheckpointIDCounter;
import org.apache.flink.runtime.checkpoint.CheckpointMetaData;
import org.apache.flink.runtime.checkpoint.CheckpointMetrics;
import org.apache.flink.runtime.checkpoint.InflightDataRescalingDescriptor;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.PrioritizedOperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.SubTaskInitializationMetrics;
import org.apache.flink.runtime.checkpoint.filemerging.FileMergingSnapshotManager;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.TaskStateManager;
import org.apache.flink.runtime.state.changelog.ChangelogStateHandle;
import org.apache.flink.runtime.state.changelog.StateChangelogStorage;
import org.apache.flink.runtime.state.changelog.StateChangelogStorageView;

/** What only this line of Flink has of the states of a task. Thread-safe as Flink's own. */
public abstract class LineTaskStateManager implements TaskStateManager {

    protected final TaskStateManager states;

    protected LineTaskStateManager(TaskStateManager states) {
        this.states = states;
    }

    /**
     * What an operator restores: copies on this machine of just that, where there are any, or what
     * the JobManager names. Flink's own answer would take any copy with as many key-groups.
     */
    protected final PrioritizedOperatorSubtaskState restored(OperatorID operator) {
        Optional<Long> checkpoint = states.getRestoreCheckpointId();
        if (!checkpoint.isPresent()) {
            return PrioritizedOperatorSubtaskState.emptyNotRestored();
        }
        Optional<OperatorSubtaskState> named = states.getSubtaskJobManagerRestoredState(operator);
        if (!named.isPresent()) {
            return PrioritizedOperatorSubtaskState.empty(checkpoint.get());
        }
        if (LocalRecovery.haveRangesOfTheirOwn(named.get().getManagedKeyedState())
                && LocalRecovery.haveRangesOfTheirOwn(named.get().getRawKeyedState())) {
            // it also looks which copies are there, and deletes those of other checkpoints
            states.prioritizedOperatorState(operator);
        }
        List<OperatorSubtaskState> copies =
                LocalRecovery.find(
                        states.createLocalRecoveryConfig(),
                        checkpoint.get(),
                        operator,
                        named.get());
        return new PrioritizedOperatorSubtaskState.Builder(named.get(), copies, checkpoint.get())
                .build();
    }

    /** State of an operator that is not told that it was restored. */
    protected static PrioritizedOperatorSubtaskState notRestored(OperatorSubtaskState state) {
        return new PrioritizedOperatorSubtaskState.Builder(state, Collections.emptyList()).build();
    }

    /**
     * State of an operator that is told that it was restored from the checkpoint of another one, if
     * that is of any.
     */
    protected static PrioritizedOperatorSubtaskState begunAfterCheckpointOf(
            PrioritizedOperatorSubtaskState other, OperatorSubtaskState state) {
        Long checkpoint = other.getRestoredCheckpointId();
        return checkpoint < CheckpointIDCounter.INITIAL_CHECKPOINT_ID
                ? notRestored(state)
                : new PrioritizedOperatorSubtaskState.Builder(
                                state, Collections.emptyList(), checkpoint)
                        .build();
    }

    @Override
    public void reportInitializationMetrics(SubTaskInitializationMetrics metrics) {
        states.reportInitializationMetrics(metrics);
    }

    @Override
    public void reportIncompleteTaskStateSnapshots(
            CheckpointMetaData checkpoint, CheckpointMetrics metrics) {
        states.reportIncompleteTaskStateSnapshots(checkpoint, metrics);
    }

    @Override
    public InflightDataRescalingDescriptor getInputRescalingDescriptor() {
        return states.getInputRescalingDescriptor();
    }

    @Override
    public InflightDataRescalingDescriptor getOutputRescalingDescriptor() {
        return states.getOutputRescalingDescriptor();
    }

    @Override
    public boolean isTaskDeployedAsFinished() {
        return states.isTaskDeployedAsFinished();
    }

    @Override
    public Optional<Long> getRestoreCheckpointId() {
        return states.getRestoreCheckpointId();
    }

    @Override
    public Optional<OperatorSubtaskState> getSubtaskJobManagerRestoredState(OperatorID operator) {
        return states.getSubtaskJobManagerRestoredState(operator);
    }

    @Override
    @Nullable
    public StateChangelogStorage<?> getStateChangelogStorage() {
        return states.getStateChangelogStorage();
    }

    @Override
    @Nullable
    public StateChangelogStorageView<?> getStateChangelogStorageView(
            Configuration configuration, ChangelogStateHandle changelog) {
        return states.getStateChangelogStorageView(configuration, changelog);
    }

    @Override
    @Nullable
    public FileMergingSnapshotManager getFileMergingSnapshotManager() {
        return states.getFileMergingSnapshotManager();
    }
}
