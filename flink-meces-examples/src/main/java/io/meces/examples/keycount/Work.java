// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.keycount;

import java.util.concurrent.locks.LockSupport;

/** Takes time. */
final class Work {

    /** Shorter waits than this are spent spinning: a parked thread wakes about 60 µs late. */
    private static final long SPIN_NANOS = 100_000L;

    private Work() {}

    static void atLeast(long nanos) {
        long deadline = System.nanoTime() + nanos;
        long left = nanos;
        while (left > 0) {
            if (left > SPIN_NANOS) {
                LockSupport.parkNanos(left - SPIN_NANOS);
            }
            left = deadline - System.nanoTime();
        }
    }
}
