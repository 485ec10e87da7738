// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.scheduler;

import io.meces.flink.runtime.CheckpointSettings;
import io.meces.flink.runtime.JobRestarts;
import io.meces.flink.runtime.SchedulerFactory;
import io.meces.flink.runtime.SchedulerParameters;
import io.meces.runtime.check.StartupCheck;
import io.meces.runtime.checkpoint.CheckpointGate;
import io.meces.runtime.checkpoint.MasterHookFactories;
import io.meces.runtime.checkpoint.RestoredCheckpoint;
import io.meces.runtime.graph.ElasticJobGraph;
import io.meces.runtime.shuffle.ElasticShuffleMaster;
import java.io.IOException;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.tasks.JobCheckpointingSettings;
import org.apache.flink.runtime.scheduler.SchedulerBridge;
import org.apache.flink.runtime.scheduler.SchedulerNG;

/** Makes the elastic scheduler of a job. */
public final class MecesSchedulerFactory extends SchedulerFactory {

    @Override
    protected SchedulerNG create(JobGraph submitted, SchedulerParameters parameters)
            throws Exception {
        ClassLoader userCode = parameters.userCode;
        Configuration configuration = parameters.configuration;
        StartupCheck.checkJob(userCode);
        // A JobMaster that becomes leader again makes another scheduler, of the same job graph.
        JobGraph jobGraph = GraphCopy.of(submitted, userCode);
        RestoredCheckpoint restored =
                new RestoredCheckpoint(
                        jobGraph,
                        configuration,
                        parameters.checkpointRecovery,
                        userCode,
                        parameters.ioExecutor);
        ElasticJobGraph elastic =
                ElasticJobGraph.rewrite(jobGraph, configuration, userCode, restored);
        if (elastic.goesOnInFlight()) {
            restored.acceptScatteredInFlight();
        }
        ElasticTopology topology = new ElasticTopology(elastic.vertices());
        CheckpointGate gate = new CheckpointGate(jobGraph.getCheckpointingSettings());
        if (!elastic.vertices().isEmpty()) {
            addHook(gate, jobGraph);
        }
        ElasticShuffleMaster shuffleMaster = new ElasticShuffleMaster(parameters.shuffleMaster);
        MecesScheduler scheduler =
                new MecesScheduler(
                        parameters,
                        jobGraph,
                        restored,
                        shuffleMaster,
                        new RescaleRestarts(JobRestarts.of(jobGraph, configuration, userCode)),
                        new SchedulerBridge.Parts(
                                jobGraph,
                                parameters,
                                elastic.vertices().isEmpty() ? null : topology::isConnected),
                        elastic,
                        topology,
                        gate);
        shuffleMaster.setElasticity(
                partition ->
                        topology.elasticityOf(
                                partition.getResultId(),
                                () -> scheduler.isProducerFinished(partition)));
        return scheduler;
    }

    private static void addHook(CheckpointGate gate, JobGraph jobGraph) throws IOException {
        JobCheckpointingSettings settings = jobGraph.getCheckpointingSettings();
        if (settings != null) {
            jobGraph.setSnapshotSettings(
                    CheckpointSettings.with(
                            settings,
                            settings.getCheckpointCoordinatorConfiguration(),
                            new MasterHookFactories(settings.getMasterHooks(), gate)));
        }
    }
}
