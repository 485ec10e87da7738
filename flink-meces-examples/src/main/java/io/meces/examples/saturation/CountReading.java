// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.saturation;

/**
 * How many records a subtask had counted at which time. Both are read together, where the subtask
 * runs, so it does not matter when and how often a metrics system looks. As text: {@code
 * <nanoseconds>:<records>}.
 */
public final class CountReading {

    /** By a clock of the process that counts; only differences mean something. */
    public final long nanos;

    public final long records;

    public CountReading(long nanos, long records) {
        this.nanos = nanos;
        this.records = records;
    }

    static CountReading now(long records) {
        return new CountReading(System.nanoTime(), records);
    }

    /**
     * Reads the text.
     *
     * @throws IllegalArgumentException if it is none of these
     */
    public static CountReading parse(String text) {
        int colon = text.indexOf(':');
        try {
            return new CountReading(
                    Long.parseLong(text.substring(0, Math.max(0, colon))),
                    Long.parseLong(text.substring(colon + 1)));
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("Not <nanoseconds>:<records>: " + text, e);
        }
    }

    /**
     * The same reading by a clock that stands still while the process does.
     *
     * @param stoodStillNanos for how long it did until then
     */
    public CountReading withoutPauses(long stoodStillNanos) {
        return new CountReading(nanos - stoodStillNanos, records);
    }

    /**
     * Records per second from an earlier reading of the same subtask to this one.
     *
     * @throws IllegalArgumentException if that one is not earlier or has more records
     */
    public double perSecondSince(CountReading earlier) {
        if (nanos <= earlier.nanos || records < earlier.records) {
            throw new IllegalArgumentException(this + " does not come after " + earlier + ".");
        }
        return (records - earlier.records) * 1e9 / (nanos - earlier.nanos);
    }

    @Override
    public String toString() {
        return nanos + ":" + records;
    }
}
