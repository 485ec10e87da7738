// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.demo;

import io.meces.experiments.cluster.FlinkCluster;
import io.meces.experiments.cluster.FlinkCluster.StateBackendKind;
import io.meces.experiments.harness.KeyDistribution;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import picocli.CommandLine.Option;

/** What can be chosen about the key-count demo. */
public final class DemoOptions {
    private static final String NETTY = "netty";

    @Option(
            names = "--rate",
            paramLabel = "N",
            description = "Records per second. Default: ${DEFAULT-VALUE}.")
    public int rate = 5_000;

    @Option(
            names = "--keys",
            paramLabel = "N",
            description =
                    "Different keys; each has state before the load starts. Default:"
                            + " ${DEFAULT-VALUE}.")
    public int keys = 100_000;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description =
                    "How long the load lasts; longer if the rescales need it. Default:"
                            + " ${DEFAULT-VALUE}.")
    public int seconds = 40;

    @Option(
            names = "--warm-up",
            paramLabel = "N",
            description =
                    "Seconds at the beginning of the load that do not count as steady, of"
                            + " --seconds. Default: ${DEFAULT-VALUE}.")
    public int warmUpSeconds = 10;

    @Option(
            names = "--distribution",
            description =
                    "How often which key occurs: ${COMPLETION-CANDIDATES}. Default:"
                            + " ${DEFAULT-VALUE}.")
    public KeyDistribution distribution = KeyDistribution.UNIFORM;

    @Option(
            names = "--key-type",
            paramLabel = "TYPE",
            description = "Type of the key in the job: long or string. Default: ${DEFAULT-VALUE}.")
    public String keyType = "long";

    @Option(
            names = "--rescale",
            paramLabel = "N",
            split = ",",
            defaultValue = "3,2",
            description =
                    "Parallelisms to which the counter is rescaled, one after the other,"
                            + " beginning with 2. Default: ${DEFAULT-VALUE}.")
    public List<Integer> rescales = Arrays.asList(3, 2);

    @Nullable
    @Option(
            names = "--batch-size",
            paramLabel = "N",
            description =
                    "Key-groups that a subtask gives or takes in one step. Default: what the"
                            + " JobManager is configured with.")
    public Integer batchSize;

    @Option(
            names = "--work-micros",
            paramLabel = "N",
            description =
                    "Least time in µs that the counter takes for a record of the load; those"
                            + " that give each key its state before are not slowed down. A"
                            + " --rate above what the subtasks can do, 1000000 / N per second"
                            + " each, is overload: a backlog grows until the load ends, and the"
                            + " demo waits until it is worked off. Default: ${DEFAULT-VALUE}.")
    public long workMicros;

    @Option(
            names = "--checkpoint-interval",
            paramLabel = "MS",
            description = "Time between checkpoints in ms. Default: ${DEFAULT-VALUE}.")
    public long checkpointIntervalMillis = 5_000;

    @Option(
            names = "--transition-service",
            paramLabel = "NAME",
            description =
                    "How state travels between TaskManagers: netty, directly; kafka-redis, by the"
                            + " Kafka of the demo and a Redis that it starts. Default:"
                            + " ${DEFAULT-VALUE}.")
    public String transitionService = NETTY;

    @Option(
            names = "--state-backend",
            paramLabel = "NAME",
            description =
                    "Where state is: ${COMPLETION-CANDIDATES}. rocksdb is on disk, with 128 MB of"
                            + " managed memory per slot and incremental checkpoints; with --stock"
                            + " it is Flink's own. Default: ${DEFAULT-VALUE}.")
    public StateBackendKind stateBackend = StateBackendKind.HEAP;

    @Option(
            names = "--flink-config",
            paramLabel = "KEY=VALUE",
            description =
                    "Goes into flink-conf.yaml of all processes, such as"
                            + " meces.migration.checkpoint=ABORT. Can be repeated.")
    public Map<String, String> flinkConfig = new LinkedHashMap<>();

    @Option(
            names = "--task-manager-heap",
            paramLabel = "MB",
            description =
                    "Heap of each of the two TaskManagers in MB; ten million keys take 4096."
                            + " Default: ${DEFAULT-VALUE}.")
    public int taskManagerHeapMegabytes = 1_024;

    @Option(
            names = "--buffer-timeout",
            paramLabel = "MS",
            description =
                    "After how many ms Flink sends a network buffer that is not full. Flink's own"
                            + " default, 100, would hide most of what a rescale does to latency."
                            + " Default: ${DEFAULT-VALUE}.")
    public long bufferTimeoutMillis = 5;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Seed of the random keys. Default: ${DEFAULT-VALUE}.")
    public long seed = 1;

    @Option(
            names = "--stock",
            description =
                    "Run the same job on stock Flink, without flink-meces and without"
                            + " rescales: the baseline.")
    public boolean stock;

    @Nullable
    @Option(
            names = "--report",
            paramLabel = "FILE",
            description =
                    "Where the JSON report goes, also that of a run that fails; the plot goes"
                            + " beside it. Default:"
                            + " reports/key-count-<timestamp>/report.json in the repository.")
    public Path report;

    @Nullable
    @Option(
            names = "--keep-logs",
            paramLabel = "DIR",
            description = "Where the logs of the processes go. Default: logs beside the report.")
    public Path logs;

    /**
     * Checks what picocli does not.
     *
     * @throws IllegalArgumentException with a message for the user
     */
    public void validate() {
        require(rate > 0, "--rate has to be positive.");
        require(keys > 0, "--keys has to be positive.");
        require(warmUpSeconds >= 0, "--warm-up must not be negative.");
        require(seconds > warmUpSeconds, "--seconds has to exceed --warm-up.");
        require(
                keyType.equals("long") || keyType.equals("string"),
                "--key-type is long or string.");
        require(!rescales.isEmpty(), "--rescale takes at least one number.");
        require(
                rescales.stream().allMatch(parallelism -> parallelism > 0),
                "--rescale takes positive numbers.");
        require(batchSize == null || batchSize > 0, "--batch-size has to be positive.");
        require(workMicros >= 0, "--work-micros must not be negative.");
        require(
                taskManagerHeapMegabytes >= FlinkCluster.LEAST_HEAP_MEGABYTES,
                "--task-manager-heap has to be "
                        + FlinkCluster.LEAST_HEAP_MEGABYTES
                        + " at least.");
        require(bufferTimeoutMillis >= 0, "--buffer-timeout must not be negative.");
        require(checkpointIntervalMillis > 0, "--checkpoint-interval has to be positive.");
        require(
                transitionService.equals(NETTY) || usesRedis(),
                "--transition-service is netty or kafka-redis.");
        require(
                !stock || !usesRedis(),
                "Stock Flink moves no state: --transition-service is of no use with --stock.");
    }

    /** Whether state travels through Kafka and Redis. */
    boolean usesRedis() {
        return transitionService.equals(FlinkCluster.KAFKA_REDIS);
    }

    private static void require(boolean condition, String message) {
        if (!condition) {
            throw new IllegalArgumentException(message);
        }
    }
}
