// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import java.util.Collection;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * Whether a database can take more in the background without slowing down records: not while
 * memtables fill up faster than they are flushed, or level 0 does. But only as long as RocksDB does
 * something about it. It does not if a job has told it to have many files in level 0, or after a
 * flush has failed, of which the next write tells.
 *
 * <p>Owned by one thread.
 */
final class WriteRoom {

    /** With as many memtables that wait to be flushed RocksDB stops writes, as Flink sets it. */
    private static final int MEMTABLES = 2;

    /** For so long RocksDB may do nothing, as all of its threads may serve other databases. */
    static final long PATIENCE_NANOS = 1_000_000_000;

    private static final long POLL_NANOS = 5_000_000;

    private final RocksDB db;
    private final FilesInLevel0 files;

    private boolean idle;
    private long idleSince;

    /** How many flushes and compactions had failed when there was room. */
    private long failures;

    WriteRoom(RocksDB db) {
        this.db = db;
        this.files = new FilesInLevel0(db);
    }

    boolean exists(Collection<ColumnFamilyHandle> families, long nowNanos) throws RocksDBException {
        if (!isCrowded(families)) {
            idle = false;
            failures = PendingFlushes.failures(db);
            return true;
        }
        if (isBusy()) {
            idle = false;
        } else if (!idle) {
            idle = true;
            idleSince = nowNanos;
        }
        return idle && nowNanos - idleSince >= PATIENCE_NANOS;
    }

    /** Waits until there is room, or whoever waits is told to stop. */
    void await(Collection<ColumnFamilyHandle> families, BooleanSupplier stops)
            throws RocksDBException {
        while (!stops.getAsBoolean() && !exists(families, System.nanoTime())) {
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    private boolean isCrowded(Collection<ColumnFamilyHandle> families) throws RocksDBException {
        for (ColumnFamilyHandle family : families) {
            if (isFlushLate(family) || files.count(family) >= files.most(family)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether memtables come faster than they are flushed: the next one is likely to be full before
     * the last one is gone. Those that wait to be flushed together with later ones are not late.
     */
    private boolean isFlushLate(ColumnFamilyHandle family) throws RocksDBException {
        long immutable = db.getLongProperty(family, "rocksdb.num-immutable-mem-table");
        if (immutable == 0
                || db.getLongProperty(family, "rocksdb.mem-table-flush-pending") == 0
                        && db.getLongProperty("rocksdb.num-running-flushes") == 0) {
            return false;
        }
        long active = db.getLongProperty(family, "rocksdb.cur-size-active-mem-table");
        long flushed = db.getLongProperty(family, "rocksdb.cur-size-all-mem-tables") - active;
        return immutable >= MEMTABLES || active >= flushed / 2;
    }

    /** Whether any flush or compaction runs, other than one that has failed and is tried again. */
    private boolean isBusy() throws RocksDBException {
        return PendingFlushes.failures(db) == failures
                && (db.getLongProperty("rocksdb.num-running-flushes") > 0
                        || db.getLongProperty("rocksdb.num-running-compactions") > 0);
    }
}
