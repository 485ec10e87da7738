// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.Collections;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.PrioritizedOperatorSubtaskState;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.TaskStateManager;

/** What only this line of Flink has of the states of a task. Thread-safe as Flink's own. */
public abstract class LineTaskStateManager implements TaskStateManager {

    protected final TaskStateManager states;

    protected LineTaskStateManager(TaskStateManager states) {
        this.states = states;
    }

    /** What an operator restores. */
    protected final PrioritizedOperatorSubtaskState restored(OperatorID operator) {
        return states.prioritizedOperatorState(operator);
    }

    /** State of an operator that is not told that it was restored. */
    protected static PrioritizedOperatorSubtaskState notRestored(OperatorSubtaskState state) {
        return new PrioritizedOperatorSubtaskState.Builder(state, Collections.emptyList(), false)
                .build();
    }

    /**
     * State of an operator that is told that it was restored: this line does not say from which.
     */
    protected static PrioritizedOperatorSubtaskState begunAfterCheckpointOf(
            PrioritizedOperatorSubtaskState other, OperatorSubtaskState state) {
        return new PrioritizedOperatorSubtaskState.Builder(
                        state, Collections.emptyList(), other.isRestored())
                .build();
    }
}
