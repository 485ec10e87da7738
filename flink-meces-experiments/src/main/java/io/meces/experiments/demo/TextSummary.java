// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.demo;

import io.meces.experiments.harness.ExactnessVerifier;
import io.meces.experiments.harness.LatencyAnalysis;
import io.meces.experiments.harness.LatencyStatistics;
import io.meces.experiments.harness.RescaleRun;
import java.io.PrintWriter;
import java.util.Locale;

/** The report of a demo for people. */
public final class TextSummary {
    private static final String ROW = "  %-16s %9d %10.1f %10.1f %10.1f %10.1f %12.1f%n";
    private static final String HEADER = "  %-16s %9s %10s %10s %10s %10s %12s%n";

    private TextSummary() {}

    /** Prints the outcome of a run. */
    public static void print(DemoResult result, PrintWriter out) {
        LatencyAnalysis analysis = new LatencyAnalysis(result.samples, result.load);
        out.println();
        out.printf(HEADER, "latency in ms", "records", "p50", "p99", "p99.9", "max", "longest gap");
        row(out, "steady", analysis.outside(result.affected(), result.steadyMicros()));
        for (RescaleRun run : result.rescales) {
            row(out, "rescale " + run.from + " to " + run.to, analysis.within(run.affected()));
        }
        if (result.isOverloaded()) {
            out.println(
                    "  Overload: the job fell behind, so these latencies show how long it was"
                            + " overloaded, not what a rescale costs.");
        }
        out.println();
        for (RescaleRun run : result.rescales) {
            out.printf(
                    Locale.ROOT,
                    "  Rescale %d to %d: %s after %d ms, first record at a new owner %s; %d steps,"
                            + " %d units moved (%d on demand), %d bytes; no task stopped for longer"
                            + " than %.1f ms.%n",
                    run.from,
                    run.to,
                    run.rescale.status(),
                    run.rescale.durationMs(),
                    run.rescale.firstRecordMs() == null
                            ? "never seen"
                            : "after " + run.rescale.firstRecordMs() + " ms",
                    run.rescale.stepsCompleted(),
                    run.rescale.unitsMigrated(),
                    run.rescale.unitsOnDemand(),
                    run.rescale.bytes(),
                    run.rescale.longestStopMicros() / 1_000.0);
            Backlog backlog = result.backlogAtStart(run);
            out.printf(
                    Locale.ROOT,
                    "    When it began, the job was %.0f ms behind: %d records waited.%n",
                    backlog.behindMillis(),
                    backlog.records);
            if (run.rescale.longestWithoutCheckpointMs() != null) {
                out.printf(
                        "    Longest time without a completed checkpoint: %d ms.%n",
                        run.rescale.longestWithoutCheckpointMs());
            }
            if (run.rescale.failure() != null) {
                out.println("    " + run.rescale.failure());
            }
        }
        verdict(result, out);
        out.flush();
    }

    private static void verdict(DemoResult result, PrintWriter out) {
        ExactnessVerifier.Verdict verdict = result.verdict;
        out.printf(
                "  %d records, %d results: %d lost, %d duplicated, %d reordered, %d unknown:"
                        + " %s.%n",
                verdict.records,
                verdict.results,
                verdict.lost,
                verdict.duplicated,
                verdict.reordered,
                verdict.unknown,
                verdict.isExact() ? "exact" : "NOT EXACT");
        verdict.examples.forEach(example -> out.println("    " + example));
        out.printf(
                "  %s; %d checkpoints completed, %d failed.%n",
                result.health.wasRestarted()
                        ? "TASKS WERE RESTARTED (attempt " + result.health.highestAttempt + ")"
                        : "No task was restarted",
                result.health.checkpointsCompleted,
                result.health.checkpointsFailed);
        if (result.redisRemains != null) {
            out.printf(
                    "  Redis %s: %d writes; %d payloads left.%n",
                    result.redisRemains.payloads == 0 ? "is empty" : "IS NOT EMPTY",
                    result.redisRemains.writes,
                    result.redisRemains.payloads);
        }
    }

    private static void row(PrintWriter out, String name, LatencyStatistics statistics) {
        out.printf(
                Locale.ROOT,
                ROW,
                name,
                statistics.records(),
                statistics.percentileMillis(50),
                statistics.percentileMillis(99),
                statistics.percentileMillis(99.9),
                statistics.maxMillis(),
                statistics.longestGapMillis());
    }
}
