// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import io.meces.core.plan.VertexLayout;
import io.meces.flink.runtime.TaskInfos;
import io.meces.runtime.sink.KafkaWriters;
import io.meces.state.ElasticEnvironment;
import java.util.BitSet;
import java.util.Collections;
import java.util.Set;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.TaskStateManager;

/**
 * The environment of an elastic subtask. It tells the active parallelism at the deployment where
 * Flink's own would tell the capacity, and is Flink's own in all else.
 *
 * <p>A subtask that was activated in the running job has a task name of its own. What sinks derive
 * from name and index, such as Kafka's transactional ids, is then never that of an earlier subtask
 * with this index: that one's may be in the list state of any subtask, and in use.
 */
final class ElasticTaskEnvironment extends DelegatingEnvironment implements ElasticEnvironment {

    private final VertexLayout layout;
    private final TaskInfo taskInfo;
    private final TaskStateManager taskStateManager;
    private final Set<OperatorID> transactional;

    ElasticTaskEnvironment(Environment environment, VertexLayout layout) {
        super(environment);
        this.layout = layout;
        TaskInfo original = environment.getTaskInfo();
        boolean isNew = original.getIndexOfThisSubtask() >= layout.connected();
        this.transactional =
                isNew ? KafkaWriters.transactional(environment) : Collections.emptySet();
        this.taskStateManager =
                new ElasticTaskStateManager(
                        environment.getTaskStateManager(), isNew, transactional);
        String activation = layout.activation(original.getIndexOfThisSubtask());
        // Flink forbids an index beyond the parallelism
        int parallelism = Math.max(layout.parallelism(), original.getIndexOfThisSubtask() + 1);
        this.taskInfo =
                TaskInfos.replace(
                        original,
                        // in front, as sinks cut long names off
                        activation == null
                                ? original.getTaskName()
                                : activation + " " + original.getTaskName(),
                        parallelism);
    }

    @Override
    public int subGroups() {
        return layout.subGroups();
    }

    @Override
    public BitSet keyGroups() {
        return layout.keyGroupsOf(taskInfo.getIndexOfThisSubtask());
    }

    /**
     * Operators of a subtask that was activated in the running job that write in transactions. A
     * task forgets of what its operators were made, once it has made them.
     */
    Set<OperatorID> transactional() {
        return transactional;
    }

    @Override
    public TaskInfo getTaskInfo() {
        return taskInfo;
    }

    @Override
    public TaskStateManager getTaskStateManager() {
        return taskStateManager;
    }
}
