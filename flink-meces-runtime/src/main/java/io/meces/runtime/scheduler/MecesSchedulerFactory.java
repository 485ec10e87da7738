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

package io.meces.runtime.scheduler;

import io.meces.runtime.check.StartupCheck;
import io.meces.runtime.checkpoint.CheckpointGate;
import io.meces.runtime.checkpoint.MasterHookFactories;
import io.meces.runtime.checkpoint.RestoredCheckpoint;
import io.meces.runtime.graph.ElasticJobGraph;
import io.meces.runtime.shuffle.ElasticShuffleMaster;
import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import org.apache.flink.api.common.time.Time;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.blob.BlobWriter;
import org.apache.flink.runtime.checkpoint.CheckpointRecoveryFactory;
import org.apache.flink.runtime.executiongraph.failover.flip1.RestartBackoffTimeStrategyFactoryLoader;
import org.apache.flink.runtime.io.network.partition.JobMasterPartitionTracker;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.tasks.JobCheckpointingSettings;
import org.apache.flink.runtime.jobmaster.ExecutionDeploymentTracker;
import org.apache.flink.runtime.jobmaster.slotpool.SlotPool;
import org.apache.flink.runtime.metrics.groups.JobManagerJobMetricGroup;
import org.apache.flink.runtime.rest.handler.legacy.backpressure.BackPressureStatsTracker;
import org.apache.flink.runtime.scheduler.SchedulerBridge;
import org.apache.flink.runtime.scheduler.SchedulerNG;
import org.apache.flink.runtime.scheduler.SchedulerNGFactory;
import org.apache.flink.runtime.shuffle.ShuffleMaster;
import org.slf4j.Logger;

/** Makes the elastic scheduler of a job. */
public final class MecesSchedulerFactory implements SchedulerNGFactory {

    @Override
    public SchedulerNG createInstance(
            Logger log,
            JobGraph submitted,
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
        StartupCheck.checkJob(userCode);
        // A JobMaster that becomes leader again makes another scheduler, of the same job graph.
        JobGraph jobGraph = GraphCopy.of(submitted, userCode);
        RestoredCheckpoint restored =
                new RestoredCheckpoint(jobGraph, configuration, checkpointRecovery, userCode);
        ElasticJobGraph elastic =
                ElasticJobGraph.rewrite(jobGraph, configuration, userCode, restored);
        ElasticTopology topology = new ElasticTopology(elastic.vertices());
        CheckpointGate gate = new CheckpointGate(jobGraph.getCheckpointingSettings());
        if (!elastic.vertices().isEmpty()) {
            addHook(gate, jobGraph);
        }
        SchedulerBridge.Parts parts =
                new SchedulerBridge.Parts(jobGraph, configuration, slotPool, slotRequestTimeout);
        RescaleRestarts restarts =
                new RescaleRestarts(
                        RestartBackoffTimeStrategyFactoryLoader
                                .createRestartBackoffTimeStrategyFactory(
                                        jobGraph.getSerializedExecutionConfig()
                                                .deserializeValue(userCode)
                                                .getRestartStrategy(),
                                        configuration,
                                        jobGraph.isCheckpointingEnabled())
                                .create());
        // A job without elastic vertices is scheduled as Flink does, by whatever strategy it takes.
        boolean plain = elastic.vertices().isEmpty();
        MecesScheduler scheduler =
                new MecesScheduler(
                        log,
                        jobGraph,
                        backPressure,
                        ioExecutor,
                        configuration,
                        futureExecutor,
                        userCode,
                        restored,
                        rpcTimeout,
                        blobWriter,
                        metrics,
                        shuffleMaster,
                        partitionTracker,
                        plain
                                ? parts.schedulingStrategy()
                                : (operations, all) ->
                                        new ActiveSchedulingStrategy(
                                                operations, all, topology::isActive),
                        restarts,
                        parts,
                        deploymentTracker,
                        initializationTimestamp,
                        elastic,
                        topology,
                        gate,
                        ClusterSlots.of(slotPool, rpcTimeout));
        ((ElasticShuffleMaster) shuffleMaster).setElasticity(topology::elasticityOf);
        return scheduler;
    }

    private static void addHook(CheckpointGate gate, JobGraph jobGraph) throws IOException {
        JobCheckpointingSettings settings = jobGraph.getCheckpointingSettings();
        if (settings != null) {
            jobGraph.setSnapshotSettings(
                    new JobCheckpointingSettings(
                            settings.getVerticesToTrigger(),
                            settings.getVerticesToAcknowledge(),
                            settings.getVerticesToConfirm(),
                            settings.getCheckpointCoordinatorConfiguration(),
                            settings.getDefaultStateBackend(),
                            new MasterHookFactories(settings.getMasterHooks(), gate)));
        }
    }
}
