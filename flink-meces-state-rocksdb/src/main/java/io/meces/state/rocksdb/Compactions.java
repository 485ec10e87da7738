// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import io.meces.state.DetachedThreads;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.apache.flink.util.ResourceGuard;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.CompactRangeOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has RocksDB give back the room of key-groups that have been deleted: until then a seek to one of
 * them takes as long as a walk over what was there. One at a time in the whole process, in a thread
 * of its own. A compaction that fails leaves all as it was.
 *
 * <p>Requests and {@link #close} by the task thread.
 */
final class Compactions implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Compactions.class);

    /** About as much at once: whoever closes the database waits for it. */
    private static final long BYTES = 256 << 20;

    /** Ends when it has had nothing to do for so long. */
    private static final int KEEP_ALIVE_SECONDS = 10;

    /** Of all tasks of the process. */
    static final ThreadPoolExecutor EXECUTOR = newExecutor();

    private final RocksDB db;
    private final ResourceGuard guard;
    private final int keyGroups;
    private final int prefixLength;
    private final Supplier<Collection<ColumnFamilyHandle>> columnFamilies;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final AtomicInteger pending = new AtomicInteger();

    Compactions(
            RocksDB db,
            ResourceGuard guard,
            int keyGroups,
            int prefixLength,
            Supplier<Collection<ColumnFamilyHandle>> columnFamilies) {
        this.db = db;
        this.guard = guard;
        this.keyGroups = keyGroups;
        this.prefixLength = prefixLength;
        this.columnFamilies = columnFamilies;
    }

    private static ThreadPoolExecutor newExecutor() {
        ThreadPoolExecutor executor =
                new ThreadPoolExecutor(
                        1,
                        1,
                        KEEP_ALIVE_SECONDS,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        new DetachedThreads("meces-rocksdb-compaction"));
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    /** How many ranges wait or are compacted right now. Any thread. */
    int pending() {
        return pending.get();
    }

    /** Compacts key-groups of all column families that there are now. */
    void request(int from, int to) {
        List<ColumnFamilyHandle> families = new ArrayList<>(columnFamilies.get());
        pending.incrementAndGet();
        EXECUTOR.execute(
                () -> {
                    try {
                        compact(families, from, to);
                    } finally {
                        pending.decrementAndGet();
                    }
                });
    }

    private void compact(List<ColumnFamilyHandle> families, int from, int to) {
        try {
            for (ColumnFamilyHandle family : families) {
                int at = from;
                while (at < to && !closed.get()) {
                    at = compactSome(family, at, to);
                }
            }
        } catch (RocksDBException e) {
            LOG.warn("Key-groups that have left are not compacted yet", e);
        } catch (IOException e) {
            LOG.debug("The backend has been closed", e);
        }
    }

    /** Up to which key-group. */
    private int compactSome(ColumnFamilyHandle family, int from, int to)
            throws RocksDBException, IOException {
        // the backend waits with its end for whoever has one
        try (ResourceGuard.Lease lease = guard.acquireResource();
                CompactRangeOptions options = new CompactRangeOptions()) {
            long each = 1 + db.getLongProperty(family, "rocksdb.total-sst-files-size") / keyGroups;
            int end = (int) Math.min(to, from + Math.max(1, BYTES / each));
            db.compactRange(
                    family,
                    KeyGroupPrefix.of(from, prefixLength),
                    KeyGroupPrefix.of(end, prefixLength),
                    options.setExclusiveManualCompaction(false));
            return end;
        }
    }

    /** Nothing is begun any more. */
    @Override
    public void close() {
        closed.set(true);
    }
}
