// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import io.meces.core.exchange.TaskThread;
import io.meces.core.store.DeferredData;
import io.meces.core.store.DeferredKey;
import io.meces.core.store.FetchedKeys;
import io.meces.state.DetachedThreads;
import io.meces.state.TimerInstaller;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.util.ResourceGuard;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;
import org.rocksdb.WriteBatch;

/**
 * The data of units whose ownership goes ahead of it: single keys are read and written by the task
 * thread, key-groups by a helper. A row stands at the receiver as at the donor, so nothing is
 * deserialized.
 *
 * <p>Owned by the task thread. A helper gets what it needs when it is given something to do.
 */
final class RocksDBDeferredData implements DeferredData {

    /** So many wake in a millisecond or two. */
    private static final int TIMERS_AT_ONCE = 2_000;

    /** Of all tasks of the process. What they do never waits for others of them. */
    static final Executor HELPERS = newHelpers("meces-rocksdb-data");

    /**
     * Of all tasks of the process, too: whoever reads for others does not wait for what is written.
     * A writer may wait for room.
     */
    static final Executor WRITERS = newHelpers("meces-rocksdb-rows");

    private static final int KEEP_ALIVE_SECONDS = 10;

    private final BackendDatabase database;
    private final Owner owner;
    private final SleepingTimers timers = new SleepingTimers();
    private final TimerInstaller installer;
    private final TaskThread thread;
    private final WriteRoom room;
    private final EarlyFlush early;
    private final MovedRows rows;
    private final PostponedCompactions compactions;
    private final KeyRows.Writer writer = new KeyRows.Writer();
    private final Set<KeyGroupStream> streams = Collections.newSetFromMap(new IdentityHashMap<>());

    private boolean closed;

    RocksDBDeferredData(
            BackendDatabase database,
            Owner owner,
            TimerInstaller installer,
            TaskThread thread,
            MovedRows rows,
            PostponedCompactions compactions) {
        this.database = database;
        this.owner = owner;
        this.installer = installer;
        this.thread = thread;
        this.room = new WriteRoom(database.db);
        this.early = new EarlyFlush(database.db, database.guard, HELPERS, thread, () -> closed);
        this.rows = rows;
        this.compactions = compactions;
    }

