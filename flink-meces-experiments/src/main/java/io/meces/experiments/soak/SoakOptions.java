// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.soak;

import io.meces.experiments.cluster.FlinkCluster;
import io.meces.experiments.cluster.FlinkCluster.StateBackendKind;
import io.meces.experiments.harness.KeyCountEnvironment;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.annotation.Nullable;
import picocli.CommandLine.Option;

/** What a soak does; the fields have the defaults of the command line. */
public final class SoakOptions {

    @Option(
            names = "--minutes",
            paramLabel = "N",
            defaultValue = "10",
            description = "How long. Default: ${DEFAULT-VALUE}.")
    public double minutes = 10;

    @Nullable
    @Option(
            names = "--seed",
            paramLabel = "N",
            description =
                    "Determines what is done, in which order and with which pauses. Default: another"
                            + " one each time; it is printed.")
    public Long seed;

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
            names = "--task-manager-heap",
            paramLabel = "MB",
            description = "Heap of each TaskManager. Default: ${DEFAULT-VALUE}.")
    public int taskManagerHeapMegabytes = FlinkCluster.LEAST_HEAP_MEGABYTES;

    @Option(
            names = "--transition-service",
            paramLabel = "NAME",
            description =
                    "How state travels: netty, or kafka-redis, for which a Redis is started. Default:"
                            + " ${DEFAULT-VALUE}.")
    public String transitionService = "netty";

    @Option(
            names = "--state-backend",
            paramLabel = "NAME",
            description =
                    "Where state is: ${COMPLETION-CANDIDATES}. rocksdb is on disk, with 128 MB of"
                            + " managed memory per slot and incremental checkpoints. Default:"
                            + " ${DEFAULT-VALUE}.")
    public StateBackendKind stateBackend = StateBackendKind.HEAP;

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

    @Option(
            names = "--checkpoint-interval",
            paramLabel = "MS",
            description = "Interval of the checkpoints. Default: ${DEFAULT-VALUE}.")
    public long checkpointIntervalMillis = 1_000;

    @Option(
            names = "-D",
            paramLabel = "KEY=VALUE",
            description = "An option for flink-conf.yaml; can be repeated.")
    public Map<String, String> flinkConfig = new LinkedHashMap<>();

    @Nullable
    @Option(
            names = "--report",
            paramLabel = "FILE",
            description =
                    "Where the JSON report goes; plot and logs go beside it. Default:"
                            + " reports/soak-<timestamp>/report.json in the repository.")
    public Path report;

    /**
     * Checks what picocli does not.
     *
     * @throws IllegalArgumentException with a message for the user
     */
    public void validate() {
        require(minutes > 0, "--minutes has to be positive.");
        require(taskManagers > 0, "--task-managers has to be positive.");
        require(
                slots > 0 && taskManagers * slots >= KeyCountEnvironment.PARALLELISM,
                "--task-managers times --slots has to be "
                        + KeyCountEnvironment.PARALLELISM
                        + " at least.");
        require(
                taskManagerHeapMegabytes >= FlinkCluster.LEAST_HEAP_MEGABYTES,
                "--task-manager-heap has to be "
                        + FlinkCluster.LEAST_HEAP_MEGABYTES
                        + " at least.");
        require(
                transitionService.equals("netty")
                        || transitionService.equals(FlinkCluster.KAFKA_REDIS),
                "--transition-service is netty or kafka-redis.");
        require(rate > 0, "--rate has to be positive.");
        require(keys > 0, "--keys has to be positive.");
        require(pauseMillis >= 0, "--pause must not be negative.");
        require(checkpointIntervalMillis > 0, "--checkpoint-interval has to be positive.");
    }

    private static void require(boolean condition, String message) {
        if (!condition) {
            throw new IllegalArgumentException(message);
        }
    }
}
