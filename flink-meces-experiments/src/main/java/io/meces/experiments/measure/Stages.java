// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.measure;

import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * How long records were where on their way, on average per 100 ms of the times at which they were
 * due: until the job read them, from there until they were counted, and from there until their
 * result was in Kafka. Not thread-safe.
 */
public final class Stages {
    /** How many stages there are. */
    public static final int COUNT = 3;

    private static final long WINDOW_MICROS = 100_000L;

    /** Per window: the sums in µs, and the number of records behind them. */
    private final NavigableMap<Long, double[]> windows = new TreeMap<>();

    /** Adds a record; all times in µs since the epoch, in the order in which it went its way. */
    public void add(long due, long read, long counted, long done) {
        double[] sums = windows.computeIfAbsent(window(due), w -> new double[COUNT + 1]);
        sums[0] += Math.max(0, read - due);
        sums[1] += Math.max(0, counted - read);
        sums[2] += Math.max(0, done - counted);
        sums[COUNT]++;
    }

    /**
     * The averages in ms of the records that were due in an interval, to the window.
     *
     * @return per stage, and behind them how many records these are; NaN if none
     */
    public double[] within(Interval interval) {
        double[] sums = new double[COUNT + 1];
        windows.subMap(window(interval.startMicros), window(interval.endMicros))
                .values()
                .forEach(
                        window -> {
                            for (int i = 0; i <= COUNT; i++) {
                                sums[i] += window[i];
                            }
                        });
        for (int stage = 0; stage < COUNT; stage++) {
            sums[stage] = sums[stage] / sums[COUNT] / 1_000;
        }
        return sums;
    }

    private static long window(long micros) {
        return Math.floorDiv(micros, WINDOW_MICROS);
    }

    /**
     * The averages in ms.
     *
     * @param startMicros of the first window
     * @param count how many windows
     * @return per stage and window; NaN where there was no record
     */
    public double[][] millis(long startMicros, int count) {
        double[][] millis = new double[COUNT][count];
        long first = window(startMicros);
        for (int i = 0; i < count; i++) {
            double[] sums = windows.get(first + i);
            for (int stage = 0; stage < COUNT; stage++) {
                millis[stage][i] = sums == null ? Double.NaN : sums[stage] / sums[COUNT] / 1_000;
            }
        }
        return millis;
    }
}
