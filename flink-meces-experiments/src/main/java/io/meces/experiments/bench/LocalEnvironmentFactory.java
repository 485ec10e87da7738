// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.bench;

import io.meces.experiments.cluster.FlinkCluster;
import io.meces.experiments.cluster.FlinkCluster.StateBackendKind;
import io.meces.experiments.cluster.Installation;
import io.meces.experiments.run.Environment;
import io.meces.experiments.run.LocalEnvironment;
import io.meces.experiments.run.Machine;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** This machine: each run starts a Kafka, a JobManager and two TaskManagers. */
final class LocalEnvironmentFactory implements EnvironmentFactory {
    static final int TASK_MANAGERS = 2;

    private final BenchOptions options;
    private final Installation installation;

    LocalEnvironmentFactory(BenchOptions options, Installation installation) {
        this.options = options;
        this.installation = installation;
    }

    /** All that could be wrong is known only when the processes have been started. */
    @Override
    public void check(List<Mechanism> mechanisms) {}

    @Override
    public Environment open(Mechanism mechanism, Path logs) throws Exception {
        FlinkCluster.Spec cluster =
                options.cluster()
                        .quickStart(!options.optimise)
                        .evenHeap(true)
                        .taskManagers(
                                TASK_MANAGERS,
                                (options.slots() + TASK_MANAGERS - 1) / TASK_MANAGERS)
                        .configByDefault("metrics.fetcher.update-interval", "1000")
                        // or the JobManager would tell of a job that runs again 3 s late
                        .configByDefault("web.refresh-interval", "50");
        mechanism.applyTo(cluster, options);
        if (options.stateBackend == StateBackendKind.ROCKSDB) {
            RocksDBStalls.logged(logs, options.flinkConfig).forEach(cluster::config);
        }
        return LocalEnvironment.start(
                installation, cluster, mechanism.service, options.partitions(), logs);
    }

    @Override
    public String ownOfRun() {
        return "processes of its own";
    }

    @Override
    public Map<String, Object> parameters() {
        return Collections.emptyMap();
    }

    @Override
    public Map<String, Object> versions() {
        return Machine.describe(installation);
    }
}
