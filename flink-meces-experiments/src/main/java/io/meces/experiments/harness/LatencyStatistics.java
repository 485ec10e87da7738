/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

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
