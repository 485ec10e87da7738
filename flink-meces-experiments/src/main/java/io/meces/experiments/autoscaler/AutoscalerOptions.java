// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.autoscaler;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.annotation.Nullable;
import picocli.CommandLine.Option;

/** What can be chosen about the demo of the autoscaler. */
public final class AutoscalerOptions {

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

    @Option(
            names = "--checkpoint-interval",
            paramLabel = "MS",
            description = "Time between checkpoints in ms. Default: ${DEFAULT-VALUE}.")
    public long checkpointIntervalMillis = 5_000;

    @Option(
            names = "--flink-config",
            paramLabel = "KEY=VALUE",
            description =
                    "Goes into flink-conf.yaml of all processes, such as"
                            + " job.autoscaler.target.utilization=0.5. Can be repeated.")
    public Map<String, String> flinkConfig = new LinkedHashMap<>();

    @Nullable
    @Option(
            names = "--report",
            paramLabel = "FILE",
            description =
                    "Where the JSON report goes; the plot and the logs go beside it. Default:"
                            + " reports/autoscaler-<timestamp>/report.json in the repository.")
    public Path report;

    /**
     * Checks what picocli does not.
     *
     * @throws IllegalArgumentException with a message for the user
     */
    public void validate() {
        require(seconds >= 30, "--seconds has to be 30 at least.");
        require(low > 0 && high >= low, "--low has to be positive, and --high not below it.");
        require(keys > 0, "--keys has to be positive.");
        require(workMicros >= 0, "--work-micros must not be negative.");
        require(slots >= 2 && slots % 2 == 0, "--slots has to be even, and positive.");
        require(intervalSeconds > 0, "--interval has to be positive.");
        require(checkpointIntervalMillis > 0, "--checkpoint-interval has to be positive.");
    }

    private static void require(boolean condition, String message) {
        if (!condition) {
            throw new IllegalArgumentException(message);
        }
    }
}
