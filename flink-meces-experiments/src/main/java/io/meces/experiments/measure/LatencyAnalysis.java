// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.measure;

import java.util.Collections;
import java.util.List;
import java.util.function.LongPredicate;
import org.HdrHistogram.Histogram;

/** Sorts samples into phases of a run: steady, and one for each rescale. */
public final class LatencyAnalysis {
    private static final int SIGNIFICANT_DIGITS = 3;

    private final Samples samples;
    private final long[] done;
    private final Interval load;

    /**
     * An analysis.
     *
     * @param samples what was measured
     * @param load the time during which the generator was on
     */
    public LatencyAnalysis(Samples samples, Interval load) {
        this.samples = samples;
        this.done = samples.sortedDoneMicros();
        this.load = load;
    }

    /** All records of the load. */
    public LatencyStatistics all() {
        return new LatencyStatistics(histogram(load::contains), gap((from, to) -> true));
    }

    /** The records that were due within one of the intervals; gaps that overlap one. */
    public LatencyStatistics within(List<Interval> intervals) {
        return new LatencyStatistics(
                histogram(due -> load.contains(due) && anyContains(intervals, due)),
                gap((from, to) -> anyOverlaps(intervals, from, to)));
    }

    /** The records that were due within the interval; gaps that overlap it. */
    public LatencyStatistics within(Interval interval) {
        return within(Collections.singletonList(interval));
    }

    /** The records that were due from a time on and outside the intervals; gaps likewise. */
    public LatencyStatistics outside(List<Interval> intervals, long fromMicros) {
        return new LatencyStatistics(
                histogram(
                        due ->
                                due >= fromMicros
                                        && load.contains(due)
                                        && !anyContains(intervals, due)),
                gap((from, to) -> from >= fromMicros && !anyOverlaps(intervals, from, to)));
    }

    private Histogram histogram(LongPredicate due) {
        Histogram histogram = new Histogram(SIGNIFICANT_DIGITS);
        for (int i = 0; i < samples.size(); i++) {
            if (due.test(samples.dueMicros(i))) {
                histogram.recordValue(samples.latencyMicros(i));
            }
        }
        return histogram;
    }

    /** The longest time between results, counting the ends of the load as results. */
    private long gap(Gap accepted) {
        long longest = 0;
        long previous = load.startMicros;
        for (long time : done) {
            if (time < load.startMicros) {
                continue;
            }
            long next = Math.min(time, load.endMicros);
            if (next - previous > longest && accepted.accepts(previous, next)) {
                longest = next - previous;
            }
            previous = next;
            if (time >= load.endMicros) {
                return longest;
            }
        }
        if (load.endMicros - previous > longest && accepted.accepts(previous, load.endMicros)) {
            longest = load.endMicros - previous;
        }
        return longest;
    }

    private static boolean anyContains(List<Interval> intervals, long micros) {
        return intervals.stream().anyMatch(interval -> interval.contains(micros));
    }

    private static boolean anyOverlaps(List<Interval> intervals, long from, long to) {
        return intervals.stream().anyMatch(interval -> interval.overlaps(from, to));
    }

    /** Whether a time without results counts. */
    @FunctionalInterface
    private interface Gap {
        boolean accepts(long fromMicros, long toMicros);
    }
}
