// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import io.meces.flink.runtime.LocalRecovery;
import io.meces.runtime.sink.KafkaWriters;
import java.util.Set;
import javax.annotation.Nonnull;
import javax.annotation.Nullable;
import org.apache.flink.runtime.checkpoint.CheckpointMetaData;
import org.apache.flink.runtime.checkpoint.CheckpointMetrics;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.PrioritizedOperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.TaskStateSnapshot;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.TaskStateManager;

/**
 * Flink's own, but that a local copy is not taken for what a subtask is to restore because it has
 * as many key-groups ({@link LocalRecovery}). What a subtask that comes while the job runs is
 * deployed with is the format of its state ({@link StateFormat}), so it is not told that it was
 * restored, but for operators that number by checkpoints ({@link KafkaWriters}). Thread-safe as
 * Flink's own.
 */
final class ElasticTaskStateManager extends DelegatingTaskStateManager {

    private final boolean isNew;
    private final Set<OperatorID> numbering;

    /**
     * @param isNew whether the subtask comes while the job runs
     * @param numbering operators of a new one that are told after which checkpoint they begin
     */
    ElasticTaskStateManager(TaskStateManager states, boolean isNew, Set<OperatorID> numbering) {
        super(states);
        this.isNew = isNew;
        this.numbering = numbering;
    }

    @Nonnull
    @Override
    public LocalRecoveryConfig createLocalRecoveryConfig() {
        return LocalRecovery.ofElastic(super.createLocalRecoveryConfig());
    }

    @Override
    public void reportTaskStateSnapshots(
            @Nonnull CheckpointMetaData checkpoint,
            @Nonnull CheckpointMetrics metrics,
            @Nullable TaskStateSnapshot acknowledgedState,
            @Nullable TaskStateSnapshot localState) {
        super.reportTaskStateSnapshots(
                checkpoint,
                metrics,
                acknowledgedState,
                localState == null || acknowledgedState == null
                        ? localState
                        : LocalRecovery.copies(acknowledgedState, localState));
    }

    @Nonnull
    @Override
    public PrioritizedOperatorSubtaskState prioritizedOperatorState(OperatorID operator) {
        PrioritizedOperatorSubtaskState state = restored(operator);
        if (!isNew || !state.isRestored()) {
            return state;
        }
        OperatorSubtaskState format =
                OperatorSubtaskState.builder()
                        .setManagedKeyedState(state.getJobManagerManagedKeyedState())
                        .setManagedOperatorState(state.getJobManagerManagedOperatorState())
                        .build();
        return numbering.contains(operator)
                ? begunAfterCheckpointOf(state, format)
                : notRestored(format);
    }
}