    /** Threads that end when they have had nothing to do for a while. */
    static Executor newHelpers(String name) {
        int threads = Math.max(2, Runtime.getRuntime().availableProcessors() / 2);
        ThreadPoolExecutor executor =
                new ThreadPoolExecutor(
                        threads,
                        threads,
                        KEEP_ALIVE_SECONDS,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        new DetachedThreads(name));
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    /** What has to know of it. Task thread. */
    interface Owner {

        /**
         * The data of a key-group that has left is not needed any more.
         *
         * @return done by any thread when it is gone
         */
        CompletableFuture<Void> dropped(int keyGroup);

        void closed();
    }

    /** A timer has come with its unit. */
    void sleep(int keyGroup, DeferredKey key, String queue, Object timer) {
        timers.add(keyGroup, key, queue, (InternalTimer<?, ?>) timer);
    }

    // ------------------------------------------------------------------------
    //  Donor
    // ------------------------------------------------------------------------

    @Override
    public void fetch(int keyGroup, DeferredKey key, Consumer<byte[]> whenRead) throws IOException {
        byte[] first = row(keyGroup, key);
        try (Slice end = new Slice(KeyGroupPrefix.of(keyGroup + 1, database.prefixLength));
                ReadOptions options =
                        new ReadOptions().setTotalOrderSeek(true).setIterateUpperBound(end)) {
            for (Map.Entry<String, ColumnFamilyHandle> state : database.families().entrySet()) {
                try (RocksIterator rows = database.db.newIterator(state.getValue(), options)) {
                    for (rows.seek(first);
                            rows.isValid() && KeyGroupPrefix.isAt(rows.key(), first);
                            rows.next()) {
                        writer.add(state.getKey(), rows.key(), rows.value());
                    }
                    rows.status();
                }
            }
        } catch (RocksDBException e) {
            writer.take();
            throw new IOException("Cannot read " + key + " of key-group " + keyGroup, e);
        }
        byte[] data = writer.take();
        database.metrics.extracted(data.length);
        whenRead.accept(data);
    }

    private byte[] row(int keyGroup, DeferredKey key) {
        byte[] prefix = KeyGroupPrefix.of(keyGroup, database.prefixLength);
        byte[] row = new byte[prefix.length + key.bytes().length];
        System.arraycopy(prefix, 0, row, 0, prefix.length);
        System.arraycopy(key.bytes(), 0, row, prefix.length, key.bytes().length);
        return row;
    }

    @Override
    public Stream stream(int keyGroup, long chunkBytes, Runnable whenMore) {
        KeyGroupStream stream =
                new KeyGroupStream(
                        database.db,
                        database.families(),
                        keyGroup,
                        database.prefixLength,
                        chunkBytes,
                        HELPERS,
                        whenMore,
                        database.guard);
        streams.add(stream);
        return new Stream() {
            @Override
            public byte[] poll() throws IOException {
                byte[] chunk = stream.poll();
                database.metrics.extracted(chunk == null ? 0 : chunk.length);
                return chunk;
            }

            @Override
            public boolean isAtEnd() {
                return stream.isAtEnd();
            }

            @Override
            public void close() {
                streams.remove(stream);
                stream.close();
            }
        };
    }

    @Override
    public void drop(int keyGroup, TaskThread.Mail whenDropped) {
        CompletableFuture<Void> dropped = owner.dropped(keyGroup);
        compactions.onDeletion(thread.nanoTime());
        dropped.whenComplete(
                (done, failure) ->
                        thread.execute(
                                failure == null
                                        ? whenDropped
                                        : () -> {
                                            throw new IOException(
                                                    "Cannot delete key-group "
                                                            + keyGroup
                                                            + ", which has left",
                                                    failure);
                                        },
                                "A key-group has been deleted"));
    }

    // ------------------------------------------------------------------------
    //  Receiver
    // ------------------------------------------------------------------------

    @Override
    public void installKey(int keyGroup, DeferredKey key, ByteBuffer data) throws Exception {
        database.metrics.installed(data.remaining());
        byte[] first = row(keyGroup, key);
        Map<String, ColumnFamilyHandle> families = database.families();
        try (WriteBatch batch = new WriteBatch()) {
            KeyRows.read(
                    data,
                    (state, row, value) -> {
                        if (!KeyGroupPrefix.isAt(row, first)) {
                            throw new IOException(
                                    "A row of another key than " + key + " has come for it");
                        }
                        batch.put(MovedRows.family(families, state), row, value);
                    });
            database.db.write(database.writeOptions, batch);
        } catch (RocksDBException e) {
            throw new IOException("Cannot write " + key + " of key-group " + keyGroup, e);
        }
        timers.wake(keyGroup, key, installer);
    }

    @Override
    public long gatheredBytes() {
        return rows.mayBeFiles() ? MovedRows.FILE_BYTES : 0;
    }

    @Override
    public void installChunks(
            int keyGroup,
            List<ByteBuffer> chunks,
            FetchedKeys fetched,
            TaskThread.Mail whenInstalled)
            throws Exception {
        chunks.forEach(chunk -> database.metrics.installed(chunk.remaining()));
        Map<String, ColumnFamilyHandle> families = database.families();
        WRITERS.execute(
                () -> {
                    TaskThread.Mail mail;
                    // not before: a task must not wait with its end for helpers that others have
                    try (ResourceGuard.Lease lease = database.guard.acquireResource()) {
                        long ingested = rows.write(keyGroup, chunks, fetched, families);
                        mail =
                                () -> {
                                    database.metrics.ingested(ingested);
                                    whenInstalled.run();
                                };
                    } catch (Throwable e) {
                        mail =
                                () -> {
                                    throw new IOException(
                                            "Cannot write state of key-group " + keyGroup, e);
                                };
                    }
                    thread.execute(mail, "Chunks of state have been written");
                });
    }

    @Override
    public void complete(
            int keyGroup, NavigableSet<DeferredKey> fetched, TaskThread.Mail whenComplete)
            throws Exception {
        wakeSome(keyGroup, whenComplete);
    }

    /** Some after the other, so that other mails and records go in between. */
    private void wakeSome(int keyGroup, TaskThread.Mail whenComplete) throws Exception {
        if (closed) {
            return;
        }
        if (timers.wakeSome(keyGroup, TIMERS_AT_ONCE, installer)) {
            thread.execute(() -> wakeSome(keyGroup, whenComplete), "Timers wake");
        } else {
            whenComplete.run();
        }
    }

    @Override
    public void settle(TaskThread.Mail whenSettled) throws Exception {
        early.flush(database.families().values(), whenSettled);
    }

    @Override
    public void settleAhead() throws Exception {
        if (!closed) {
            settle(() -> {});
        }
    }

    @Override
    public boolean hasRoom() {
        try {
            boolean hasRoom = room.exists(database.families().values(), thread.nanoTime());
            if (!hasRoom) {
                database.metrics.paused();
            }
            return hasRoom;
        } catch (RocksDBException e) {
            throw new IllegalStateException("RocksDB does not tell how it is", e);
        }
    }

    @Override
    public List<Sleeper> dueAt(long watermark, int limit) {
        return timers.dueAt(watermark, limit);
    }

    @Override
    public List<Sleeper> dueNow(int limit) {
        return timers.dueNow(System.currentTimeMillis(), limit);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            Collection<KeyGroupStream> open = new ArrayList<>(streams);
            streams.clear();
            open.forEach(KeyGroupStream::close);
            rows.close();
            owner.closed();
        }
    }
}
