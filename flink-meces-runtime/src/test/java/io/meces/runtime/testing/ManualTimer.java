// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.testing;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Runs what is scheduled when the test says so. */
final class ManualTimer extends ScheduledThreadPoolExecutor {

    private final Deque<Runnable> scheduled = new ArrayDeque<>();

    ManualTimer() {
        super(1);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
        scheduled.add(task);
        return null;
    }

    /** Runs the next task; false if there is none. */
    boolean next() {
        Runnable task = scheduled.poll();
        if (task != null) {
            task.run();
        }
        return task != null;
    }
}
