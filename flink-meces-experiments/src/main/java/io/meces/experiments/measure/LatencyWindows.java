// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.measure;

import java.util.Arrays;
import org.HdrHistogram.Histogram;

/**
 * Latency and throughput over time, in windows of 100 ms: latency by when records were due,
 * throughput by when results came. A window in which no record was due has the latency NaN.
 */
public final class LatencyWindows {
    public static final long WINDOW_MICROS = 100_000L;

    private static final int LATENCY_BITS = 31;
    private static final long MAX_LATENCY = (1L << LATENCY_BITS) - 1;

    /** The middle of each window, in seconds since the start of the load. */
    public final double[] seconds;

    public final double[] p50Millis;
    public final double[] p99Millis;
    public final double[] maxMillis;

    /** Results per second. */
    public final double[] throughput;

    public LatencyWindows(Samples samples, Interval load) {
        int count = (int) ((load.endMicros - load.startMicros) / WINDOW_MICROS);
        seconds = new double[count];
        p50Millis = new double[count];
        p99Millis = new double[count];
        maxMillis = new double[count];
        throughput = new double[count];
        for (int i = 0; i < count; i++) {
            seconds[i] = (i + 0.5) * WINDOW_MICROS / 1e6;
        }
        latencies(samples, load, count);
        for (long done : samples.sortedDoneMicros()) {
            long window = Math.floorDiv(done - load.startMicros, WINDOW_MICROS);
            if (window >= 0 && window < count) {
                throughput[(int) window] += 1e6 / WINDOW_MICROS;
            }
        }
    }

    private void latencies(Samples samples, Interval load, int count) {
        // (window, latency) in one long each, sorted: the records of a window lie together.
        long[] packed = new long[samples.size()];
        int size = 0;
        for (int i = 0; i < samples.size(); i++) {
            long window = Math.floorDiv(samples.dueMicros(i) - load.startMicros, WINDOW_MICROS);
            if (window >= 0 && window < count) {
                packed[size++] =
                        window << LATENCY_BITS | Math.min(samples.latencyMicros(i), MAX_LATENCY);
            }
        }
        Arrays.sort(packed, 0, size);
        int next = 0;
        for (int window = 0; window < count; window++) {
            Histogram histogram = new Histogram(3);
            for (; next < size && packed[next] >> LATENCY_BITS == window; next++) {
                histogram.recordValue(packed[next] & MAX_LATENCY);
            }
            p50Millis[window] = LatencyStatistics.millis(histogram, 50);
            p99Millis[window] = LatencyStatistics.millis(histogram, 99);
            maxMillis[window] = LatencyStatistics.millis(histogram, 100);
        }
    }
}
