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

import java.io.IOException;
import java.util.function.LongSupplier;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * Keeps a task out of a wait of RocksDB that has no end. RocksDB 5.17 begins a checkpoint by a
 * flush, and waits with it until earlier memtables have been flushed, in native code that nothing
 * interrupts. If their flush has failed, as on a full disk, it waits for good. Here that is waited
 * for in Java, and fails.
 *
 * <p>Owned by the task thread.
 */
final class PendingFlushes {

    /** After that RocksDB itself may wait. */
    private static final long LONGEST_NANOS = 10_000_000_000L;

    private final RocksDB db;
    private final LongSupplier nanoTime;
    private final Pause pause;

    /** Lets some time pass. */
    @FunctionalInterface
    interface Pause {
        void sleep() throws InterruptedException;
    }

    PendingFlushes(RocksDB db, LongSupplier nanoTime, Pause pause) {
        this.db = db;
        this.nanoTime = nanoTime;
        this.pause = pause;
    }

    /**
     * Waits until memtables that are being flushed have been flushed, 10 s at most.
     *
     * @throws IOException if a flush has failed
     */
    void await() throws IOException, RocksDBException, InterruptedException {
        long deadline = nanoTime.getAsLong() + LONGEST_NANOS;
        while (any("num-immutable-mem-table")) {
            if (!any("num-running-flushes")) {
                if (any("background-errors")) {
                    throw new IOException(
                            "RocksDB could not write memtables to its disk, which may be full, so"
                                    + " there is no checkpoint; the LOG in its directory says more");
                }
                if (!any("mem-table-flush-pending")) {
                    // they wait to be flushed together with later ones
                    return;
                }
            }
            if (nanoTime.getAsLong() - deadline >= 0) {
                return;
            }
            pause.sleep();
        }
    }

    /** Of all column families. */
    private boolean any(String property) throws RocksDBException {
        return db.getAggregatedLongProperty("rocksdb." + property) > 0;
    }
}
