// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.demo;

import io.meces.experiments.cluster.Installation;
import io.meces.experiments.run.JobOptions;
import java.io.PrintWriter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code meces demo autoscaler}, and what can be chosen about it. */
@Command(
        name = "autoscaler",
        description = {
            "Has Flink's own autoscaler rescale a job whose load rises and falls, and checks that"
                    + " each record is counted exactly once.",
            "Starts Kafka, a JobManager, two TaskManagers and the autoscaler on free ports of"
                    + " 127.0.0.1, and stops them at the end."
        })
public final class AutoscalerOptions extends JobOptions {
    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "How long the load lasts. Default: ${DEFAULT-VALUE}.")
    public int seconds = 150;

    @Option(
            names = "--low",
            paramLabel = "N",
            description =
                    "Records per second at the beginning and in the end. Default: ${DEFAULT-VALUE}.")
    public int low = 400;

    @Option(
            names = "--high",
            paramLabel = "N",
            description = "Records per second in between. Default: ${DEFAULT-VALUE}.")
    public int high = 2_200;

    @Option(
            names = "--keys",
            paramLabel = "N",
            description = "Different keys. Default: ${DEFAULT-VALUE}.")
    public int keys = 10_000;

    @Option(
            names = "--work-micros",
            paramLabel = "N",
            description =
                    "Least time in µs that the counter takes for a record: 1000000 / N per second"
                            + " are what a subtask can do. Default: ${DEFAULT-VALUE}.")
    public long workMicros = 1_000;

    @Option(
            names = "--slots",
            paramLabel = "N",
            description = "Slots of the cluster, an even number. Default: ${DEFAULT-VALUE}.")
    public int slots = 4;

    @Option(
            names = "--interval",
            paramLabel = "N",
            description =
                    "How often the autoscaler looks at the job, in s. Default: ${DEFAULT-VALUE}.")
    public int intervalSeconds = 2;

    @Override
    protected String reportName() {
        return "autoscaler";
    }

    @Override
    protected boolean run(Installation installation, PrintWriter out) throws Exception {
        return new AutoscalerDemo(this, installation, out).run();
    }

    @Override
    public void validate() {
        super.validate();
        require(seconds >= 30, "--seconds has to be 30 at least.");
        require(low > 0 && high >= low, "--low has to be positive, and --high not below it.");
        require(keys > 0, "--keys has to be positive.");
        require(workMicros >= 0, "--work-micros must not be negative.");
        require(slots >= 2 && slots % 2 == 0, "--slots has to be even, and positive.");
        require(intervalSeconds > 0, "--interval has to be positive.");
    }
}
