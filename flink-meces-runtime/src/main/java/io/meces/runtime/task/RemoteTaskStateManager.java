// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import io.meces.flink.runtime.LocalRecovery;
import io.meces.runtime.sink.KafkaWriters;
import java.util.Set;
import javax.annotation.Nonnull;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.PrioritizedOperatorSubtaskState;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.TaskStateManager;

/**
 * Flink's own without local recovery: a local copy has the key-groups that a subtask had, and is
 * taken for what it is to restore. What a subtask that comes while the job runs is deployed with is
 * the format of its state ({@link StateFormat}), so it is not told that it was restored, but for
 * operators that number by checkpoints ({@link KafkaWriters}). Thread-safe as Flink's own.
 */
final class RemoteTaskStateManager extends DelegatingTaskStateManager {

    private final boolean isNew;
    private final Set<OperatorID> numbering;

    /**
     * @param isNew whether the subtask comes while the job runs
     * @param numbering operators of a new one that are told after which checkpoint they begin
     */
    RemoteTaskStateManager(TaskStateManager states, boolean isNew, Set<OperatorID> numbering) {
        super(states);
        this.isNew = isNew;
        this.numbering = numbering;
    }

    @Nonnull
    @Override
    public LocalRecoveryConfig createLocalRecoveryConfig() {
        return LocalRecovery.without(super.createLocalRecoveryConfig());
    }

    @Nonnull
    @Override
    public PrioritizedOperatorSubtaskState prioritizedOperatorState(OperatorID operator) {
        PrioritizedOperatorSubtaskState state = super.prioritizedOperatorState(operator);
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
