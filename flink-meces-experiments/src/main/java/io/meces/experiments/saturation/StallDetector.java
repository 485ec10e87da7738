/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

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
