// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.runtime.scheduler;

import io.meces.flink.runtime.ActiveBackPressure;
import io.meces.flink.runtime.Gateways;
import io.meces.flink.runtime.RestartStrategy;
import io.meces.flink.runtime.SchedulerParameters;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.function.Supplier;
import javax.annotation.Nullable;
import org.apache.flink.runtime.checkpoint.CheckpointCoordinator;
import org.apache.flink.runtime.checkpoint.CheckpointRecoveryFactory;
import org.apache.flink.runtime.concurrent.ScheduledExecutorServiceAdapter;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.ArchivedExecutionGraph;
import org.apache.flink.runtime.executiongraph.Execution;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.executiongraph.ExecutionVertex;
import org.apache.flink.runtime.executiongraph.TaskExecutionStateTransition;
import org.apache.flink.runtime.executiongraph.failover.flip1.FailoverStrategyFactoryLoader;
import org.apache.flink.runtime.io.network.partition.ResultPartitionID;
import org.apache.flink.runtime.jobgraph.IntermediateResultPartitionID;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.messages.webmonitor.JobDetails;
import org.apache.flink.runtime.rest.handler.legacy.backpressure.OperatorBackPressureStats;
import org.apache.flink.runtime.scheduler.strategy.ExecutionVertexID;
import org.apache.flink.runtime.scheduler.strategy.SchedulingStrategyFactory;
import org.apache.flink.runtime.shuffle.ShuffleMaster;
import org.apache.flink.util.FlinkException;

/**
 * Bridge: what Flink's scheduler keeps package-private: of what it is made, its checkpoint
 * coordinator and its slot allocator; and what of it is not the same in all lines. Owned by the
 * JobMaster's main thread.
 */
public abstract class SchedulerBridge extends DefaultScheduler {

    private final Parts parts;
    private final ClassLoader userCode;
    private final ActiveBackPressure backPressure;

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
                parameters.log,
                jobGraph,
                parameters.backPressure,
                parameters.ioExecutor,
                parameters.configuration,
                parts.components.getStartUpAction(),
                parameters.futureExecutor,
                new ScheduledExecutorServiceAdapter(parameters.futureExecutor),
                parameters.userCode,
                checkpointRecovery,
                Gateways.timeout(parameters.rpcTimeout),
                parameters.blobWriter,
                parameters.metrics,
                shuffleMaster,
                parameters.partitionTracker,
                schedulingStrategy,
                FailoverStrategyFactoryLoader.loadFailoverStrategyFactory(parameters.configuration),
                restarts,
                new DefaultExecutionVertexOperations(),
                new ExecutionVertexVersioner(),
                parts::makeAllocator,
                parameters.deploymentTracker,
                parameters.initializationTimestamp);
        this.parts = parts;
        this.userCode = parameters.userCode;
        this.backPressure = ActiveBackPressure.of(parameters);
    }

    /** Null if the job has no checkpoints. */
    @Nullable
    protected final CheckpointCoordinator checkpointCoordinator() {
        return getCheckpointCoordinator();
    }

    /** Whether an attempt had nothing to do from the beginning; in this line none has. */
    public final boolean hasFinishedBefore(ExecutionAttemptID attempt) {
        return false;
    }

    public final void cancelSlotRequest(ExecutionVertexID subtask) {
        parts.allocator.cancel(subtask);
    }

    /** Has the consumers of a subtask that run know where it is. */
    protected final void publishPartitions(ExecutionVertex producer) {
        for (IntermediateResultPartitionID partition : producer.getProducedPartitions().keySet()) {
            scheduleOrUpdateConsumers(
                    new ResultPartitionID(
                            partition, producer.getCurrentExecutionAttempt().getAttemptId()));
        }
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
    public final ArchivedExecutionGraph requestJob() {
        return shown(super.requestJob());
    }

    @Override
    public final JobDetails requestJobDetails() {
        return shown(super.requestJobDetails());
    }

    @Override
    public final Optional<OperatorBackPressureStats> requestOperatorBackPressureStats(
            JobVertexID vertex) throws FlinkException {
        List<Execution> deployed = deployed(vertex);
        return deployed == null
                ? super.requestOperatorBackPressureStats(vertex)
                : backPressure.of(vertex, deployed, getMainThreadExecutor());
    }

    @Override
    protected final void updateTaskExecutionStateInternal(
            ExecutionVertexID subtask, TaskExecutionStateTransition transition) {
        if (transition.getExecutionState() == ExecutionState.FAILED
                && !onFailed(subtask, transition.getError(userCode))) {
            return;
        }
        super.updateTaskExecutionStateInternal(subtask, transition);
        if (transition.getExecutionState() == ExecutionState.FINISHED) {
            onFinished(subtask, transition.getID());
        }
    }

    @Override
    public final CompletableFuture<String> triggerSavepoint(String directory, boolean cancelJob) {
        CompletableFuture<String> savepoint = super.triggerSavepoint(directory, cancelJob);
        onSavepointAsked(savepoint);
        return savepoint;
    }

    @Override
    public final CompletableFuture<String> stopWithSavepoint(String directory, boolean terminate) {
        return stopWithSavepoint(directory, () -> super.stopWithSavepoint(directory, terminate));
    }

    @Override
    public final void suspend(Throwable cause) {
        onClosed(cause);
        super.suspend(cause);
    }

    /** What Flink makes a scheduler of, as the configuration says. */
    public static final class Parts {

        final DefaultSchedulerComponents components;

        /** The default scheduler keeps it to itself. */
        ExecutionSlotAllocator allocator;

        /**
         * @param connected whether a subtask takes part in the job; null: all do. Later lines ask
         */
        public Parts(
                JobGraph jobGraph,
                SchedulerParameters parameters,
                @Nullable Predicate<ExecutionVertexID> connected) {
            components =
                    DefaultSchedulerComponents.createSchedulerComponents(
                            jobGraph.getScheduleMode(),
                            jobGraph.isApproximateLocalRecoveryEnabled(),
                            parameters.configuration,
                            parameters.slotPool,
                            Gateways.timeout(parameters.slotRequestTimeout));
        }

        public SchedulingStrategyFactory schedulingStrategy() {
            return components.getSchedulingStrategyFactory();
        }

        ExecutionSlotAllocator makeAllocator(ExecutionSlotAllocationContext context) {
            allocator = components.getAllocatorFactory().createInstance(context);
            return allocator;
        }
    }
}
