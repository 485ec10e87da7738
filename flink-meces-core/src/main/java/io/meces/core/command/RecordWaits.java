// SPDX-License-Identifier: Apache-2.0
package io.meces.core.command;

import java.io.Serializable;

/**
 * How long records waited at a new owner: for their unit, or for what the old owner still had of
 * their key. Not in it: what they then wait behind other records. An immutable value.
 */
public final class RecordWaits implements Serializable {
    private static final long serialVersionUID = 1L;

    public static final RecordWaits NONE = new RecordWaits(0, 0, 0);

    /** How many waited. */
    public final long records;

    /** All of them together, in ns. */
    public final long totalNanos;

    /** The one that waited for the longest, in ns. */
    public final long longestNanos;

    public RecordWaits(long records, long totalNanos, long longestNanos) {
        this.records = records;
        this.totalNanos = totalNanos;
        this.longestNanos = longestNanos;
    }

    /** Both together. */
    public RecordWaits plus(RecordWaits other) {
        return new RecordWaits(
                records + other.records,
                totalNanos + other.totalNanos,
                Math.max(longestNanos, other.longestNanos));
    }

    @Override
    public String toString() {
        return records
                + " records waited, "
                + totalNanos / 1_000
                + " us in total, the longest "
                + longestNanos / 1_000
                + " us";
    }
}
