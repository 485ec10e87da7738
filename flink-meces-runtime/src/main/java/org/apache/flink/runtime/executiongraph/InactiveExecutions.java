// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.runtime.executiongraph;

import org.apache.flink.runtime.execution.ExecutionState;

/** Bridge: ends subtasks that were never deployed. Called by the JobMaster's main thread. */
public final class InactiveExecutions {

    private InactiveExecutions() {}

    /** A bounded job has finished when its inactive subtasks have, too. */
    public static void finish(ExecutionVertex vertex) {
        Execution execution = vertex.getCurrentExecutionAttempt();
        if (execution.getState() == ExecutionState.CREATED) {
            execution.transitionState(ExecutionState.DEPLOYING);
            execution.markFinished();
        }
    }
}
