// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.measure;

import com.fasterxml.jackson.annotation.JsonProperty;
import org.HdrHistogram.Histogram;

/**
 * Latencies of some records in ms, and the longest time in which no result came. Without records
 * there is no latency: it is NaN. An immutable value.
 */
public final class LatencyStatistics {
    public final long records;
    public final double p50;
    public final double p99;

    @JsonProperty("p99.9")
    public final double p999;

    public final double max;
    public final double longestGap;

    LatencyStatistics(Histogram micros, long longestGapMicros) {
        records = micros.getTotalCount();
        p50 = millis(micros, 50);
        p99 = millis(micros, 99);
        p999 = millis(micros, 99.9);
        max = millis(micros, 100);
        longestGap = longestGapMicros / 1e3;
    }

    /** The latency that the given percentage of the records does not exceed. */
    static double millis(Histogram micros, double percentile) {
        return micros.getTotalCount() == 0
                ? Double.NaN
                : micros.getValueAtPercentile(percentile) / 1e3;
    }
}
