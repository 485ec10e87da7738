// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.runtime.scheduler;

import io.meces.flink.runtime.Gateways;
import io.meces.flink.runtime.RestartStrategy;
import io.meces.flink.runtime.SchedulerParameters;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.function.Supplier;
import javax.annotation.Nullable;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.CheckpointCoordinator;
import org.apache.flink.runtime.checkpoint.CheckpointRecoveryFactory;
import org.apache.flink.runtime.checkpoint.JobManagerTaskRestore;
import org.apache.flink.runtime.executiongraph.ArchivedExecutionGraph;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.executiongraph.ExecutionVertex;
import org.apache.flink.runtime.executiongraph.IOMetrics;
import org.apache.flink.runtime.executiongraph.PartitionConsumers;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.messages.webmonitor.JobDetails;
import org.apache.flink.runtime.scheduler.strategy.ExecutionVertexID;
import org.apache.flink.runtime.scheduler.strategy.SchedulingStrategyFactory;
import org.apache.flink.runtime.shuffle.ShuffleMaster;
import org.apache.flink.util.FlinkException;

/**
 * Bridge: what Flink's scheduler keeps package-private: of what it is made, its checkpoint
 * coordinator and its slot allocator; and what of it is not the same in all lines. Owned by the
 * JobMaster's main thread.
 */
public abstract class SchedulerBridge extends SchedulerOfLine {

    private final ClassLoader userCode;
    private final Duration rpcTimeout;
    private final Set<ExecutionAttemptID> finishedBefore = new HashSet<>();

    protected SchedulerBridge(
            SchedulerParameters parameters,
            JobGraph jobGraph,
            CheckpointRecoveryFactory checkpointRecovery,
            ShuffleMaster<?> shuffleMaster,
            SchedulingStrategyFactory schedulingStrategy,
            RestartStrategy restarts,
            Parts parts)
            throws Exception {
        super(
                parameters,
                jobGraph,
                checkpointRecovery,
                shuffleMaster,
                schedulingStrategy,
                restarts,
                parts);
        this.userCode = parameters.userCode;
        this.rpcTimeout = parameters.rpcTimeout;
    }

    /** Null if the job has no checkpoints. */
    @Nullable
    protected final CheckpointCoordinator checkpointCoordinator() {
        return getCheckpointCoordinator();
    }

    public final void cancelSlotRequest(ExecutionVertexID subtask) {
        executionSlotAllocator.cancel(
                getExecutionVertex(subtask).getCurrentExecutionAttempt().getAttemptId());
    }

    /** Has the consumers of a subtask that run know where it is. */
    protected final void publishPartitions(ExecutionVertex producer) {
        PartitionConsumers.update(producer, rpcTimeout);
    }

    // ------------------------------------------------------------------------
    //  What is done at what Flink does
    // ------------------------------------------------------------------------

    /** What is shown of the job. */
    protected abstract ArchivedExecutionGraph shown(ArchivedExecutionGraph job);

    /** What is shown of the job in short, where that is not made of the other. */
    protected abstract JobDetails shown(JobDetails details);

    /** The subtasks of a vertex that are deployed, in order; null: all are. */
    @Nullable
    protected abstract List<Execution> deployed(JobVertexID vertex);

    /**
     * A subtask has failed.
     *
     * @return whether Flink is to do what it does then
     */
    protected abstract boolean onFailed(ExecutionVertexID subtask, @Nullable Throwable error);

    /** A subtask has finished, and Flink has done what it does then. */
    protected abstract void onFinished(ExecutionVertexID subtask, ExecutionAttemptID attempt);

    /** A savepoint has been asked for, which may have failed already. */
    protected abstract void onSavepointAsked(CompletableFuture<String> savepoint);

    /**
     * The job is to be stopped with a savepoint.
     *
     * @param flinks stops it
     */
    protected abstract CompletableFuture<String> stopWithSavepoint(
            @Nullable String directory, Supplier<CompletableFuture<String>> flinks);

    /** The JobMaster ends. Flink does this last, also to a job that has ended. */
    protected abstract void onClosed(Throwable cause);

    @Override
    public final ExecutionGraphInfo requestJob() {
        ExecutionGraphInfo job = super.requestJob();
        return with(job, shown(job.getArchivedExecutionGraph()));
    }

