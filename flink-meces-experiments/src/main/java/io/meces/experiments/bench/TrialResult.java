// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.bench;

import io.meces.experiments.measure.Interval;
import io.meces.experiments.measure.LatencyStatistics;
import io.meces.experiments.run.RunResult;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.annotation.Nullable;

/** What a run of one mechanism has shown. */
final class TrialResult {
    final Mechanism mechanism;

    /** From 1. */
    final int repeat;

    /** From the end of the warm-up to the end of the load. */
    final Interval measured;

    final Trial.Outcome outcome;
    final RunResult run;
    final Resources resources;

    /** Latency of all results; where there are windows, that of event time. */
    final Figures results;

    /** Latency of the markers. */
    final Figures markers;

    TrialResult(
            Mechanism mechanism,
            int repeat,
            Interval measured,
            Trial.Outcome outcome,
            RunResult run,
            Resources resources,
            int boundMillis) {
        this.mechanism = mechanism;
        this.repeat = repeat;
        this.measured = measured;
        this.outcome = outcome;
        this.run = run;
        this.resources = resources;
        this.results = new Figures(run.samples, measured, outcome.run.interval, boundMillis);
        this.markers = new Figures(run.markers, measured, outcome.run.interval, boundMillis);
    }

    /** When the rescale was asked for, in µs since the epoch. */
    long requestMicros() {
        return outcome.run.interval.startMicros;
    }

    /** What records waited for; null if that is not known. */
    @Nullable
    Causes causes() {
        return Causes.of(
                run.stages, measured, results.affected, outcome.run.rescale.totalWaitMicros());
    }

    long restarts() {
        return run.health.restarts == null ? run.health.highestAttempt : run.health.restarts;
    }

    boolean isSuccess() {
        return run.verdict.isExact()
                && (mechanism.isAdaptive() || !run.health.wasRestarted())
                && outcome.run.isFinished();
    }

    /** All figures, by name, in order; NaN: not known. */
    Map<String, Double> figures() {
        Map<String, Double> figures = new LinkedHashMap<>();
        put(figures, "result", results);
        put(figures, "marker", markers);
        figures.put("rescale-ms", (double) outcome.run.rescale.durationMs());
        figures.put(
                "key-groups",
                (double) outcome.run.rescale.unitsMigrated() / outcome.unitsPerKeyGroup);
        figures.put("units", (double) outcome.run.rescale.unitsMigrated());
        figures.put("units-on-demand", (double) outcome.run.rescale.unitsOnDemand());
        figures.put("keys-fetched", (double) outcome.run.rescale.keysFetched());
        figures.put("bytes-moved", (double) outcome.run.rescale.bytes());
        figures.put("longest-stop-ms", outcome.run.rescale.longestStopMicros() / 1e3);
        figures.put("order-events", (double) outcome.run.rescale.orderEvents());
        figures.put("records-waited", (double) outcome.run.rescale.recordsWaited());
        figures.put("longest-wait-ms", outcome.run.rescale.longestWaitMicros() / 1e3);
        Causes causes = causes();
        figures.put("waited-for-job-ms", causes == null ? Double.NaN : causes.job);
        figures.put("waited-for-source-ms", causes == null ? Double.NaN : causes.source);
        figures.put("waited-for-state-ms", causes == null ? Double.NaN : causes.state);
        figures.put("waited-for-queue-ms", causes == null ? Double.NaN : causes.queue);
        figures.put("peak-heap-mb", resources.peakHeapMegabytes());
        figures.put(
                "rocksdb-stalls-steady",
                resources.stalls(new Interval(measured.startMicros, results.affected.startMicros)));
        figures.put("rocksdb-stalls-rescale", resources.stalls(results.affected));
        return figures;
    }

    private static void put(Map<String, Double> figures, String of, Figures latency) {
        put(figures, of + "-steady", latency.steady);
        put(figures, of + "-rescale", latency.rescale);
        figures.put(
                of + "-recovery-ms",
                latency.recoveryMillis == null ? Double.NaN : latency.recoveryMillis);
    }

    private static void put(Map<String, Double> figures, String of, LatencyStatistics latency) {
        figures.put(of + "-p50-ms", latency.p50);
        figures.put(of + "-p99-ms", latency.p99);
        figures.put(of + "-p99.9-ms", latency.p999);
        figures.put(of + "-peak-ms", latency.max);
        figures.put(of + "-records", (double) latency.records);
    }
}
