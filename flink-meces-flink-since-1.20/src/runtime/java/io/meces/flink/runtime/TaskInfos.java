// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.TaskInfoImpl;

/** What a task is told of itself. Pure. */
public final class TaskInfos {

    private TaskInfos() {}

    /** The same with another name and parallelism. */
    public static TaskInfo replace(TaskInfo task, String name, int parallelism) {
        return new TaskInfoImpl(
                name,
                task.getMaxNumberOfParallelSubtasks(),
                task.getIndexOfThisSubtask(),
                parallelism,
                task.getAttemptNumber(),
                task.getAllocationIDAsString());
    }
}
