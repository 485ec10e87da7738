// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.demo;

import io.meces.experiments.cluster.FlinkLine;
import io.meces.experiments.cluster.Installation;
import io.meces.experiments.run.JobOptions;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.annotation.Nullable;
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
    @Option(names = "--seconds", paramLabel = "N")
    public int seconds = 150;

    @Option(names = "--low", paramLabel = "N")
    public int low = 400;

    @Option(names = "--high", paramLabel = "N")
    public int high = 2_200;

    @Option(names = "--keys", paramLabel = "N")
    public int keys = 10_000;

    @Option(names = "--work-micros", paramLabel = "N")
    public long workMicros = 1_000;

    @Option(names = "--slots", paramLabel = "N")
    public int slots = 4;

    @Option(names = "--interval", paramLabel = "N")
    public int intervalSeconds = 2;

    @Nullable
    @Option(names = "--autoscaler", paramLabel = "JAR")
    public Path autoscaler;

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
        require(
                autoscaler == null || Files.isRegularFile(autoscaler),
                "--autoscaler is no file: " + autoscaler + ".");
        require(
                autoscaler == null || FlinkLine.of(flink) != FlinkLine.V1_12,
                "--autoscaler needs --flink 1.20 or 2.3: Flink's own main asks for what a Flink 1.12"
                        + " does not tell.");
        require(slots >= 2 && slots % 2 == 0, "--slots has to be even, and positive.");
    }
}
