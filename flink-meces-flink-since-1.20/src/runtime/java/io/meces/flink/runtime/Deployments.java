// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.List;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.scheduler.SchedulerOperations;
import org.apache.flink.runtime.scheduler.strategy.ExecutionVertexID;

/** How a scheduler is told to deploy subtasks. JobMaster's main thread. */
public final class Deployments {

    private Deployments() {}

    /** Whether a subtask has got as far as its task, which may still have to open its operators. */
    public static boolean isDone(ExecutionState state) {
        return state == ExecutionState.INITIALIZING || state == ExecutionState.RUNNING;
    }

    /** Deploys subtasks in this order, when there are slots for all. */
    public static void deploy(SchedulerOperations scheduler, List<ExecutionVertexID> subtasks) {
        scheduler.allocateSlotsAndDeploy(subtasks);
    }
}
