// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.api.common.functions.RuntimeContext;

/** What functions of tests know of their task. */
public final class Subtasks {

    private Subtasks() {}

    public static int index(RuntimeContext context) {
        return context.getTaskInfo().getIndexOfThisSubtask();
    }

    /** How many there are, as the task is told. */
    public static int parallelism(RuntimeContext context) {
        return context.getTaskInfo().getNumberOfParallelSubtasks();
    }
}
