// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.flink.api.common.time.Time;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.blob.BlobWriter;
import org.apache.flink.runtime.checkpoint.CheckpointRecoveryFactory;
import org.apache.flink.runtime.io.network.partition.JobMasterPartitionTracker;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobmaster.ExecutionDeploymentTracker;
import org.apache.flink.runtime.jobmaster.slotpool.SlotPool;
import org.apache.flink.runtime.metrics.groups.JobManagerJobMetricGroup;
import org.apache.flink.runtime.rest.handler.legacy.backpressure.BackPressureStatsTracker;
import org.apache.flink.runtime.scheduler.SchedulerNG;
import org.apache.flink.runtime.scheduler.SchedulerNGFactory;
import org.apache.flink.runtime.shuffle.ShuffleMaster;
import org.slf4j.Logger;

/** Makes schedulers of what the JobMaster gives. */
public abstract class SchedulerFactory implements SchedulerNGFactory {

    /**
     * Makes the scheduler of a job.
     *
     * @param jobGraph as submitted
     */
    protected abstract SchedulerNG create(JobGraph jobGraph, SchedulerParameters parameters)
            throws Exception;

    @Override
    public final SchedulerNG createInstance(
            Logger log,
            JobGraph jobGraph,
            BackPressureStatsTracker backPressure,
            Executor ioExecutor,
            Configuration configuration,
            SlotPool slotPool,
            ScheduledExecutorService futureExecutor,
            ClassLoader userCode,
            CheckpointRecoveryFactory checkpointRecovery,
            Time rpcTimeout,
            BlobWriter blobWriter,
            JobManagerJobMetricGroup metrics,
            Time slotRequestTimeout,
            ShuffleMaster<?> shuffleMaster,
            JobMasterPartitionTracker partitionTracker,
            ExecutionDeploymentTracker deploymentTracker,
            long initializationTimestamp)
            throws Exception {
        return create(
                jobGraph,
                new SchedulerParameters(
                        log,
                        backPressure,
                        ioExecutor,
                        configuration,
                        slotPool,
                        futureExecutor,
                        userCode,
                        checkpointRecovery,
                        Duration.ofMillis(rpcTimeout.toMilliseconds()),
                        blobWriter,
                        metrics,
                        Duration.ofMillis(slotRequestTimeout.toMilliseconds()),
                        shuffleMaster,
                        partitionTracker,
                        deploymentTracker,
                        initializationTimestamp));
    }
}
