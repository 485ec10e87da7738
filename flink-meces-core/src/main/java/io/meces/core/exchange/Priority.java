// SPDX-License-Identifier: Apache-2.0
package io.meces.core.exchange;

/**
 * A stream of messages between two subtasks. Within a priority messages are delivered in the order
 * in which they were sent; priorities do not wait for each other.
 */
public enum Priority {
    /** What the protocol says: requests, markers that were passed, records that are forwarded. */
    CONTROL,
    /** Units that a record is waiting for. */
    URGENT,
    /** Units that are migrated in the background; only this priority is subject to flow control. */
    BULK;

    private static final Priority[] ALL = values();

    /** How many priorities there are. */
    public static final int COUNT = ALL.length;

    /**
     * The priority of an ordinal.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Priority of(int ordinal) {
        if (ordinal < 0 || ordinal >= COUNT) {
            throw new IllegalArgumentException("no priority " + ordinal);
        }
        return ALL[ordinal];
    }
}
