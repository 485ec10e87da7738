// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.mechanisms;

import io.meces.api.RescaleStatus;
import io.meces.experiments.harness.Interval;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;

/** What a run of one mechanism has shown. */
final class TrialResult {
    final Mechanism mechanism;

    /** From 1. */
    final int repeat;

    final Interval measured;
    final Rescaling.Outcome outcome;

    /** Latency of all results; where there are windows, that of event time. */
    final Figures results;

    /** Latency of the markers. */
    final Figures markers;

    @Nullable final Stages stages;
    final Exactness exactness;

    /** How often Flink has restarted the job on its own. */
    final long restarts;

    final long checkpoints;

    /** As {@link ResourceSampler#heap}. */
    final List<long[]> heap;

    /** As {@link ResourceSampler#fetchMicros}. */
    final Map<String, double[]> fetchMicros;

    @Nullable private final RocksDBStalls stalls;

    TrialResult(
            Mechanism mechanism,
            int repeat,
            Interval measured,
            Rescaling.Outcome outcome,
            Figures results,
            Figures markers,
            @Nullable Stages stages,
            Exactness exactness,
            long restarts,
            long checkpoints,
            List<long[]> heap,
            Map<String, double[]> fetchMicros,
            @Nullable RocksDBStalls stalls) {
        this.mechanism = mechanism;
        this.repeat = repeat;
        this.measured = measured;
        this.outcome = outcome;
        this.results = results;
        this.markers = markers;
        this.stages = stages;
        this.exactness = exactness;
        this.restarts = restarts;
        this.checkpoints = checkpoints;
        this.heap = heap;
        this.fetchMicros = fetchMicros;
        this.stalls = stalls;
    }

    /** When the rescale was asked for, in µs since the epoch. */
    long requestMicros() {
        return outcome.run.interval.startMicros;
    }

    /** What records waited for; null if that is not known. */
    @Nullable
    Causes causes() {
        return Causes.of(stages, measured, results.affected, outcome.run.rescale.totalWaitMicros());
    }

    /** The most heap that all TaskManagers have used, in MB; NaN if it is not known. */
    double peakHeapMegabytes() {
        return heap.stream().mapToDouble(sample -> sample[1] / 1e6).max().orElse(Double.NaN);
    }

    /**
     * How often RocksDB has told that it slows down or stops writes in the rescale; NaN if that is
     * not known.
     */
    double stallsInRescale() {
        return stalls == null ? Double.NaN : stalls.within(results.affected);
    }

    /** The same, from the end of the warm-up until then. */
    double stallsSteady() {
        return stalls == null
                ? Double.NaN
                : stalls.within(new Interval(measured.startMicros, results.affected.startMicros));
    }

    boolean isSuccess() {
        return exactness.isExact()
                && restarts == 0
                && outcome.run.rescale.status() == RescaleStatus.FINISHED;
    }
}
