// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.soak;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.meces.experiments.cluster.Installation;
import io.meces.experiments.measure.LatencyAnalysis;
import io.meces.experiments.measure.LatencyStatistics;
import io.meces.experiments.measure.LatencyWindows;
import io.meces.experiments.measure.Verdict;
import io.meces.experiments.run.Chart;
import io.meces.experiments.run.RunReport;
import io.meces.experiments.run.RunResult;
import java.awt.Color;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import javax.annotation.Nullable;

/** The outcome of a soak: for programs, for people, and as a picture. */
final class SoakReport extends RunReport {
    private static final Color KILL = new Color(200, 30, 30, 200);
    private static final Color SAVEPOINT = new Color(30, 120, 200, 140);

    /** A kill takes no time; so much of the width shows it. */
    private static final double LEAST_WIDTH = 1 / 600.0;

    private final boolean success;
    private final long seed;
    private final double minutes;
    private final List<String> complaints;
    private final long rescalesFinished;
    private final long rescalesFailed;
    private final long rescalesAborted;
    private final long kills;
    private final long savepoints;
    private final long savepointsFailed;
    private final long longestWithoutCheckpointMs;
    private final List<Event> events;

    SoakReport(Soak soak, Installation installation, @Nullable Exception failure) {
        super(soak.result(), soak.options(), installation, soak.rescales(), failure);
        success = failure == null && soak.isSuccess();
        seed = soak.seed;
        minutes = soak.options().minutes;
        complaints = soak.complaints();
        rescalesFinished = soak.count(SoakAction.Kind.RESCALE, "FINISHED");
        rescalesFailed = soak.count(SoakAction.Kind.RESCALE, "FAILED");
        rescalesAborted = soak.count(SoakAction.Kind.RESCALE, "ABORTED");
        kills = soak.count(event -> event.killed);
        savepoints = soak.count(SoakAction.Kind.SAVEPOINT, "DONE");
        savepointsFailed = soak.count(SoakAction.Kind.SAVEPOINT, "FAILED");
        longestWithoutCheckpointMs = soak.checkpoints.longestMillis();
        RunResult result = soak.result();
        long start = result.load == null ? 0 : result.load.startMicros;
        events = soak.events.stream().map(e -> new Event(e, start)).collect(Collectors.toList());
        if (result.load != null) {
            LatencyAnalysis analysis = new LatencyAnalysis(result.samples, result.load);
            latencyMs.put("all", analysis.all());
            latencyMs.put(
                    "quiet",
                    analysis.outside(
                            soak.events.stream()
                                    .map(SoakEvent::interval)
                                    .collect(Collectors.toList()),
                            0));
        }
    }

    @JsonInclude(JsonInclude.Include.NON_NULL)
    private static final class Event {
        private final long startMs;
        private final long durationMs;
        private final String action;
        @Nullable private final Integer from;
        @Nullable private final Integer attempts;
        private final String outcome;
        @Nullable private final String failure;
        @Nullable private final Long longestWithoutCheckpointMs;

        private Event(SoakEvent event, long start) {
            boolean rescale = event.is(SoakAction.Kind.RESCALE);
            startMs = (event.startMicros - start) / 1_000;
            durationMs = (event.endMicros - event.startMicros) / 1_000;
            action = event.action.toString();
            from = rescale ? event.from : null;
            attempts = rescale ? event.attempts : null;
            outcome = event.outcome;
            failure = event.failure;
            longestWithoutCheckpointMs = event.longestWithoutCheckpointMs;
        }
    }

    /** Prints the outcome. */
    void print(Soak soak, PrintWriter out) {
        RunResult result = soak.result();
        Verdict verdict = result.verdict;
        out.println();
        line(
                out,
                "Rescales: %d asked for, %d finished, %d failed, %d aborted. Kills: %d."
                        + " Restarts: %s.",
                soak.rescales(),
                rescalesFinished,
                rescalesFailed,
                rescalesAborted,
                kills,
                result.health.restarts);
        line(
                out,
                "Checkpoints: %d completed, %d failed; %.1f s at most without one. Savepoints: %d"
                        + " completed, %d failed.",
                result.health.checkpointsCompleted,
                result.health.checkpointsFailed,
                longestWithoutCheckpointMs / 1e3,
                savepoints,
                savepointsFailed);
        latency(out, "all", latencyMs.get("all"));
        latency(out, "while nothing was done", latencyMs.get("quiet"));
        line(
                out,
                "%d records, %d committed results: %d lost, %d duplicated, %d reordered, %d"
                        + " unknown; %d overtaken in the topic.",
                verdict.records,
                verdict.results,
                verdict.lost,
                verdict.duplicated,
                verdict.reordered,
                verdict.unknown,
                verdict.overtakenInTopic);
        verdict.examples.forEach(example -> out.println("    " + example));
        complaints.forEach(complaint -> out.println("    " + complaint));
        if (result.redis != null) {
            line(out, "Redis: %d payloads left.", result.redis.redisPayloadsLeft);
        }
        line(out, "Seed %d: %s.", seed, success ? "exact" : "NOT AS IT SHOULD");
        out.flush();
    }

    private static void latency(PrintWriter out, String name, LatencyStatistics latency) {
        line(
                out,
                "Latency in ms, %s: p50 %.0f, p99 %.0f, p99.9 %.0f, max %.0f.",
                name,
                latency.p50,
                latency.p99,
                latency.p999,
                latency.max);
    }

    private static void line(PrintWriter out, String format, Object... arguments) {
        out.printf(Locale.ROOT, "  " + format + "%n", arguments);
    }

    /** Draws the latency over time, with what was done meanwhile. */
    static void plot(Soak soak, Path file) throws IOException {
        RunResult result = soak.result();
        double seconds = result.load.millis() / 1e3;
        Chart chart = Chart.latency(new LatencyWindows(result.samples, result.load), seconds);
        Set<String> legend = new HashSet<>();
        int number = 0;
        for (SoakEvent event : soak.events) {
            boolean rescale = event.is(SoakAction.Kind.RESCALE);
            String kind = event.killed ? "kill" : rescale ? "rescale" : "savepoint";
            double start = (event.startMicros - result.load.startMicros) / 1e6;
            double end = event.killed ? 0 : (event.endMicros - result.load.startMicros) / 1e6;
            number++;
            boolean first = legend.add(kind);
            chart.shade(
                    first ? kind : kind + " " + number,
                    start,
                    Math.min(Math.max(end, start + seconds * LEAST_WIDTH), seconds),
                    event.killed ? KILL : rescale ? Chart.RESCALE : SAVEPOINT,
                    first);
        }
        Chart.save(file, Collections.singletonList(chart));
    }
}
