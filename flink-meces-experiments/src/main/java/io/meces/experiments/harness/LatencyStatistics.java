// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.harness;

import org.HdrHistogram.Histogram;

/** Latencies of some records, and the longest time in which no result came. */
public final class LatencyStatistics {
    private static final double MICROS_PER_MILLI = 1_000.0;

    private final Histogram histogram;
    private final long longestGapMicros;

    LatencyStatistics(Histogram histogram, long longestGapMicros) {
        this.histogram = histogram;
        this.longestGapMicros = longestGapMicros;
    }

    public long records() {
        return histogram.getTotalCount();
    }

    /** The latency that the given percentage of the records does not exceed, in ms. */
    public double percentileMillis(double percentile) {
        return histogram.getValueAtPercentile(percentile) / MICROS_PER_MILLI;
    }

    public double maxMillis() {
        return histogram.getMaxValue() / MICROS_PER_MILLI;
    }

    public double longestGapMillis() {
        return longestGapMicros / MICROS_PER_MILLI;
    }
}
