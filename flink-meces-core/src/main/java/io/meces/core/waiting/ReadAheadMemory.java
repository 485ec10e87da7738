// SPDX-License-Identifier: Apache-2.0
package io.meces.core.waiting;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How much heap the tasks of a TaskManager take for elements that they have read ahead. When it is
 * used up, those with more than a little process before they read on. Thread-safe.
 */
public final class ReadAheadMemory {

    private final long limit;
    private final long least;
    private final AtomicLong used = new AtomicLong();

    /**
     * @param limit bytes for all tasks
     * @param least bytes that each task may use whatever the others do
     */
    public ReadAheadMemory(long limit, long least) {
        this.limit = limit;
        this.least = least;
    }

    /** One that nobody uses up. */
    public static ReadAheadMemory unlimited() {
        return new ReadAheadMemory(Long.MAX_VALUE, Long.MAX_VALUE);
    }

    /** That of one more task. */
    public Share share() {
        return new Share();
    }

    /** How many bytes all tasks use. */
    public long used() {
        return used.get();
    }

    /** What one task uses. Owned by its thread. */
    public final class Share {

        private long mine;

        Share() {}

        /** It uses so many bytes from now on. */
        public void use(long bytes) {
            if (bytes != mine) {
                used.addAndGet(bytes - mine);
                mine = bytes;
            }
        }

        /** How much of the limit this task uses. */
        public double ofLimit() {
            return (double) mine / limit;
        }

        /** How much of the limit all tasks use; may be more than 1. */
        public double usedByAll() {
            return (double) used.get() / limit;
        }

        /** Whether it should not use more. */
        public boolean isFull() {
            return mine >= least && used.get() >= limit;
        }
    }
}
