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
    @Option(names = "--minutes", paramLabel = "N", defaultValue = "10")
    public double minutes = 10;

    @Option(names = "--task-managers", paramLabel = "N")
    public int taskManagers = 3;

    @Option(names = "--slots", paramLabel = "N")
    public int slots = 2;

    @Option(names = "--rate", paramLabel = "N")
    public int rate = 1_000;

    @Option(names = "--keys", paramLabel = "N")
    public int keys = 10_000;

    @Option(names = "--pause", paramLabel = "MS")
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
        require(
                slots > 0 && maxParallelism() >= LocalEnvironment.PARALLELISM,
                "--task-managers times --slots has to be "
                        + LocalEnvironment.PARALLELISM
                        + " at least.");
    }
}
