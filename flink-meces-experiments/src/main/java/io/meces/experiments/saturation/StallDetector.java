// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.saturation;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Notices when the whole machine stands still for a while, as a virtual one may: a thread that
 * sleeps for 20 ms at a time, and how late it woke at worst.
 */
final class StallDetector implements AutoCloseable {
    private static final long SLEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final Thread thread;
    private volatile long longestNanos;
    private volatile boolean stopped;

    /** Starts to look. */
    StallDetector() {
        thread = new Thread(this::run, "stall-detector");
        thread.setDaemon(true);
        thread.start();
    }

    /** The longest stall so far, in ms. */
    long longestMillis() {
        return TimeUnit.NANOSECONDS.toMillis(longestNanos);
    }

    @Override
    public void close() {
        stopped = true;
        LockSupport.unpark(thread);
    }

    private void run() {
        long before = System.nanoTime();
        while (!stopped) {
            LockSupport.parkNanos(SLEEP_NANOS);
            long now = System.nanoTime();
            longestNanos = Math.max(longestNanos, now - before - SLEEP_NANOS);
            before = now;
        }
    }
}
