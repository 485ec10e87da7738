// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.SharedStateRegistry;
import org.apache.flink.runtime.state.StateObject;

/**
 * The state of an operator that shows other things than have been collected. What has been
 * collected is what there is in files. Not thread-safe.
 */
public abstract class CollectedOperatorState extends CopiedOperatorState {
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
    public final List<StateObject> getDiscardables() {
        List<StateObject> all = new ArrayList<>();
        collected().forEach(state -> all.addAll(state.getDiscardables()));
        if (getCoordinatorState() != null) {
            all.add(getCoordinatorState());
        }
        return all;
    }

    @Override
    public final void registerSharedStates(SharedStateRegistry registry, long checkpoint) {
        collected().forEach(state -> state.registerSharedStates(registry, checkpoint));
    }

    @Override
    public final boolean hasSubtaskStates() {
        return !collected().isEmpty();
    }

    @Override
    public final void collectSizeStats(StateObjectSizeStatsCollector collector) {
        collected().forEach(state -> state.collectSizeStats(collector));
        if (getCoordinatorState() != null) {
            getCoordinatorState().collectSizeStats(collector);
        }
    }

    @Override
    public final long getCheckpointedSize() {
        long size = getCoordinatorState() == null ? 0 : getCoordinatorState().getStateSize();
        for (OperatorSubtaskState state : collected()) {
            size += state.getCheckpointedSize();
        }
        return size;
    }
}
