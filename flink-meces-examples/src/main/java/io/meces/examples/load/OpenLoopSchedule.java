// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.load;

/**
 * When records are due: at a fixed rate, whatever becomes of them. Latency that counts from these
 * times does not leave out the records that a stalled system keeps from being sent.
 */
public final class OpenLoopSchedule {
    private static final long MICROS_PER_SECOND = 1_000_000L;

    private final long startMicros;
    private final int rate;

    /**
     * A schedule.
     *
     * @param startMicros when the first record is due
     * @param rate records per second
     */
    public OpenLoopSchedule(long startMicros, int rate) {
        if (rate <= 0) {
            throw new IllegalArgumentException("The rate has to be positive, not " + rate + ".");
        }
        this.startMicros = startMicros;
        this.rate = rate;
    }

    /** When a record is due, in µs; records count from 0. */
    public long dueMicros(long index) {
        return startMicros
                + index / rate * MICROS_PER_SECOND
                + index % rate * MICROS_PER_SECOND / rate;
    }

    /** How many records are due at a time in µs: those with a smaller index than the result. */
    public long dueAt(long nowMicros) {
        long elapsed = nowMicros - startMicros;
        if (elapsed < 0) {
            return 0;
        }
        long count =
                elapsed / MICROS_PER_SECOND * rate
                        + elapsed % MICROS_PER_SECOND * rate / MICROS_PER_SECOND;
        // Both divisions round down: the record of that index may be due as well.
        while (dueMicros(count) <= nowMicros) {
            count++;
        }
        return count;
    }
}