    /** Descriptors of partitions that are kept say how elastic vertices stood earlier. */
    @Override
    public final void allocateSlotsAndDeploy(List<ExecutionVertexID> subtasks) {
        PartitionConsumers.forgetDescriptors(getExecutionGraph());
        finishedBefore.retainAll(getExecutionGraph().getRegisteredExecutions().keySet());
        for (ExecutionVertexID subtask : subtasks) {
            Execution attempt = getExecutionVertex(subtask).getCurrentExecutionAttempt();
            JobManagerTaskRestore restored = attempt.getTaskRestore();
            if (restored != null && restored.getTaskStateSnapshot().isTaskDeployedAsFinished()) {
                finishedBefore.add(attempt.getAttemptId());
            }
        }
        super.allocateSlotsAndDeploy(subtasks);
    }

    /**
     * Whether an attempt had nothing to do from the beginning, as a checkpoint has it that its
     * vertex had finished. It may run until there is another checkpoint, and fails if it is told
     * anything.
     */
    public final boolean hasFinishedBefore(ExecutionAttemptID attempt) {
        return finishedBefore.contains(attempt);
    }

    @Override
    protected final void onTaskFailed(Execution execution) {
        Throwable error =
                execution
                        .getFailureInfo()
                        .map(info -> info.getException().deserializeError(userCode))
                        .orElse(null);
        if (onFailed(execution.getVertex().getID(), error)) {
            super.onTaskFailed(execution);
        }
    }

    @Override
    protected final void onTaskFinished(Execution execution, IOMetrics metrics) {
        super.onTaskFinished(execution, metrics);
        onFinished(execution.getVertex().getID(), execution.getAttemptId());
    }

    @Override
    public final CompletableFuture<String> triggerSavepoint(
            String directory, boolean cancelJob, SavepointFormatType format) {
        CompletableFuture<String> savepoint = super.triggerSavepoint(directory, cancelJob, format);
        onSavepointAsked(savepoint);
        return savepoint;
    }

    @Override
    public final CompletableFuture<String> stopWithSavepoint(
            @Nullable String directory, boolean terminate, SavepointFormatType format) {
        return stopWithSavepoint(
                directory, () -> super.stopWithSavepoint(directory, terminate, format));
    }

    @Override
    public final CompletableFuture<Void> closeAsync() {
        onClosed(new FlinkException("The JobMaster ends."));
        return super.closeAsync();
    }

    /** Subtasks that are not deployed have no data that could end. */
    @Override
    public final void notifyEndOfData(ExecutionAttemptID attempt) {
        List<Execution> deployed = deployed(attempt.getJobVertexId());
        if (deployed != null) {
            ExecutionVertex[] all =
                    getExecutionJobVertex(attempt.getJobVertexId()).getTaskVertices();
            for (int i = deployed.size(); i < all.length; i++) {
                getVertexEndOfDataListener()
                        .recordTaskEndOfData(all[i].getCurrentExecutionAttempt().getAttemptId());
            }
        }
        super.notifyEndOfData(attempt);
    }

    /** What Flink makes a scheduler of, as the configuration says. */
    public static final class Parts {

        final DefaultSchedulerComponents components;
        @Nullable private final Predicate<ExecutionVertexID> connected;

        /**
         * @param connected whether a subtask takes part in the job; null: all do. Asked in the main
         *     thread
         */
        public Parts(
                JobGraph jobGraph,
                SchedulerParameters parameters,
                @Nullable Predicate<ExecutionVertexID> connected) {
            this.components =
                    DefaultSchedulerComponents.createSchedulerComponents(
                            jobGraph.getJobType(),
                            jobGraph.isApproximateLocalRecoveryEnabled(),
                            parameters.configuration,
                            parameters.slotPool,
                            Gateways.timeout(parameters.slotRequestTimeout));
            this.connected = connected;
        }

        public SchedulingStrategyFactory schedulingStrategy() {
            return components.getSchedulingStrategyFactory();
        }

        ExecutionGraphFactory graphs(
                SchedulerParameters parameters, ShuffleMaster<?> shuffleMaster) {
            ExecutionGraphFactory flinks =
                    new DefaultExecutionGraphFactory(
                            parameters.configuration,
                            parameters.userCode,
                            parameters.deploymentTracker,
                            parameters.futureExecutor,
                            parameters.ioExecutor,
                            Gateways.timeout(parameters.rpcTimeout),
                            parameters.metrics,
                            parameters.blobWriter,
                            shuffleMaster,
                            parameters.partitionTracker);
            return connected == null ? flinks : new ElasticGraphs(flinks, connected);
        }
    }
}
