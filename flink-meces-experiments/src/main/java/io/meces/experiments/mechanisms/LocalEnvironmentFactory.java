// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.mechanisms;

import io.meces.experiments.cluster.FlinkCluster;
import io.meces.experiments.cluster.Installation;
import io.meces.experiments.run.Machine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** This machine: each run starts a Kafka, a JobManager and two TaskManagers. */
final class LocalEnvironmentFactory implements EnvironmentFactory {
    static final int TASK_MANAGERS = 2;

    private final ExperimentOptions options;
    private final Installation installation;

    LocalEnvironmentFactory(ExperimentOptions options, Installation installation) {
        this.options = options;
        this.installation = installation;
    }

    /** All that could be wrong is known only when the processes have been started. */
    @Override
    public void check(List<Mechanism> mechanisms) {}

    @Override
    public Environment open(Mechanism mechanism, Path logs) throws Exception {
        return LocalEnvironment.start(
                installation,
                clusterSpec(mechanism, logs),
                mechanism.service,
                options.partitions(),
                logs);
    }

    private FlinkCluster.Spec clusterSpec(Mechanism mechanism, Path logs) throws IOException {
        int slots = (options.slots() + TASK_MANAGERS - 1) / TASK_MANAGERS;
        FlinkCluster.Spec spec =
                new FlinkCluster.Spec()
                        .quickStart(!options.optimise)
                        .stateBackend(options.stateBackend)
                        .evenHeap(true)
                        .taskManagers(TASK_MANAGERS, slots)
                        .taskManagerHeapMegabytes(options.heapMegabytes())
                        .config("metrics.fetcher.update-interval", "1000")
                        // or the JobManager would tell of a job that runs again 3 s late
                        .config("web.refresh-interval", "50");
        mechanism.applyTo(spec, options);
        options.flinkConfig.forEach(spec::config);
        if (options.stateBackend == FlinkCluster.StateBackendKind.ROCKSDB) {
            RocksDBStalls.logged(logs, options.flinkConfig).forEach(spec::config);
        }
        return spec;
    }

    @Override
    public String ownOfRun() {
        return "processes of its own";
    }

    @Override
    public Map<String, Object> parameters() {
        Map<String, Object> parameters = new LinkedHashMap<>();
        parameters.put("batch-megabytes", options.batchMegabytes);
        parameters.put("step-millis", options.stepMillis);
        parameters.put("sub-groups", options.subGroups);
        parameters.put("block-sub-groups", options.blockSubGroups);
        parameters.put("state-backend", options.stateBackend.toString());
        parameters.put("task-manager-heap", options.heapMegabytes());
        parameters.put("optimise", options.optimise);
        parameters.put("flink-config", options.flinkConfig);
        return parameters;
    }

    @Override
    public Map<String, Object> versions() {
        Map<String, Object> versions = Machine.describe(installation);
        versions.put("kafka", installation.kafkaVersion());
        versions.put("memory-mb", Machine.memoryMegabytes());
        return versions;
    }
}
