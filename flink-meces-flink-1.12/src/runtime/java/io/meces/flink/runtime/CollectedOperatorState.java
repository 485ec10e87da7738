// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.Collection;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.SharedStateRegistry;

/**
 * The state of an operator that shows other things than have been collected. What has been
 * collected is what there is in files. Not thread-safe.
 */
public abstract class CollectedOperatorState extends OperatorState {
    private static final long serialVersionUID = 1L;

    protected CollectedOperatorState(OperatorID operator, int parallelism, int maxParallelism) {
        super(operator, parallelism, maxParallelism);
    }

    /** What has been collected. */
    protected abstract Collection<OperatorSubtaskState> collected();

    @Override
    public final void discardState() throws Exception {
        // not what is shown: that has several handles to a file
        for (OperatorSubtaskState state : collected()) {
            state.discardState();
        }
        if (getCoordinatorState() != null) {
            getCoordinatorState().discardState();
        }
    }

    @Override
    public final void registerSharedStates(SharedStateRegistry registry) {
        collected().forEach(state -> state.registerSharedStates(registry));
    }
}
