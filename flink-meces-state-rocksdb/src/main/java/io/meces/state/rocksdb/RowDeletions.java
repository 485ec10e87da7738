// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.apache.flink.util.ResourceGuard;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * Deletes the rows of key-groups one by one, in a helper, as Flink 1.12 does it where it clips a
 * database.
 *
 * <p>Range tombstones would be cheaper, but with RocksDB 5.17 what was deleted can come back. When
 * it puts a merge operand together with the row below, at a flush or in a compaction, it does not
 * ask whether a range tombstone is between ({@code MergeHelper::MergeUntil}); and compactions may
 * lose a part of one.
 *
 * <p>Owned by the task thread.
 */
final class RowDeletions implements AutoCloseable {

    private static final int BATCH_BYTES = 64 << 10;

    /** Looking for the next row is as much work as reading so much, about. */
    private static final int ROW_BYTES = 1 << 10;

    /** Of all tasks of the process, for what has left: the step of a rescale waits for it. */
    private static final Executor LEFT = RocksDBDeferredData.newHelpers("meces-rocksdb-deletions");

    /**
     * Of all tasks of the process, for what was restored: that may take minutes in one job, and
     * steps of others would last as long, and fail.
     */
    static final Executor RESTORED = RocksDBDeferredData.newHelpers("meces-rocksdb-stale");

    private final RocksDB db;
    private final WriteOptions writeOptions;
    private final ResourceGuard guard;
    private final int prefixLength;
    private final Supplier<Collection<ColumnFamilyHandle>> columnFamilies;

    /** What has begun and was not waited for, by key-group. */
    private final Map<Integer, CompletableFuture<Void>> begun = new HashMap<>();

    private final AtomicBoolean closed = new AtomicBoolean();

    /** Whether the task thread waits, so that no record is there that room could be left for. */
    private volatile boolean awaited;

    RowDeletions(
            RocksDB db,
            WriteOptions writeOptions,
            ResourceGuard guard,
            int prefixLength,
            Supplier<Collection<ColumnFamilyHandle>> columnFamilies) {
        this.db = db;
        this.writeOptions = writeOptions;
        this.guard = guard;
        this.prefixLength = prefixLength;
        this.columnFamilies = columnFamilies;
    }

    /**
     * Begins with a key-group that has left, of which nothing is read or written any more.
     *
     * @return done by any thread when all of its rows have been deleted; with a failure if the
     *     database is closed before
     */
    CompletableFuture<Void> beginLeft(int keyGroup) {
        return begin(keyGroup, keyGroup + 1, LEFT);
    }

    /**
     * Begins with a run of key-groups that were restored and belong elsewhere.
     *
     * @param to the one behind the last
     */
    void beginRestored(int from, int to) {
        begin(from, to, RESTORED);
    }

    private CompletableFuture<Void> begin(int from, int to, Executor helpers) {
        List<ColumnFamilyHandle> families = new ArrayList<>(columnFamilies.get());
        CompletableFuture<Void> done = new CompletableFuture<>();
        for (int keyGroup = from; keyGroup < to; keyGroup++) {
            begun.put(keyGroup, done);
        }
        helpers.execute(
                () -> {
                    // not before: a task must not wait with its end for helpers that others have
                    try (ResourceGuard.Lease lease = guard.acquireResource()) {
                        for (ColumnFamilyHandle family : families) {
                            delete(family, from, to, families);
                        }
                        done.complete(null);
                    } catch (Throwable e) {
                        // whoever waits for it throws it
                        done.completeExceptionally(e);
                    }
                });
        return done;
    }

    /** In the helper. */
    private void delete(
            ColumnFamilyHandle family, int from, int to, Collection<ColumnFamilyHandle> families)
            throws RocksDBException {
        WriteRoom room = new WriteRoom(db);
        ProcessorYield processorYield = new ProcessorYield();
        try (Slice end = new Slice(KeyGroupPrefix.of(to, prefixLength));
                ReadOptions options =
                        new ReadOptions()
                                .setTotalOrderSeek(true)
                                .setFillCache(false)
                                .setIterateUpperBound(end);
                RocksIterator rows = db.newIterator(family, options);
                WriteBatch batch = new WriteBatch()) {
            for (rows.seek(KeyGroupPrefix.of(from, prefixLength));
                    rows.isValid() && !closed.get();
                    rows.next()) {
                batch.delete(family, rows.key());
                if (!awaited) {
                    processorYield.after(ROW_BYTES);
                }
                if (batch.getDataSize() >= BATCH_BYTES) {
                    // records must not be slowed down, whose writes go the same way
                    room.await(families, () -> closed.get() || awaited);
                    db.write(writeOptions, batch);
                    batch.clear();
                }
            }
            rows.status();
            db.write(writeOptions, batch);
        }
    }

    /** Whether rows are still being deleted. */
    boolean areRunning() {
        return begun.values().stream().anyMatch(deletion -> !deletion.isDone());
    }

    /** Waits until a run of key-groups that have begun is done. */
    void await(int from, int to) throws IOException {
        awaited = true;
        try {
            for (int keyGroup = from; keyGroup < to; keyGroup++) {
                await(keyGroup);
            }
        } finally {
            awaited = false;
        }
    }

    private void await(int keyGroup) throws IOException {
        try {
            begun.remove(keyGroup).get();
        } catch (ExecutionException e) {
            throw new IOException("Cannot delete key-group " + keyGroup, e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("Interrupted while key-group " + keyGroup + " is deleted", e);
        }
    }

    /** What has begun ends soon. */
    @Override
    public void close() {
        closed.set(true);
    }
}
