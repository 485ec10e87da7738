// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import io.meces.core.store.DeferredData;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Executor;
import javax.annotation.Nullable;
import org.apache.flink.util.ResourceGuard;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;

/**
 * Reads a frozen key-group, state by state, in a helper thread that stays some chunks ahead. Blocks
 * that it reads are not kept in the cache.
 *
 * <p>Called by the task thread; what both threads need is guarded by this object, and no call into
 * the database is made under it.
 */
final class KeyGroupStream implements DeferredData.Stream {

    /** How many chunks are read ahead. */
    private static final int AHEAD = 2;

    private final RocksDB db;
    private final Iterator<Map.Entry<String, ColumnFamilyHandle>> states;
    private final byte[] first;
    private final long chunkBytes;
    private final Executor helper;
    private final Runnable whenMore;
    private final ResourceGuard guard;
    private final Slice end;
    private final ReadOptions options;
    private final KeyRows.Writer writer = new KeyRows.Writer();

    /**
     * From the first row on, of the helper: a task must not wait with its end for helpers that
     * others have.
     */
    @Nullable private ResourceGuard.Lease lease;

    /** Of the helper; null between two states. */
    @Nullable private RocksIterator rows;

    private String state = "";

    private final Queue<byte[]> chunks = new ArrayDeque<>();

    /** Of the helper. */
    private final ProcessorYield processorYield = new ProcessorYield();

    private boolean reading;
    private boolean readAll;
    private boolean closed;
    private boolean released;
    @Nullable private Throwable failure;

    /**
     * @param states all of the backend, by name
     * @param guard of the database, which is not closed while a lease is taken
     */
    KeyGroupStream(
            RocksDB db,
            Map<String, ColumnFamilyHandle> states,
            int keyGroup,
            int prefixLength,
            long chunkBytes,
            Executor helper,
            Runnable whenMore,
            ResourceGuard guard) {
        this.db = db;
        List<Map.Entry<String, ColumnFamilyHandle>> all = new ArrayList<>(states.entrySet());
        this.states = all.iterator();
        this.first = KeyGroupPrefix.of(keyGroup, prefixLength);
        this.chunkBytes = chunkBytes;
        this.helper = helper;
        this.whenMore = whenMore;
        this.guard = guard;
        this.end = new Slice(KeyGroupPrefix.of(keyGroup + 1, prefixLength));
        this.options =
                new ReadOptions()
                        .setTotalOrderSeek(true)
                        .setFillCache(false)
                        .setIterateUpperBound(end);
        readAhead();
    }

    @Override
    @Nullable
    public byte[] poll() throws IOException {
        byte[] chunk;
        synchronized (this) {
            if (failure != null) {
                throw new IOException("Cannot read state that is to move", failure);
            }
            chunk = chunks.poll();
        }
        readAhead();
        return chunk;
    }

    @Override
    public synchronized boolean isAtEnd() {
        return readAll && chunks.isEmpty() && failure == null;
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
            if (reading) {
                // the helper does it
                return;
            }
        }
        release();
    }

    private void readAhead() {
        synchronized (this) {
            if (reading || readAll || closed || failure != null || chunks.size() >= AHEAD) {
                return;
            }
            reading = true;
        }
        helper.execute(this::read);
    }

    /** The helper, one at a time. */
    private void read() {
        boolean again = true;
        while (again) {
            byte[] chunk = null;
            Throwable failed = null;
            try {
                chunk = isClosed() ? null : nextChunk();
            } catch (Throwable e) {
                // also that there is no memory for a large row: the task fails, not the process
                failed = e;
            }
            boolean release;
            synchronized (this) {
                if (failed != null) {
                    failure = failed;
                } else if (chunk == null) {
                    readAll = true;
                } else {
                    chunks.add(chunk);
                }
                again = chunk != null && !closed && chunks.size() < AHEAD;
                reading = again;
                release = closed && !again;
            }
            if (release) {
                release();
            }
            whenMore.run();
        }
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    @Nullable
    private byte[] nextChunk() throws IOException, RocksDBException {
        if (lease == null) {
            lease = guard.acquireResource();
        }
        while (writer.length() < chunkBytes) {
            if (rows == null) {
                if (!states.hasNext()) {
                    return writer.length() == 0 ? null : writer.take();
                }
                Map.Entry<String, ColumnFamilyHandle> next = states.next();
                state = next.getKey();
                rows = db.newIterator(next.getValue(), options);
                rows.seek(first);
            }
            if (rows.isValid()) {
                byte[] row = rows.key();
                byte[] value = rows.value();
                writer.add(state, row, value);
                rows.next();
                processorYield.after(row.length + value.length);
            } else {
                rows.status();
                rows.close();
                rows = null;
            }
        }
        return writer.take();
    }

    /** Whoever comes last. */
    private void release() {
        synchronized (this) {
            if (released) {
                return;
            }
            released = true;
        }
        if (rows != null) {
            rows.close();
        }
        options.close();
        end.close();
        if (lease != null) {
            lease.close();
        }
    }
}
