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
