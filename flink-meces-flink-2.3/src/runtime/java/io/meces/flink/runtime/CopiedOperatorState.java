// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import javax.annotation.Nullable;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.jobgraph.OperatorID;

/** How the state of an operator is made and copied. Not thread-safe. */
abstract class CopiedOperatorState extends OperatorState {
    private static final long serialVersionUID = 1L;

    CopiedOperatorState(OperatorID operator, int parallelism, int maxParallelism) {
        super(null, null, operator, parallelism, maxParallelism);
    }

    /** As it is shown. */
    @Override
    public final OperatorState copyWithNewIDs(@Nullable String uid, OperatorID operator) {
        OperatorState copy =
                new OperatorState(
                        getOperatorName().orElse(null),
                        uid,
                        operator,
                        getParallelism(),
                        getMaxParallelism());
        getSubtaskStates().forEach(copy::putState);
        return copy;
    }

    /** As it is shown; there are no records in flight. */
    @Override
    public final OperatorState copyAndDiscardInFlightData() {
        return copyWithNewIDs(getOperatorUid().orElse(null), getOperatorID());
    }
}
