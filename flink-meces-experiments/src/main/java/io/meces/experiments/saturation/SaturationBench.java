// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.saturation;

import io.meces.examples.saturation.CountReading;
import io.meces.experiments.cluster.Installation;
import io.meces.experiments.run.Json;
import io.meces.experiments.run.PhaseLog;
import io.meces.experiments.run.RunOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeoutException;
import javax.annotation.Nullable;

/**
 * Measures how many records a job counts per second that never waits and is not rescaled: on stock
 * Flink and with flink-meces.
 *
 * <p>The speed of a machine that is shared with others changes from minute to minute, and what the
 * JIT compiler makes of the same code from process to process. So in each round all variants have
 * new processes, and they have the machine by turns of a second: what it does meanwhile happens to
 * all of them.
 */
public final class SaturationBench {
    /** Between two checkpoints of a job, counting its own turns only. */
    static final long CHECKPOINT_INTERVAL_MILLIS = 5_000;

    private static final Duration TURN = Duration.ofSeconds(1);
    private static final int ATTEMPTS = 3;
    private static final long LONGEST_STALL_MILLIS = 1_000;

    private final SaturationOptions options;
    private final Installation installation;
    private final PrintWriter out;
    private final PhaseLog phases;
    private final Path reportFile;
    private final List<Variant> variants =
            Collections.unmodifiableList(
                    Arrays.asList(Variant.stock(), Variant.elastic(8), Variant.elastic(128)));

    /**
     * A benchmark that has not begun.
     *
     * @param options what to do
     * @param installation where the jars are
     * @param out where to tell what goes on
     */
    public SaturationBench(SaturationOptions options, Installation installation, PrintWriter out) {
        this.options = options;
        this.installation = installation;
        this.out = out;
        this.phases = new PhaseLog(out);
        this.reportFile = options.reportFile(installation);
    }

    /**
     * Measures and writes the report, also when it throws: then with the rounds until then. Blocks
     * for minutes; every wait in it is bounded. The processes it starts are gone when it returns or
     * throws.
     *
     * @throws IOException if a process, the job or the connection to it fails
     * @throws TimeoutException if something takes far too long
     */
    public void run() throws Exception {
        Path logs = options.logs(reportFile);
        RunOptions.createFolder(reportFile.getParent(), "--report");
        phases.line(
                "%d rounds of %d variants; logs go to %s.", options.repeats, variants.size(), logs);
        List<ThroughputRun> runs = new ArrayList<>();
        try {
            for (int round = 1; round <= options.repeats; round++) {
                runs.addAll(measureUndisturbed(round, logs));
            }
        } catch (Exception e) {
            try {
                report(runs, e);
                phases.line("The benchmark did not come to its end. Report: %s", reportFile);
            } catch (IOException failed) {
                e.addSuppressed(failed);
            }
            throw e;
        }
        report(runs, null).print(out);
        phases.line("Report: %s", reportFile);
    }

    private SaturationReport report(List<ThroughputRun> runs, @Nullable Exception failure)
            throws IOException {
        SaturationReport report =
                new SaturationReport(options, installation, variants, runs, failure);
        Json.write(report, reportFile);
        return report;
    }

    /** Measures again if the machine has stood still meanwhile: that is not Flink's doing. */
    private List<ThroughputRun> measureUndisturbed(int round, Path logs) throws Exception {
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            List<ThroughputRun> runs = measure(round, logs);
            long longestStallMs = runs.get(0).longestStallMs;
            if (longestStallMs <= LONGEST_STALL_MILLIS) {
                for (ThroughputRun run : runs) {
                    phases.line(
                            "Round %d, %s: %.0f records per second.",
                            round, run.variant, run.recordsPerSecond);
                }
                return runs;
            }
            phases.line(
                    "Round %d: discarded, the machine stood still for %d ms.",
                    round, longestStallMs);
        }
        throw new IOException(
                "The machine stood still for more than "
                        + LONGEST_STALL_MILLIS
                        + " ms in each of "
                        + ATTEMPTS
                        + " attempts.");
    }

    private List<ThroughputRun> measure(int round, Path logs) throws Exception {
        List<SaturatedCluster> clusters = new ArrayList<>();
        try {
            for (Variant variant : variants) {
                clusters.add(
                        SaturatedCluster.start(
                                variant,
                                options,
                                CHECKPOINT_INTERVAL_MILLIS * variants.size(),
                                installation,
                                logs.resolve(round + "-" + variant)));
            }
            phases.line(
                    "Round %d: all run; %d s of warm-up and %d s of measuring each, by turns.",
                    round, options.warmUpSeconds, options.seconds);
            takeTurns(clusters, options.warmUpSeconds);
            List<List<CountReading>> before;
            List<List<CountReading>> after;
            long longestStallMs;
            try (StallDetector stalls = new StallDetector()) {
                before = read(clusters);
                takeTurns(clusters, options.seconds);
                after = read(clusters);
                longestStallMs = stalls.longestMillis();
            }
            List<ThroughputRun> runs = new ArrayList<>();
            for (int i = 0; i < clusters.size(); i++) {
                runs.add(
                        ThroughputRun.of(
                                round,
                                variants.get(i),
                                before.get(i),
                                after.get(i),
                                clusters.get(i).completedCheckpoints(),
                                longestStallMs));
            }
            return runs;
        } finally {
            clusters.forEach(SaturatedCluster::close);
        }
    }

    /** Each cluster has so many turns, with the order turned round each time. */
    private static void takeTurns(List<SaturatedCluster> clusters, int turns)
            throws IOException, InterruptedException {
        List<SaturatedCluster> order = new ArrayList<>(clusters);
        for (int turn = 0; turn < turns; turn++) {
            for (SaturatedCluster cluster : order) {
                cluster.runFor(TURN);
            }
            Collections.reverse(order);
        }
    }

    private static List<List<CountReading>> read(List<SaturatedCluster> clusters)
            throws IOException, InterruptedException, TimeoutException {
        List<List<CountReading>> readings = new ArrayList<>();
        for (SaturatedCluster cluster : clusters) {
            readings.add(cluster.read());
        }
        return readings;
    }
}
