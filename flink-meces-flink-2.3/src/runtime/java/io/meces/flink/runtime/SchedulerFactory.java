// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.flink.api.common.ApplicationID;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.JobManagerOptions.SchedulerType;
import org.apache.flink.core.failure.FailureEnricher;
import org.apache.flink.runtime.blob.BlobWriter;
import org.apache.flink.runtime.blocklist.BlocklistOperations;
import org.apache.flink.runtime.checkpoint.CheckpointRecoveryFactory;
import org.apache.flink.runtime.concurrent.ComponentMainThreadExecutor;
import org.apache.flink.runtime.executiongraph.JobStatusListener;
import org.apache.flink.runtime.io.network.partition.JobMasterPartitionTracker;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobType;
import org.apache.flink.runtime.jobmaster.DefaultSlotPoolServiceSchedulerFactory;
import org.apache.flink.runtime.jobmaster.ExecutionDeploymentTracker;
import org.apache.flink.runtime.jobmaster.SlotPoolServiceSchedulerFactory;
import org.apache.flink.runtime.jobmaster.slotpool.DeclarativeSlotPoolFactory;
import org.apache.flink.runtime.jobmaster.slotpool.SlotPoolService;
import org.apache.flink.runtime.metrics.groups.JobManagerJobMetricGroup;
import org.apache.flink.runtime.rpc.FatalErrorHandler;
import org.apache.flink.runtime.scheduler.SchedulerNG;
import org.apache.flink.runtime.shuffle.ShuffleMaster;
import org.apache.flink.streaming.api.graph.ExecutionPlan;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.slf4j.Logger;

/** Makes schedulers of what the JobMaster gives. */
public abstract class SchedulerFactory {

    /**
     * Makes the scheduler of a job.
     *
     * @param jobGraph as submitted
     */
    protected abstract SchedulerNG create(JobGraph jobGraph, SchedulerParameters parameters)
            throws Exception;

    /** For one job. A job that Flink does not give its default scheduler keeps that of Flink. */
    SlotPoolServiceSchedulerFactory of(ExecutionPlan job, Configuration configuration) {
        SlotPoolServiceSchedulerFactory flinks =
                DefaultSlotPoolServiceSchedulerFactory.fromConfiguration(
                        configuration, job.getJobType(), job.isDynamic());
        return job.getJobType() == JobType.STREAMING
                        && flinks.getSchedulerType() == SchedulerType.Default
                ? new OfJob(flinks)
                : flinks;
    }

    /** Flink's, with a scheduler of ours. The JobMaster asks for the slots first. */
    private final class OfJob implements SlotPoolServiceSchedulerFactory {

        private final SlotPoolServiceSchedulerFactory flinks;

        OfJob(SlotPoolServiceSchedulerFactory flinks) {
            this.flinks = flinks;
        }

        @Override
        public SlotPoolService createSlotPoolService(
                JobID job,
                ApplicationID application,
                DeclarativeSlotPoolFactory pools,
                ComponentMainThreadExecutor mainThread) {
            return new JobSlots(flinks.createSlotPoolService(job, application, pools, mainThread));
        }

        @Override
        public SchedulerType getSchedulerType() {
            return SchedulerType.Default;
        }

        @Override
        public SchedulerNG createScheduler(
                Logger log,
                ExecutionPlan job,
                Executor ioExecutor,
                Configuration configuration,
                SlotPoolService slots,
                ScheduledExecutorService futureExecutor,
                ClassLoader userCode,
                CheckpointRecoveryFactory checkpointRecovery,
                Duration rpcTimeout,
                BlobWriter blobWriter,
                JobManagerJobMetricGroup metrics,
                Duration slotRequestTimeout,
                ShuffleMaster<?> shuffleMaster,
                JobMasterPartitionTracker partitionTracker,
                ExecutionDeploymentTracker deploymentTracker,
                long initializationTimestamp,
                ComponentMainThreadExecutor mainThread,
                FatalErrorHandler fatalErrors,
                JobStatusListener statusListener,
                Collection<FailureEnricher> failureEnrichers,
                BlocklistOperations blocklist)
                throws Exception {
            return create(
                    job instanceof JobGraph
                            ? (JobGraph) job
                            : ((StreamGraph) job).getJobGraph(userCode),
                    new SchedulerParameters(
                            log,
                            ioExecutor,
                            configuration,
                            (JobSlots) slots,
                            futureExecutor,
                            userCode,
                            checkpointRecovery,
                            rpcTimeout,
                            blobWriter,
                            metrics,
                            slotRequestTimeout,
                            shuffleMaster,
                            partitionTracker,
                            deploymentTracker,
                            initializationTimestamp,
                            mainThread,
                            statusListener,
                            failureEnrichers));
        }
    }
}
