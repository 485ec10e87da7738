// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import io.meces.core.exchange.TaskThread;
import io.meces.flink.rocksdb.RocksDBRelease;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import org.apache.flink.util.ResourceGuard;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.FlushOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * Flushes memtables that are large ahead of a checkpoint. An incremental one begins with that in
 * the task thread, where records wait for it. There is more than in a job at rest: what has come
 * may be in memtables, and a checkpoint may have been held back.
 *
 * <p>Owned by the task thread.
 */
final class EarlyFlush {

    /** What is less takes a checkpoint some ms; and small files make many compactions. */
    static final long LARGE_BYTES = 1 << 20;

    /** With fewer files in level 0 RocksDB does not wait for a compaction before a flush. */
    private static final int FEW_FILES = 4;

    private static final long POLL_NANOS = 2_000_000;

    /** After that a checkpoint may wait. */
    private static final long LONGEST_NANOS = 5_000_000_000L;

    private final RocksDB db;
    private final ResourceGuard guard;
    private final Executor helpers;
    private final TaskThread thread;
    private final BooleanSupplier isClosed;

    /**
     * @param isClosed whether nobody is interested any more; the database may be gone then
     */
    EarlyFlush(
            RocksDB db,
            ResourceGuard guard,
            Executor helpers,
            TaskThread thread,
            BooleanSupplier isClosed) {
        this.db = db;
        this.guard = guard;
        this.helpers = helpers;
        this.thread = thread;
        this.isClosed = isClosed;
    }

    /**
     * Flushes what is large.
     *
     * @param whenFlushed run in the task thread, after some seconds in any case; at once if nothing
     *     is large
     */
    void flush(Collection<ColumnFamilyHandle> families, TaskThread.Mail whenFlushed)
            throws Exception {
        long deadline = thread.nanoTime() + LONGEST_NANOS;
        await(families, deadline, () -> flushLarge(families, deadline, whenFlushed));
    }

    private void flushLarge(
            Collection<ColumnFamilyHandle> families, long deadline, TaskThread.Mail whenFlushed)
            throws Exception {
        List<ColumnFamilyHandle> large = new ArrayList<>();
        if (thread.nanoTime() - deadline < 0) {
            for (ColumnFamilyHandle family : families) {
                if (isLarge(family)) {
                    large.add(family);
                }
            }
        }
        if (large.isEmpty()) {
            whenFlushed.run();
            return;
        }
        helpers.execute(
                () -> {
                    TaskThread.Mail mail = () -> await(large, deadline, whenFlushed);
                    // not before: a task must not wait with its end for helpers that others have
                    try (ResourceGuard.Lease lease = guard.acquireResource();
                            FlushOptions noWaiting = new FlushOptions().setWaitForFlush(false)) {
                        for (ColumnFamilyHandle family : large) {
                            // it may have become full meanwhile, and be flushed
                            if (isLarge(family)) {
                                db.flush(noWaiting, family);
                            }
                        }
                    } catch (Exception e) {
                        mail =
                                () -> {
                                    throw new IOException("Cannot flush what has come", e);
                                };
                    }
                    thread.execute(mail, "Memtables are being flushed");
                });
    }

    /**
     * Whether a flush takes long, and RocksDB 5.17 begins it at once. It waits, in native code that
     * nothing ends, where one more memtable or file would slow down writes. Any thread.
     */
    private boolean isLarge(ColumnFamilyHandle family) throws RocksDBException {
        return RocksDBRelease.bytesInMemory(db, family) >= LARGE_BYTES
                && db.getLongProperty("rocksdb.background-errors") == 0
                && hasRoom(family);
    }

    private boolean hasRoom(ColumnFamilyHandle family) throws RocksDBException {
        FilesInLevel0 files = new FilesInLevel0(db);
        int most = files.most(family);
        boolean waits = db.getLongProperty(family, "rocksdb.num-immutable-mem-table") > 0;
        return files.count(family) < (waits ? Math.min(most, FEW_FILES) : most);
    }

    /** Has something done when no flush of some families is pending, or it is late. */
    private void await(Collection<ColumnFamilyHandle> families, long deadline, TaskThread.Mail then)
            throws Exception {
        if (isClosed.getAsBoolean()) {
            return;
        }
        if (thread.nanoTime() - deadline < 0 && PendingFlushes.isPending(db, families)) {
            thread.executeAfter(
                    POLL_NANOS,
                    () -> await(families, deadline, then),
                    "Await the flush of memtables");
        } else {
            then.run();
        }
    }
}
