// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.bench;

import io.meces.examples.keycount.KeyCountJob;
import io.meces.experiments.cluster.FlinkCluster.StateBackendKind;
import io.meces.experiments.run.Environment;
import io.meces.experiments.traffic.KeyCountTraffic;
import io.meces.experiments.traffic.KeyDistribution;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import javax.annotation.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code meces bench key-count}, and what can be chosen about it. */
@Command(
        name = "key-count",
        description = {
            "Rescales a job that counts records per key, by several mechanisms side by side, and"
                    + " measures what that does to latency.",
            "",
            "The mechanisms:",
            "  meces                  live, in small steps, what a record waits for first",
            "  order-unaware          live by the same runtime, but key-groups in a fixed order, a"
                    + " block of 16 in each step",
            "  order-unaware-gradual  the same in steps as small as those of meces",
            "  native                 stock Flink: stop with savepoint, start anew from it",
            "  adaptive               stock Flink 1.20 or 2.3: its adaptive scheduler, by PUT"
                    + " resource-requirements",
            "  adaptive-tuned         the same with a checkpoint each second, local recovery, and"
                    + " without cooldown",
            "",
            "Each run has a Kafka, a JobManager and two TaskManagers of its own on this machine, or"
                    + " topics and jobs of its own on clusters that run already: --cluster"
                    + " meces=HOST:PORT --bootstrap-servers HOST:PORT. Each key has its state"
                    + " before measuring begins. Records are sent at a steady rate; latency counts"
                    + " from when they were due. Each record is checked: counted once, in order,"
                    + " none lost.",
            "The default takes less than 5 minutes. For 500 MB of state: --keys 500000"
                    + " --payload 1000 --after 40 --repeats 3. What the figures mean:"
                    + " docs/experiments.md.",
            ""
        })
public final class KeyCountOptions extends BenchOptions {
    /** What the state backends need for a key besides its payload, roughly. */
    private static final int BYTES_PER_KEY = 300;

    /** In this process: a set of the records that were counted, and how many were sent. */
    private static final long VERIFICATION_BYTES_PER_KEY = 56;

    /** In this process: two times, in arrays that are doubled when they are full. */
    private static final long BYTES_PER_SAMPLE = 32;

    private static final long SURGE_LEAD_SECONDS = 3;

    /** With fewer the parameters of the paper say nothing. */
    static final int PAPER_PROCESSORS = 64;

    @Option(names = "--keys", paramLabel = "N")
    public int keys = 100_000;

    @Option(names = "--payload", paramLabel = "BYTES")
    public int payloadBytes = 1_000;

    @Option(names = "--stages", paramLabel = "N")
    public int stages = 1;

    @Nullable
    @Option(names = "--distribution")
    public KeyDistribution distribution;

    @Nullable
    @Option(names = "--work-micros", paramLabel = "N")
    public Long workMicros;

    @Option(names = "--surge", paramLabel = "S")
    public int surgeSeconds = 10;

    /** A set of parameters. */
    public enum Preset {
        /** Those of the paper: for a cluster. */
        PAPER
    }

    @Nullable
    @Option(names = "--preset")
    public Preset preset;

    @Override
    protected String reportName() {
        return "bench-key-count";
    }

    @Override
    List<Workload> workloads() {
        return Collections.singletonList(
                new Workload(
                        "key-count",
                        KeyCountJob.class,
                        Arrays.asList(
                                "--stages", String.valueOf(stages),
                                "--payload", String.valueOf(payloadBytes),
                                "--work-micros", String.valueOf(workMicros()),
                                // What is sent before the load is one record of each key.
                                "--work-from", String.valueOf(keys())),
                        // the consumer first, as the user guide recommends
                        stages == 1
                                ? Collections.singletonList(KeyCountJob.COUNTER)
                                : Arrays.asList(KeyCountJob.CHECKER, KeyCountJob.COUNTER),
                        Collections.emptyMap(),
                        this::open));
    }

    private KeyCountTraffic open(Environment environment) {
        LongSupplier sampler = distribution().sampler(keys(), seed);
        LongSupplier markers = KeyDistribution.UNIFORM.sampler(keys(), ~seed);
        int recordsPerMarker = recordsPerMarker();
        long surgeStart = surgeStart();
        long surgeEnd = surgeStart + (long) surgeSeconds * rate();
        return new KeyCountTraffic(
                        environment.topics(), keys(), payloadBytes, environment.watchdog(), false)
                .load(
                        rate(),
                        (index, event) -> {
                            event.accept((int) sampler.getAsLong(), false);
                            if (index >= surgeStart && index < surgeEnd) {
                                event.accept((int) sampler.getAsLong(), false);
                            }
                            if (index % recordsPerMarker == 0) {
                                event.accept((int) markers.getAsLong(), true);
                            }
                        });
    }

    /** The position from which on the rate is doubled; never reached without back pressure. */
    private long surgeStart() {
        long seconds = warmUpSeconds + steadySeconds - SURGE_LEAD_SECONDS;
        return scenario() == Scenario.BACK_PRESSURE
                ? Math.max(0, seconds) * rate()
                : Long.MAX_VALUE / 2;
    }

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
    public int heapMegabytes() {
        int least = super.heapMegabytes();
        if (taskManagerHeapMegabytes != null || stateBackend == StateBackendKind.ROCKSDB) {
            return least;
        }
        // Each could have all of the state, and half of it again in flight or as garbage. Twice
        // that, as G1 begins to clear up at 45 % of the heap: mostly not amid the rescale then.
        long state = (long) keys() * (payloadBytes + BYTES_PER_KEY) / 1_000_000;
        return (int) Math.min(Math.max(least, 512 + 3 * state), Integer.MAX_VALUE);
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

    @Override
    public Map<String, Object> parameters() {
        Map<String, Object> parameters = super.parameters();
        parameters.put("keys", keys());
        parameters.put("distribution", distribution());
        parameters.put("work-micros", workMicros());
        return parameters;
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
                String.format(
                        "The preset paper is for a cluster: 30 subtasks and 800,000 records per"
                                + " second take %d processors at least, and this machine, which"
                                + " runs all processes of an experiment, has %d. To run it on a"
                                + " cluster, give --cluster and --bootstrap-servers; see"
                                + " docs/experiments.md.",
                        PAPER_PROCESSORS, processors));
        super.validate();
        require(stages == 1 || stages == 2, "--stages is 1 or 2.");
        long heap = Runtime.getRuntime().maxMemory() >> 20;
        require(
                verificationMegabytes() <= heap,
                String.format(
                        "To verify so many keys and records this command needs about %d MB of heap,"
                                + " and has %d. Set it in the environment, as in"
                                + " MECES_JAVA_OPTS=-Xmx16g.",
                        verificationMegabytes(), heap));
    }
}
