/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package org.apache.flink.runtime.scheduler;

import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import javax.annotation.Nullable;
import org.apache.flink.api.common.time.Time;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.blob.BlobWriter;
import org.apache.flink.runtime.checkpoint.CheckpointCoordinator;
import org.apache.flink.runtime.checkpoint.CheckpointRecoveryFactory;
import org.apache.flink.runtime.concurrent.ScheduledExecutorServiceAdapter;
import org.apache.flink.runtime.executiongraph.failover.flip1.FailoverStrategyFactoryLoader;
import org.apache.flink.runtime.executiongraph.failover.flip1.RestartBackoffTimeStrategy;
import org.apache.flink.runtime.io.network.partition.JobMasterPartitionTracker;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobmaster.ExecutionDeploymentTracker;
import org.apache.flink.runtime.jobmaster.slotpool.SlotPool;
import org.apache.flink.runtime.metrics.groups.JobManagerJobMetricGroup;
import org.apache.flink.runtime.rest.handler.legacy.backpressure.BackPressureStatsTracker;
import org.apache.flink.runtime.scheduler.strategy.ExecutionVertexID;
import org.apache.flink.runtime.scheduler.strategy.SchedulingStrategyFactory;
import org.apache.flink.runtime.shuffle.ShuffleMaster;
import org.slf4j.Logger;

/**
 * Bridge: what Flink's scheduler keeps package-private: of what it is made, its checkpoint
 * coordinator and its slot allocator. Owned by the JobMaster's main thread.
 */
public abstract class SchedulerBridge extends DefaultScheduler {

    private final Parts parts;

    protected SchedulerBridge(
            Logger log,
            JobGraph jobGraph,
            BackPressureStatsTracker backPressure,
            Executor ioExecutor,
            Configuration configuration,
            ScheduledExecutorService futureExecutor,
            ClassLoader userCode,
            CheckpointRecoveryFactory checkpointRecovery,
            Time rpcTimeout,
            BlobWriter blobWriter,
            JobManagerJobMetricGroup metrics,
            ShuffleMaster<?> shuffleMaster,
            JobMasterPartitionTracker partitionTracker,
            SchedulingStrategyFactory schedulingStrategy,
            RestartBackoffTimeStrategy restarts,
            Parts parts,
            ExecutionDeploymentTracker deploymentTracker,
            long initializationTimestamp)
            throws Exception {
        super(
                log,
                jobGraph,
                backPressure,
                ioExecutor,
                configuration,
                parts.components.getStartUpAction(),
                futureExecutor,
                new ScheduledExecutorServiceAdapter(futureExecutor),
                userCode,
                checkpointRecovery,
                rpcTimeout,
                blobWriter,
                metrics,
                shuffleMaster,
                partitionTracker,
                schedulingStrategy,
                FailoverStrategyFactoryLoader.loadFailoverStrategyFactory(configuration),
                restarts,
                new DefaultExecutionVertexOperations(),
                new ExecutionVertexVersioner(),
                parts::makeAllocator,
                deploymentTracker,
                initializationTimestamp);
        this.parts = parts;
    }

    /** Null if the job has no checkpoints. */
    @Nullable
    protected final CheckpointCoordinator checkpointCoordinator() {
        return getCheckpointCoordinator();
    }

    public final void cancelSlotRequest(ExecutionVertexID subtask) {
        parts.allocator.cancel(subtask);
    }

    /** What Flink makes a scheduler of, as the configuration says. */
    public static final class Parts {

        final DefaultSchedulerComponents components;

        /** The default scheduler keeps it to itself. */
        ExecutionSlotAllocator allocator;

        public Parts(
                JobGraph jobGraph,
                Configuration configuration,
                SlotPool slotPool,
                Time slotRequestTimeout) {
            components =
                    DefaultSchedulerComponents.createSchedulerComponents(
                            jobGraph.getScheduleMode(),
                            jobGraph.isApproximateLocalRecoveryEnabled(),
                            configuration,
                            slotPool,
                            slotRequestTimeout);
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
