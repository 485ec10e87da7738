// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.runtime.scheduler;

import io.meces.flink.runtime.CheckpointStarts;
import java.util.function.Predicate;
import org.apache.flink.runtime.checkpoint.CheckpointIDCounter;
import org.apache.flink.runtime.checkpoint.CheckpointStatsTracker;
import org.apache.flink.runtime.checkpoint.CheckpointsCleaner;
import org.apache.flink.runtime.checkpoint.CompletedCheckpointStore;
import org.apache.flink.runtime.checkpoint.ElasticCheckpointPlans;
import org.apache.flink.runtime.deployment.TaskDeploymentDescriptorFactory.PartitionLocationConstraint;
import org.apache.flink.runtime.executiongraph.ExecutionGraph;
import org.apache.flink.runtime.executiongraph.ExecutionStateUpdateListener;
import org.apache.flink.runtime.executiongraph.MarkPartitionFinishedStrategy;
import org.apache.flink.runtime.executiongraph.VertexAttemptNumberStore;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.scheduler.adaptivebatch.ExecutionPlanSchedulingContext;
import org.apache.flink.runtime.scheduler.strategy.ExecutionVertexID;
import org.slf4j.Logger;

/**
 * Bridge: makes execution graphs in which consumers can be deployed before all of their producers
 * are known, and checkpoints be taken while some subtasks do not run. Has no state of its own.
 */
final class ElasticGraphs implements ExecutionGraphFactory {

    private final ExecutionGraphFactory flinks;
    private final Predicate<ExecutionVertexID> connected;

    ElasticGraphs(ExecutionGraphFactory flinks, Predicate<ExecutionVertexID> connected) {
        this.flinks = flinks;
        this.connected = connected;
    }

    @Override
    public ExecutionGraph createAndRestoreExecutionGraph(
            JobGraph jobGraph,
            CompletedCheckpointStore checkpoints,
            CheckpointsCleaner cleaner,
            CheckpointIDCounter ids,
            CheckpointStatsTracker statistics,
            PartitionLocationConstraint ofStreaming,
            long initializationTimestamp,
            VertexAttemptNumberStore attempts,
            VertexParallelismStore parallelisms,
            ExecutionStateUpdateListener listener,
            MarkPartitionFinishedStrategy finished,
            ExecutionPlanSchedulingContext context,
            Logger log)
            throws Exception {
        ExecutionGraph graph =
                flinks.createAndRestoreExecutionGraph(
                        jobGraph,
                        checkpoints,
                        cleaner,
                        ids,
                        statistics,
                        PartitionLocationConstraint.CAN_BE_UNKNOWN,
                        initializationTimestamp,
                        attempts,
                        parallelisms,
                        listener,
                        finished,
                        context,
                        log);
        ElasticCheckpointPlans.putInto(graph, connected);
        CheckpointStarts.ofJob(graph);
        return graph;
    }
}
