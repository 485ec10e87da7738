// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.mechanisms;

import io.meces.experiments.cluster.FlinkCluster;
import io.meces.experiments.cluster.FlinkCluster.StateBackendKind;
import io.meces.experiments.harness.KeyDistribution;
import javax.annotation.Nullable;
import picocli.CommandLine.Option;

/** What can be chosen about the key-count experiment. */
public final class KeyCountOptions extends ExperimentOptions {
    private static final int LEAST_DEFAULT_HEAP_MEGABYTES = 1_024;

    /** What the state backends need for a key besides its payload, roughly. */
    private static final int BYTES_PER_KEY = 300;

    /** In this process: a set of the records that were counted, and how many were sent. */
    private static final long VERIFICATION_BYTES_PER_KEY = 56;

    /** In this process: two times, in arrays that are doubled when they are full. */
    private static final long BYTES_PER_SAMPLE = 32;

    /** With fewer the parameters of the paper say nothing. */
    static final int PAPER_PROCESSORS = 64;

    @Option(
            names = "--keys",
            paramLabel = "N",
            description =
                    "Different keys; each has its state before measuring begins. Default:"
                            + " ${DEFAULT-VALUE}.")
    public int keys = 100_000;

    @Option(
            names = "--payload",
            paramLabel = "BYTES",
            description =
                    "State of each key besides its count: keys times payload is the size of the"
                            + " state. Default: ${DEFAULT-VALUE}.")
    public int payloadBytes = 1_000;

    @Option(
            names = "--stages",
            paramLabel = "N",
            description =
                    "Keyed vertices, one behind the other; the last one takes --work-micros. With"
                            + " 2, the second one checks that it gets the counts of each key in"
                            + " order, and both are rescaled. Default: ${DEFAULT-VALUE}.")
    public int stages = 1;

    @Nullable
    @Option(
            names = "--distribution",
            description =
                    "How often which key occurs: ${COMPLETION-CANDIDATES}. Default: uniform; for"
                            + " skew zipf.")
    public KeyDistribution distribution;

    @Nullable
    @Option(
            names = "--work-micros",
            paramLabel = "N",
            description =
                    "Least time in µs that the last stage takes for a record. Default: 0; for"
                            + " back-pressure 1000, so that two subtasks count 2000 per second.")
    public Long workMicros;

    @Option(
            names = "--surge",
            paramLabel = "S",
            description =
                    "For back-pressure: how long the rate is doubled; it begins 3 s before the"
                            + " rescale. Default: ${DEFAULT-VALUE}.")
    public int surgeSeconds = 10;

    /** A set of parameters. */
    public enum Preset {
        /** Those of the paper: for a cluster. */
        PAPER
    }

    @Nullable
    @Option(
            names = "--preset",
            description =
                    "paper: 25 to 30 subtasks, 800,000 records per second, 100,000,000 keys, as far"
                            + " as they are not given otherwise; for a cluster, see --cluster.")
    public Preset preset;

    KeyDistribution distribution() {
        return distribution != null
                ? distribution
                : scenario() == Scenario.SKEW ? KeyDistribution.ZIPF : KeyDistribution.UNIFORM;
    }

    long workMicros() {
        return workMicros != null ? workMicros : scenario() == Scenario.BACK_PRESSURE ? 1_000 : 0;
    }

    @Override
    int steadyRate() {
        return 5_000;
    }

    @Override
    int heapMegabytes() {
        if (taskManagerHeapMegabytes != null) {
            return taskManagerHeapMegabytes;
        }
        if (stateBackend == StateBackendKind.ROCKSDB) {
            return LEAST_DEFAULT_HEAP_MEGABYTES;
        }
        // Each could have all of the state, and half of it again in flight or as garbage. Twice
        // that, as G1 begins to clear up at 45 % of the heap: mostly not amid the rescale then.
        long state = (long) keys() * (payloadBytes + BYTES_PER_KEY) / 1_000_000;
        long heap = Math.max(LEAST_DEFAULT_HEAP_MEGABYTES, 512 + 3 * state);
        return (int) Math.min(heap, Integer.MAX_VALUE);
    }

    @Override
    int from() {
        return from == null && preset == Preset.PAPER ? 25 : super.from();
    }

    @Override
    int to() {
        return to == null && preset == Preset.PAPER ? 30 : super.to();
    }

    @Override
    int rate() {
        return rate == null && preset == Preset.PAPER ? 800_000 : super.rate();
    }

    @Override
    int partitions() {
        return partitions == null && preset == Preset.PAPER ? 25 : super.partitions();
    }

    int keys() {
        return preset == Preset.PAPER && !isGiven("--keys") ? 100_000_000 : keys;
    }

    /**
     * The memory that it takes at most, roughly, to know of each record whether it has been counted
     * and when.
     */
    private long verificationMegabytes() {
        long seconds = warmUpSeconds + madeUp().getSeconds() + steadySeconds + afterSeconds();
        long records = keys() + rate() * seconds;
        return (keys() * VERIFICATION_BYTES_PER_KEY + records * BYTES_PER_SAMPLE) >> 20;
    }

    @Override
    public void validate() {
        int processors = Runtime.getRuntime().availableProcessors();
        require(
                preset == null || cluster.given() || processors >= PAPER_PROCESSORS,
                "The preset paper is for a cluster: 30 subtasks and 800,000 records per second"
                        + " take "
                        + PAPER_PROCESSORS
                        + " processors at least, and this machine, which runs all processes of an"
                        + " experiment, has "
                        + processors
                        + ". To run it on a cluster, give --cluster and --bootstrap-servers; see"
                        + " docs/experiments.md.");
        super.validate();
        require(keys() > 0, "--keys has to be positive.");
        require(payloadBytes >= 0, "--payload must not be negative.");
        require(stages == 1 || stages == 2, "--stages is 1 or 2.");
        require(workMicros() >= 0, "--work-micros must not be negative.");
        require(surgeSeconds > 0, "--surge has to be positive.");
        require(
                heapMegabytes() >= FlinkCluster.LEAST_HEAP_MEGABYTES,
                "--task-manager-heap has to be "
                        + FlinkCluster.LEAST_HEAP_MEGABYTES
                        + " at least.");
        long heap = Runtime.getRuntime().maxMemory() >> 20;
        require(
                verificationMegabytes() <= heap,
                "To verify so many keys and records this command needs about "
                        + verificationMegabytes()
                        + " MB of heap, and has "
                        + heap
                        + ". Set it in the environment, as in MECES_JAVA_OPTS=-Xmx16g.");
    }
}
