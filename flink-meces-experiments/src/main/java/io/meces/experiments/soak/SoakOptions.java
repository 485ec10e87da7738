// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.soak;

import io.meces.experiments.cluster.FlinkCluster;
import io.meces.experiments.cluster.Installation;
import io.meces.experiments.run.JobOptions;
import io.meces.experiments.run.LocalEnvironment;
import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code meces soak}, and what can be chosen about it. */
@Command(
        name = "soak",
        description = {
            "Rescales a job under load, kills its TaskManagers and takes savepoints, at random and"
                    + " for as long as you like; then checks that each record was counted exactly"
                    + " once.",
            "Starts Kafka, a JobManager and TaskManagers on free ports of 127.0.0.1, with data in a"
                    + " temporary directory, and stops them at the end."
        })
public final class SoakOptions extends JobOptions {
    @Option(
            names = "--minutes",
            paramLabel = "N",
            defaultValue = "10",
            description = "How long. Default: ${DEFAULT-VALUE}.")
    public double minutes = 10;

    @Option(
            names = "--task-managers",
            paramLabel = "N",
            description = "How many TaskManagers. Default: ${DEFAULT-VALUE}.")
    public int taskManagers = 3;

    @Option(
            names = "--slots",
            paramLabel = "N",
            description =
                    "Slots of each. The counter is rescaled between 1 and the number of all slots."
                            + " Default: ${DEFAULT-VALUE}.")
    public int slots = 2;

    @Option(
            names = "--rate",
            paramLabel = "N",
            description = "Records per second. Default: ${DEFAULT-VALUE}.")
    public int rate = 1_000;

    @Option(
            names = "--keys",
            paramLabel = "N",
            description = "Different keys. Default: ${DEFAULT-VALUE}.")
    public int keys = 10_000;

    @Option(
            names = "--pause",
            paramLabel = "MS",
            description = "Mean pause between two actions. Default: ${DEFAULT-VALUE}.")
    public long pauseMillis = 3_000;

    /** Those of the command line. */
    public SoakOptions() {
        seed = null;
        checkpointIntervalMillis = 1_000;
    }

    @Override
    public int heapMegabytes() {
        return taskManagerHeapMegabytes == null
                ? FlinkCluster.LEAST_HEAP_MEGABYTES
                : taskManagerHeapMegabytes;
    }

    /** All slots. */
    int maxParallelism() {
        return taskManagers * slots;
    }

    @Override
    protected String reportName() {
        return "soak";
    }

    @Override
    protected boolean run(Installation installation, PrintWriter out) throws Exception {
        return new Soak(this, installation, out).run();
    }

    @Override
    public void validate() {
        super.validate();
        require(minutes > 0, "--minutes has to be positive.");
        require(taskManagers > 0, "--task-managers has to be positive.");
        require(
                slots > 0 && maxParallelism() >= LocalEnvironment.PARALLELISM,
                "--task-managers times --slots has to be "
                        + LocalEnvironment.PARALLELISM
                        + " at least.");
        require(rate > 0, "--rate has to be positive.");
        require(keys > 0, "--keys has to be positive.");
        require(pauseMillis >= 0, "--pause must not be negative.");
    }
}
