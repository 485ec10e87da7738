// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.failure.FailureEnricher;
import org.apache.flink.runtime.blob.BlobWriter;
import org.apache.flink.runtime.checkpoint.CheckpointRecoveryFactory;
import org.apache.flink.runtime.concurrent.ComponentMainThreadExecutor;
import org.apache.flink.runtime.executiongraph.JobStatusListener;
import org.apache.flink.runtime.io.network.partition.JobMasterPartitionTracker;
import org.apache.flink.runtime.jobmaster.ExecutionDeploymentTracker;
import org.apache.flink.runtime.jobmaster.slotpool.SlotPool;
import org.apache.flink.runtime.metrics.groups.JobManagerJobMetricGroup;
import org.apache.flink.runtime.shuffle.ShuffleMaster;
import org.slf4j.Logger;

/** What the JobMaster gives a scheduler that it has made, but for the job graph. Immutable. */
public final class SchedulerParameters {

    public final Logger log;
    public final Executor ioExecutor;
    public final Configuration configuration;
    public final SlotPool slotPool;
    public final JobSlots slots;
    public final ScheduledExecutorService futureExecutor;
    public final ClassLoader userCode;
    public final CheckpointRecoveryFactory checkpointRecovery;
    public final Duration rpcTimeout;
    public final BlobWriter blobWriter;
    public final JobManagerJobMetricGroup metrics;
    public final Duration slotRequestTimeout;

    /** That of the cluster. */
    public final ShuffleMaster<?> shuffleMaster;

    public final JobMasterPartitionTracker partitionTracker;
    public final ExecutionDeploymentTracker deploymentTracker;
    public final long initializationTimestamp;
    public final ComponentMainThreadExecutor mainThread;
    public final JobStatusListener statusListener;
    public final Collection<FailureEnricher> failureEnrichers;

    SchedulerParameters(
            Logger log,
            Executor ioExecutor,
            Configuration configuration,
            JobSlots slots,
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
            JobStatusListener statusListener,
            Collection<FailureEnricher> failureEnrichers) {
        this.log = log;
        this.ioExecutor = ioExecutor;
        this.configuration = configuration;
        this.slotPool = slots.pool();
        this.slots = slots;
        this.futureExecutor = futureExecutor;
        this.userCode = userCode;
        this.checkpointRecovery = checkpointRecovery;
        this.rpcTimeout = rpcTimeout;
        this.blobWriter = blobWriter;
        this.metrics = metrics;
        this.slotRequestTimeout = slotRequestTimeout;
        this.shuffleMaster = shuffleMaster;
        this.partitionTracker = partitionTracker;
        this.deploymentTracker = deploymentTracker;
        this.initializationTimestamp = initializationTimestamp;
        this.mainThread = mainThread;
        this.statusListener = statusListener;
        this.failureEnrichers = failureEnrichers;
    }
}
