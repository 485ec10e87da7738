// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.measure;

import java.util.Arrays;

/**
 * When each record was due and when its result was there. Not thread-safe.
 *
 * <p>The time of a result is Kafka's LogAppendTime, which is in whole ms: of the candidates it has
 * the least noise, since the consumer that reads it back, its polls and its garbage collections are
 * not in it. It is taken as the end of its ms, so a latency is never understated and overstated by
 * 1 ms at most.
 */
public final class Samples {
    private long[] dueMicros = new long[1 << 16];
    private long[] doneMicros = new long[1 << 16];
    private int size;

    /** Adds a record: due in µs and its result's LogAppendTime in ms, both since the epoch. */
    public void add(long due, long appendMillis) {
        if (size == dueMicros.length) {
            dueMicros = Arrays.copyOf(dueMicros, size * 2);
            doneMicros = Arrays.copyOf(doneMicros, size * 2);
        }
        dueMicros[size] = due;
        doneMicros[size] = (appendMillis + 1) * 1_000L;
        size++;
    }

    public int size() {
        return size;
    }

    /** When a record was due, in µs since the epoch. */
    public long dueMicros(int index) {
        return dueMicros[index];
    }

    /** When the result of a record was there, in µs since the epoch. */
    public long doneMicros(int index) {
        return doneMicros[index];
    }

    /** From when a record was due to its result, in µs. */
    public long latencyMicros(int index) {
        return Math.max(0, doneMicros[index] - dueMicros[index]);
    }

    /** When the results were there, in µs since the epoch, in ascending order. */
    public long[] sortedDoneMicros() {
        long[] sorted = Arrays.copyOf(doneMicros, size);
        Arrays.sort(sorted);
        return sorted;
    }
}
