// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.runtime.scheduler;

import io.meces.flink.runtime.Gateways;
import io.meces.flink.runtime.RestartStrategy;
import io.meces.flink.runtime.SchedulerParameters;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.runtime.checkpoint.CheckpointRecoveryFactory;
import org.apache.flink.runtime.checkpoint.CheckpointsCleaner;
import org.apache.flink.runtime.executiongraph.ArchivedExecutionGraph;
import org.apache.flink.runtime.executiongraph.JobStatusListener;
import org.apache.flink.runtime.executiongraph.failover.FailoverStrategyFactoryLoader;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.scheduler.adaptivebatch.NonAdaptiveExecutionPlanSchedulingContext;
import org.apache.flink.runtime.scheduler.strategy.SchedulingStrategyFactory;
import org.apache.flink.runtime.shuffle.ShuffleMaster;
import org.apache.flink.util.concurrent.ScheduledExecutorServiceAdapter;

/** Bridge: of what Flink's scheduler is made. Owned by the JobMaster's main thread. */
abstract class SchedulerOfLine extends DefaultScheduler {

    SchedulerOfLine(
            SchedulerParameters parameters,
            JobGraph jobGraph,
            CheckpointRecoveryFactory checkpointRecovery,
            ShuffleMaster<?> shuffleMaster,
            SchedulingStrategyFactory schedulingStrategy,
            RestartStrategy restarts,
            SchedulerBridge.Parts parts)
            throws Exception {
        super(
                parameters.log,
                jobGraph,
                parameters.ioExecutor,
                parameters.configuration,
                parts.components.getStartUpAction(),
                new ScheduledExecutorServiceAdapter(parameters.futureExecutor),
                parameters.userCode,
                new CheckpointsCleaner(
                        parameters.configuration.get(CheckpointingOptions.CLEANER_PARALLEL_MODE)),
                checkpointRecovery,
                parameters.metrics,
                schedulingStrategy,
                FailoverStrategyFactoryLoader.loadFailoverStrategyFactory(parameters.configuration),
                restarts,
                new DefaultExecutionOperations(),
                new ExecutionVertexVersioner(),
                parts.components.getAllocatorFactory(),
                parameters.initializationTimestamp,
                parameters.mainThread,
                statusListener(parameters),
                parameters.failureEnrichers,
                parts.graphs(parameters, shuffleMaster),
                shuffleMaster,
                Gateways.timeout(parameters.rpcTimeout),
                computeVertexParallelismStore(jobGraph),
                new DefaultExecutionDeployer.Factory(),
                NonAdaptiveExecutionPlanSchedulingContext.INSTANCE);
    }

    /** The slot pool takes all slots that come while the job restarts. */
    private static JobStatusListener statusListener(SchedulerParameters parameters) {
        return (job, status, timestamp) -> {
            parameters.slotPool.setIsJobRestarting(status == JobStatus.RESTARTING);
            parameters.statusListener.jobStatusChanges(job, status, timestamp);
        };
    }

    /** What is told of a job, with another graph. */
    static ExecutionGraphInfo with(ExecutionGraphInfo job, ArchivedExecutionGraph shown) {
        return new ExecutionGraphInfo(
                shown,
                job.getExceptionHistory(),
                job.getSchedulerType(),
                job.getJobRescaleConfigInfo(),
                job.getRescalesStatsSnapshot());
    }
}
