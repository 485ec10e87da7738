// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.demo;

import io.meces.api.RescaleDetails;
import io.meces.experiments.cluster.Installation;
import io.meces.experiments.measure.Backlog;
import io.meces.experiments.measure.LatencyAnalysis;
import io.meces.experiments.measure.LatencyStatistics;
import io.meces.experiments.measure.LatencyWindows;
import io.meces.experiments.measure.Verdict;
import io.meces.experiments.run.Chart;
import io.meces.experiments.run.RescaleRun;
import io.meces.experiments.run.RunReport;
import io.meces.experiments.run.RunResult;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import javax.annotation.Nullable;

/** The outcome of the key-count demo: for programs, for people, and as a picture. */
final class DemoReport extends RunReport {
    private final transient KeyCountDemo demo;
    private final transient RunResult result;
    @Nullable private Double longestGapMs;
    @Nullable private Double longestSteadyGapMs;
    @Nullable private Double longestRescaleGapMs;
    @Nullable private Boolean overloaded;
    @Nullable private Double endBehindMs;
    @Nullable private Long endBacklogRecords;

    DemoReport(KeyCountDemo demo, Installation installation, @Nullable Exception failure) {
        super(demo.result(), demo.options(), installation, null, failure);
        this.demo = demo;
        this.result = demo.result();
        if (failure == null) {
            LatencyAnalysis analysis = new LatencyAnalysis(result.samples, result.load);
            LatencyStatistics steady = analysis.outside(demo.affected(), demo.steadyMicros());
            latencyMs.put("steady", steady);
            longestGapMs = analysis.all().longestGap;
            longestSteadyGapMs = steady.longestGap;
            if (!result.rescales.isEmpty()) {
                latencyMs.put("rescale", analysis.within(demo.affected()));
                longestRescaleGapMs = latencyMs.get("rescale").longestGap;
            }
            overloaded = demo.isOverloaded();
            Backlog end = Backlog.at(result.samples, result.load.endMicros);
            endBehindMs = end.behindMillis();
            endBacklogRecords = end.records;
        }
    }

    /** Prints the outcome. */
    void print(PrintWriter out) {
        LatencyAnalysis analysis = new LatencyAnalysis(result.samples, result.load);
        out.println();
        out.printf(
                "  %-16s %9s %10s %10s %10s %10s %12s%n",
                "latency in ms", "records", "p50", "p99", "p99.9", "max", "longest gap");
        row(out, "steady", latencyMs.get("steady"));
        for (RescaleRun run : result.rescales) {
            row(out, "rescale " + run.from + " to " + run.to, analysis.within(run.affected()));
        }
        if (demo.isOverloaded()) {
            out.println(
                    "  Overload: the job fell behind, so these latencies show how long it was"
                            + " overloaded, not what a rescale costs.");
        }
        out.println();
        result.rescales.forEach(run -> print(run, out));
        verdict(out);
        out.flush();
    }

    private static void row(PrintWriter out, String name, LatencyStatistics latency) {
        out.printf(
                Locale.ROOT,
                "  %-16s %9d %10.1f %10.1f %10.1f %10.1f %12.1f%n",
                name,
                latency.records,
                latency.p50,
                latency.p99,
                latency.p999,
                latency.max,
                latency.longestGap);
    }

    private void print(RescaleRun run, PrintWriter out) {
        RescaleDetails rescale = run.rescale;
        out.printf(
                Locale.ROOT,
                "  Rescale %d to %d: %s after %d ms, first record at a new owner %s; %d steps,"
                        + " %d units moved (%d on demand), %d bytes; no task stopped for longer"
                        + " than %.1f ms.%n",
                run.from,
                run.to,
                rescale.status(),
                rescale.durationMs(),
                rescale.firstRecordMs() == null
                        ? "never seen"
                        : "after " + rescale.firstRecordMs() + " ms",
                rescale.stepsCompleted(),
                rescale.unitsMigrated(),
                rescale.unitsOnDemand(),
                rescale.bytes(),
                rescale.longestStopMicros() / 1_000.0);
        Backlog backlog = Backlog.at(result.samples, run.interval.startMicros);
        out.printf(
                Locale.ROOT,
                "    When it began, the job was %.0f ms behind: %d records waited.%n",
                backlog.behindMillis(),
                backlog.records);
        if (rescale.longestWithoutCheckpointMs() != null) {
            out.printf(
                    "    Longest time without a completed checkpoint: %d ms.%n",
                    rescale.longestWithoutCheckpointMs());
        }
        if (rescale.failure() != null) {
            out.println("    " + rescale.failure());
        }
    }

    private void verdict(PrintWriter out) {
        Verdict verdict = result.verdict;
        out.printf(
                "  %d records, %d results: %d lost, %d duplicated, %d reordered, %d unknown:"
                        + " %s.%n",
                verdict.records,
                verdict.results,
                verdict.lost,
                verdict.duplicated,
                verdict.reordered,
                verdict.unknown,
                verdict);
        verdict.examples.forEach(example -> out.println("    " + example));
        out.printf(
                "  %s; %d checkpoints completed, %d failed.%n",
                result.health.wasRestarted()
                        ? "TASKS WERE RESTARTED (attempt " + result.health.highestAttempt + ")"
                        : "No task was restarted",
                result.health.checkpointsCompleted,
                result.health.checkpointsFailed);
        if (result.redis != null) {
            out.printf(
                    "  Redis %s: %d writes; %d payloads left.%n",
                    result.redis.redisPayloadsLeft == 0 ? "is empty" : "IS NOT EMPTY",
                    result.redis.redisWrites,
                    result.redis.redisPayloadsLeft);
        }
    }

    /** Draws latency (logarithmic) and throughput over time, with the rescales shaded. */
    static void plot(RunResult result, Path file) throws IOException {
        LatencyWindows windows = new LatencyWindows(result.samples, result.load);
        double seconds = result.load.millis() / 1e3;
        Chart latency = Chart.latency(windows, seconds);
        Chart throughput =
                Chart.linear("Results per second", "1/s", seconds)
                        .line("results", windows.seconds, windows.throughput, Chart.GREY);
        int number = 0;
        for (RescaleRun run : result.rescales) {
            number++;
            for (Chart chart : Arrays.asList(latency, throughput)) {
                chart.shade(
                        number + ": " + run.from + " to " + run.to,
                        (run.interval.startMicros - result.load.startMicros) / 1e6,
                        (run.interval.endMicros - result.load.startMicros) / 1e6,
                        Chart.RESCALE,
                        true);
            }
        }
        Chart.save(file, Arrays.asList(latency, throughput));
    }
}
