// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.measure;

/** A stretch of time, in µs since the epoch; the start is in it, the end is not. */
public final class Interval {
    public final long startMicros;
    public final long endMicros;

    public Interval(long startMicros, long endMicros) {
        this.startMicros = startMicros;
        this.endMicros = endMicros;
    }

    /** How long it is, in ms. */
    public double millis() {
        return (endMicros - startMicros) / 1e3;
    }

    public boolean contains(long micros) {
        return micros >= startMicros && micros < endMicros;
    }

    public boolean overlaps(long otherStart, long otherEnd) {
        return otherStart < endMicros && otherEnd > startMicros;
    }
}
