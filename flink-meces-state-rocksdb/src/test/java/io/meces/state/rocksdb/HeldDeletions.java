// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import javax.annotation.Nullable;

/**
 * Keeps {@link RowDeletions} of what was restored from beginning: all of their helpers are busy. So
 * a test can do what it wants while rows are still there, however few they are. Any thread.
 */
public final class HeldDeletions implements AutoCloseable {

    private final CountDownLatch opened = new CountDownLatch(1);

    /** Opens when it waits for something; null: it does not. */
    @Nullable private volatile Thread waiting;

    /** Holds them from now on. */
    public HeldDeletions() {
        for (int i = 0; i < helpers().getMaximumPoolSize(); i++) {
            helpers().execute(this::awaitOpening);
        }
    }

    private static ThreadPoolExecutor helpers() {
        return (ThreadPoolExecutor) RowDeletions.RESTORED;
    }

    private void awaitOpening() {
        try {
            while (!opened.await(1, TimeUnit.MILLISECONDS)) {
                Thread task = waiting;
                if (task != null && task.getState() == Thread.State.WAITING) {
                    open();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** From now on, if the calling thread waits for one, they go on: not before. */
    void openWhenThisThreadWaits() {
        waiting = Thread.currentThread();
    }

    /** How many runs of key-groups are to be deleted. */
    public int waiting() {
        return helpers().getQueue().size();
    }

    public void open() {
        opened.countDown();
    }

    @Override
    public void close() {
        open();
    }
}
