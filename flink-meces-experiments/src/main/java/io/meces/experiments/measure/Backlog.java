// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.measure;

import org.HdrHistogram.Histogram;

/** How far a job was behind its load at a point in time. */
public final class Backlog {
    private static final long BEFORE_MICROS = 1_000_000L;
    private static final long OVERLOAD_MICROS = 1_000_000L;

    /** Records that were due but had no result yet. */
    public final long records;

    /**
     * The median latency of the results of the second before, in µs; if none came, how long the
     * oldest record has been due.
     */
    final long behindMicros;

    private Backlog(long records, long behindMicros) {
        this.records = records;
        this.behindMicros = behindMicros;
    }

    /** The backlog at a time in µs since the epoch. Records that never got a result are not in. */
    public static Backlog at(Samples samples, long micros) {
        Histogram before = new Histogram(3);
        long waiting = 0;
        long oldest = micros;
        for (int i = 0; i < samples.size(); i++) {
            long due = samples.dueMicros(i);
            long done = samples.doneMicros(i);
            if (done > micros && due < micros) {
                waiting++;
                oldest = Math.min(oldest, due);
            } else if (done <= micros && done > micros - BEFORE_MICROS) {
                before.recordValue(samples.latencyMicros(i));
            }
        }
        return new Backlog(
                waiting,
                before.getTotalCount() == 0 ? micros - oldest : before.getValueAtPercentile(50));
    }

    /** As {@link #behindMicros}, in ms. */
    public double behindMillis() {
        return behindMicros / 1_000.0;
    }

    /** Whether the job was so late that latency says more about the load than about the job. */
    public boolean isOverload() {
        return behindMicros >= OVERLOAD_MICROS;
    }
}
