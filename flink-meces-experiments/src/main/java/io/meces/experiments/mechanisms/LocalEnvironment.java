// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.mechanisms;

import io.meces.experiments.cluster.FlinkClient;
import io.meces.experiments.cluster.FlinkCluster;
import io.meces.experiments.cluster.Installation;
import io.meces.experiments.harness.JobTopics;
import io.meces.experiments.harness.KeyCountEnvironment;
import io.meces.experiments.run.Watchdog;
import io.meces.servers.ProcessGroup;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import javax.annotation.Nullable;

/** Processes of this machine that end with the run. */
final class LocalEnvironment implements Environment {
    private final ProcessGroup processes;
    private final KeyCountEnvironment environment;
    private final Watchdog watchdog;
    private final String jar;

    private LocalEnvironment(ProcessGroup processes, KeyCountEnvironment environment, String jar) {
        this.processes = processes;
        this.environment = environment;
        this.watchdog = new Watchdog(processes);
        this.jar = jar;
    }

    /**
     * Starts the processes, and waits until they are ready, some minutes at most.
     *
     * @param installation where the jars are
     * @param spec the Flink cluster
     * @param transitionService how state travels
     * @param partitions of each topic
     * @param logs where the logs go
     */
    static LocalEnvironment start(
            Installation installation,
            FlinkCluster.Spec spec,
            String transitionService,
            int partitions,
            Path logs)
            throws Exception {
        ProcessGroup processes = new ProcessGroup("flink-meces-experiment");
        try {
            KeyCountEnvironment environment =
                    KeyCountEnvironment.start(
                            installation, spec, transitionService, partitions, processes, logs);
            return new LocalEnvironment(processes, environment, environment.upload());
        } catch (Exception | Error e) {
            processes.close();
            throw e;
        }
    }

    @Override
    public FlinkClient client() {
        return environment.flink().client();
    }

    @Override
    public JobTopics topics() {
        return environment.topics();
    }

    @Override
    public String savepoints() {
        return processes.directory().resolve("savepoints").toUri().toString();
    }

    @Override
    public Watchdog watchdog() {
        return watchdog;
    }

    @Override
    public String submit(@Nullable String mainClass, List<String> more, @Nullable String savepoint)
            throws Exception {
        return environment.submit(jar, mainClass, more, savepoint, watchdog);
    }

    @Override
    public void cancel(String jobId, Duration timeout) throws Exception {
        environment.cancel(jobId, timeout);
    }

    /** Stops the processes; what they have goes with them. Blocks for 10 s and a little at most. */
    @Override
    public void close() {
        processes.close();
    }
}
