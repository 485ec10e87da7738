// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.scheduler;

import io.meces.flink.runtime.Deployments;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.jobgraph.IntermediateResultPartitionID;
import org.apache.flink.runtime.scheduler.SchedulerOperations;
import org.apache.flink.runtime.scheduler.strategy.ExecutionVertexID;
import org.apache.flink.runtime.scheduler.strategy.SchedulingExecutionVertex;
import org.apache.flink.runtime.scheduler.strategy.SchedulingStrategy;
import org.apache.flink.runtime.scheduler.strategy.SchedulingTopology;

/**
 * Deploys the active subtasks, all at once, as Flink does for streaming jobs. Owned by the
 * JobMaster's main thread.
 */
final class ActiveSchedulingStrategy implements SchedulingStrategy {

    private final SchedulerOperations operations;
    private final SchedulingTopology topology;
    private final Predicate<ExecutionVertexID> active;

    ActiveSchedulingStrategy(
            SchedulerOperations operations,
            SchedulingTopology topology,
            Predicate<ExecutionVertexID> active) {
        this.operations = operations;
        this.topology = topology;
        this.active = active;
    }

    @Override
    public void startScheduling() {
        Set<ExecutionVertexID> all = new HashSet<>();
        topology.getVertices().forEach(v -> all.add(v.getId()));
        restartTasks(all);
    }

    @Override
    public void restartTasks(Set<ExecutionVertexID> subtasks) {
        List<ExecutionVertexID> deployed = new ArrayList<>();
        // in topological order: producers are registered before their consumers
        for (SchedulingExecutionVertex vertex : topology.getVertices()) {
            if (subtasks.contains(vertex.getId()) && active.test(vertex.getId())) {
                deployed.add(vertex.getId());
            }
        }
        Deployments.deploy(operations, deployed);
    }

    @Override
    public void onExecutionStateChange(ExecutionVertexID subtask, ExecutionState state) {
        // all are deployed at once
    }

    @Override
    public void onPartitionConsumable(IntermediateResultPartitionID partition) {
        // all are deployed at once
    }
}
