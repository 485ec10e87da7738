// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import java.io.IOException;
import java.util.Collection;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * Keeps a task out of a wait of RocksDB of which nobody knows when it ends. RocksDB 5.17 begins a
 * checkpoint by a flush, and waits with it until earlier memtables have been flushed, in native
 * code that nothing interrupts. If their flush has failed, as on a full disk, it waits until there
 * is room. Here that is waited for in Java, and fails.
 *
 * <p>Owned by the task thread.
 */
final class PendingFlushes {

    /** After that RocksDB itself may wait. */
    private static final long LONGEST_NANOS = 10_000_000_000L;

    private final RocksDB db;
    private final Supplier<Collection<ColumnFamilyHandle>> families;
    private final LongSupplier nanoTime;
    private final Pause pause;

    /** Lets some time pass. */
    @FunctionalInterface
    interface Pause {
        void sleep() throws InterruptedException;
    }

    /**
     * @param families those in use; of one that has been dropped a memtable may stay for good
     */
    PendingFlushes(
            RocksDB db,
            Supplier<Collection<ColumnFamilyHandle>> families,
            LongSupplier nanoTime,
            Pause pause) {
        this.db = db;
        this.families = families;
        this.nanoTime = nanoTime;
        this.pause = pause;
    }

    /**
     * Waits until memtables that are being flushed have been flushed, 10 s at most.
     *
     * @throws IOException if a flush has failed: meanwhile, as 6.20 tries again for good, or
     *     before, and nothing is done about it for longer than it takes to get a thread
     */
    void await() throws IOException, RocksDBException, InterruptedException {
        long now = nanoTime.getAsLong();
        long deadline = now + LONGEST_NANOS;
        long busy = now;
        long failures = failures(db);
        while (isPending(db, families.get()) && now - deadline < 0) {
            if (failures(db) > failures || now - busy >= WriteRoom.PATIENCE_NANOS) {
                throw new IOException(
                        "RocksDB could not write memtables to its disk, which may be full, so there"
                                + " is no checkpoint; the LOG in its directory says more");
            }
            if (db.getLongProperty("rocksdb.num-running-flushes") > 0 || failures == 0) {
                busy = now;
            }
            pause.sleep();
            now = nanoTime.getAsLong();
        }
    }

    /** How many flushes and compactions have failed so far, each time that they were tried. */
    static long failures(RocksDB db) throws RocksDBException {
        return db.getLongProperty("rocksdb.background-errors");
    }

    /**
     * Whether memtables are to be flushed; those that wait for others to be flushed with are not.
     */
    static boolean isPending(RocksDB db, Collection<ColumnFamilyHandle> families)
            throws RocksDBException {
        for (ColumnFamilyHandle family : families) {
            if (db.getLongProperty(family, "rocksdb.num-immutable-mem-table") > 0
                    && (db.getLongProperty(family, "rocksdb.mem-table-flush-pending") > 0
                            || db.getLongProperty("rocksdb.num-running-flushes") > 0)) {
                return true;
            }
        }
        return false;
    }
}
