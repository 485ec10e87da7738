// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.jobgraph.OperatorID;

/** Makes states of operators without any part. Pure. */
public final class OperatorStates {

    private OperatorStates() {}

    /** Of the same operator, for other subtasks. */
    public static OperatorState like(OperatorState other, int parallelism) {
        return new OperatorState(
                other.getOperatorName().orElse(null),
                other.getOperatorUid().orElse(null),
                other.getOperatorID(),
                parallelism,
                other.getMaxParallelism());
    }

    /** An operator that no job has. */
    public static OperatorState of(OperatorID id, String name, int parallelism) {
        return new OperatorState(name, name, id, parallelism, parallelism);
    }

    /** Has it be called as another one. */
    public static void name(OperatorState state, OperatorState other) {
        state.setOperatorName(other.getOperatorName().orElse(null));
        state.setOperatorUid(other.getOperatorUid().orElse(null));
    }
}
