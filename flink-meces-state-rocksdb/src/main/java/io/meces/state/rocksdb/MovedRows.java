// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import io.meces.core.store.DeferredKey;
import io.meces.core.store.FetchedKeys;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import javax.annotation.Nullable;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.EnvOptions;
import org.rocksdb.IngestExternalFileOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.SstFileWriter;
import org.rocksdb.Status;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts rows of a key-group into a database, from a helper. Many rows of a state become files that
 * RocksDB takes over as they are, at the lowest level where they fit. What goes through memtables
 * is written, flushed and compacted several times in all, by threads that compete with the task.
 *
 * <p>RocksDB takes a file over only if nothing else in the database has a key between its rows, no
 * tombstone either. So a file ends before a key that has been fetched. If a key of its range is
 * fetched while it is made, or RocksDB refuses it, its rows go through memtables. RocksDB could
 * place such a file all the same, with a sequence number of its own, but not safely with the
 * version of Flink 1.12 (5.17): where a compaction within level 0 takes such a file, what is
 * flushed later may count as older.
 *
 * <p>RocksDB drops what it writes to such a file from the memory in which the kernel keeps what has
 * been read and written. So it is read once: RocksDB needs it while it takes it over and writes
 * wait, records need it then, and so does the next checkpoint.
 *
 * <p>A key waits only while files with it, or around it, are being taken over, or a batch is being
 * written. It does not wait while files are made: that takes ten times as long.
 *
 * <p>Any thread, several at a time.
 */
final class MovedRows {

    private static final Logger LOG = LoggerFactory.getLogger(MovedRows.class);

    /** What is gathered for a file. */
    static final long FILE_BYTES = 8 << 20;

    private static final int BATCH_BYTES = 64 << 10;

    private static final int READ_BYTES = 64 << 10;

    /** Writes of records wait while files are taken over: on a slow disk for longer. */
    private static final long SLOW_NANOS = 200_000_000;

    /**
     * No file is begun for so many times as long as it took to take over the last ones, if that was
     * slow, or to write some that RocksDB refused; but not for longer than {@link
     * #LONGEST_REST_NANOS}. If a key has been fetched meanwhile, for as long as it took to write
     * them: where records need many keys, most files would be in vain.
     */
    private static final int REST = 10;

    private static final long LONGEST_REST_NANOS = 10_000_000_000L;

    private final RocksDB db;
    private final WriteOptions writeOptions;
    private final int prefixLength;
    private final Path directory;
    private final LongSupplier nanoTime;
    private final long leastFileBytes;
    private final Consumer<ColumnFamilyHandle> takenOver;

    /** Until when no file is begun. */
    private final AtomicLong restsUntil;

    private volatile boolean closed;

    /**
     * @param directory on the disk of the database, where files are written
     * @param leastFileBytes from how many bytes on rows of a state become a file: fewer are not
     *     worth one, as small files make many compactions
     * @param takenOver told of a state each time when files of it have been taken over at once, in
     *     any thread
     */
    MovedRows(
            RocksDB db,
            WriteOptions writeOptions,
            int prefixLength,
            Path directory,
            LongSupplier nanoTime,
            long leastFileBytes,
            Consumer<ColumnFamilyHandle> takenOver) {
        this.db = db;
        this.writeOptions = writeOptions;
        this.prefixLength = prefixLength;
        this.directory = directory;
        this.nanoTime = nanoTime;
        this.leastFileBytes = leastFileBytes;
        this.takenOver = takenOver;
        this.restsUntil = new AtomicLong(nanoTime.getAsLong());
    }

    /**
     * Writes chunks of a key-group, but no rows of keys that have been fetched.
     *
     * @param chunks in the order of the database, state by state
     * @param fetched keys of the key-group; it gets more meanwhile
     * @param families by the name of their state
     * @return how many bytes have been taken over as files
     */
    long write(
            int keyGroup,
            List<ByteBuffer> chunks,
            FetchedKeys fetched,
            Map<String, ColumnFamilyHandle> families)
            throws Exception {
        byte[] prefix = KeyGroupPrefix.of(keyGroup, prefixLength);
        Map<String, List<RowRange>> refused = new HashMap<>();
        long ingested;
        try (Runs runs = new Runs(fetched, families, refused)) {
            for (ByteBuffer chunk : chunks) {
                KeyRows.read(
                        chunk.duplicate(),
                        (state, row, value) -> {
                            if (!KeyGroupPrefix.isAt(row, prefix)) {
                                throw new IOException("A row of another key-group has come");
                            }
                            runs.add(state, row, value);
                        });
            }
            runs.endState();
            ingested = runs.ingested;
        }
        if (!refused.isEmpty()) {
            put(chunks, fetched, families, refused);
        }
        return ingested;
    }

    /** Some rows of some states. */
    private void put(
            List<ByteBuffer> chunks,
            FetchedKeys fetched,
            Map<String, ColumnFamilyHandle> families,
            Map<String, List<RowRange>> which)
            throws Exception {
        try (Batches batches = new Batches(fetched, families)) {
            for (ByteBuffer chunk : chunks) {
                KeyRows.read(
                        chunk.duplicate(),
                        (state, row, value) -> {
                            if (isIn(which.get(state), row)) {
                                batches.put(state, row, value);
                            }
                        });
            }
            batches.write();
        }
    }

    private boolean isIn(@Nullable List<RowRange> ranges, byte[] row) {
        if (ranges == null) {
            return false;
        }
        DeferredKey behindKeyGroup = RowRange.behindKeyGroup(row, prefixLength);
        return ranges.stream().anyMatch(range -> range.has(behindKeyGroup));
    }

    /**
     * Whether many rows that come now become files. Not the first ones of a database: rows of files
     * have the sequence number 0, and RocksDB 5.17 takes them for hidden in a compaction if a
     * snapshot has that number, too.
     */
    boolean mayBeFiles() {
        return leastFileBytes <= FILE_BYTES
                && db.getLatestSequenceNumber() > 0
                && nanoTime.getAsLong() - restsUntil.get() >= 0;
    }

    /** For so long no file is begun, or for longer if that has been said before. */
    void rest(long nanos) {
        long until = nanoTime.getAsLong() + Math.min(nanos, LONGEST_REST_NANOS);
        restsUntil.accumulateAndGet(until, (a, b) -> a - b >= 0 ? a : b);
    }

    /** What is being written ends with an error soon. */
    void close() {
        closed = true;
    }

    private void checkOpen() throws IOException {
        if (closed) {
            throw new IOException("The state backend has been closed");
        }
    }

    static ColumnFamilyHandle family(Map<String, ColumnFamilyHandle> families, String state)
            throws IOException {
        ColumnFamilyHandle family = families.get(state);
        if (family == null) {
            throw new IOException("No state '" + state + "' was in the schema of the donor");
        }
        return family;
    }

    /** The key that the row is of, if any of these: none begins with another one. */
    @Nullable
    private DeferredKey atOrBelow(NavigableSet<DeferredKey> keys, byte[] row) {
        return keys.isEmpty() ? null : keys.floor(RowRange.behindKeyGroup(row, prefixLength));
    }

    private boolean isOf(@Nullable DeferredKey key, byte[] row) {
        return key != null && key.isAt(row, prefixLength);
    }

    /** Makes a file of each run of rows of one state, if they are many. One thread. */
    private final class Runs implements AutoCloseable {

        private final FetchedKeys fetched;
        private final Map<String, ColumnFamilyHandle> families;
        private final Map<String, List<RowRange>> refused;

        /** For rows that are too few so far, or for a while. */
        private final Batches batches;

        @Nullable private String state;
        private boolean mayBeFile;
        private long ingested;
        private final ProcessorYield processorYield = new ProcessorYield();

        /** Those of the state. */
        private final List<RowFile> files = new ArrayList<>();

        @Nullable private DeferredKey below;
        private long bytes;
        private final List<byte[]> held = new ArrayList<>();
        @Nullable private RowFile file;

        /**
         * @param refused gets rows that have not been written, by state
         */
        private Runs(
                FetchedKeys fetched,
                Map<String, ColumnFamilyHandle> families,
                Map<String, List<RowRange>> refused) {
            this.fetched = fetched;
            this.families = families;
            this.refused = refused;
            this.batches = new Batches(fetched, families);
        }

        private void add(String ofState, byte[] row, byte[] value) throws Exception {
            checkOpen();
            if (!ofState.equals(state)) {
                endState();
                state = ofState;
                mayBeFile = mayBeFiles();
            }
            DeferredKey nowBelow = atOrBelow(fetched.all(), row);
            if (nowBelow != below) {
                endRun();
                below = nowBelow;
            }
            if (isOf(below, row)) {
                return;
            }
            bytes += row.length + value.length;
            if (file != null) {
                file.put(row, value);
            } else if (mayBeFile) {
                held.add(row);
                held.add(value);
                if (bytes >= leastFileBytes) {
                    file = new RowFile(family(families, state));
                    files.add(file);
                    for (int i = 0; i < held.size(); i += 2) {
                        file.put(held.get(i), held.get(i + 1));
                    }
                    held.clear();
                }
            } else {
                batches.put(state, row, value);
            }
            processorYield.after(row.length + value.length);
        }

        private void endRun() throws Exception {
            for (int i = 0; i < held.size(); i += 2) {
                batches.put(state, held.get(i), held.get(i + 1));
            }
            held.clear();
            file = null;
            bytes = 0;
        }

        private void endState() throws Exception {
            endRun();
            batches.write();
            if (!files.isEmpty()) {
                takeOver(family(families, state));
            }
            below = null;
        }

        private void takeOver(ColumnFamilyHandle family) throws Exception {
            for (RowFile each : files) {
                each.finish(processorYield);
            }
            RowRange all =
                    new RowRange(
                            files.get(0).first, files.get(files.size() - 1).last, prefixLength);
            fetched.hold(all::has);
            try {
                takeOver(family, nanoTime.getAsLong());
            } finally {
                fetched.release();
            }
            closeFiles();
        }

        private void takeOver(ColumnFamilyHandle family, long begun) throws Exception {
            List<RowFile> whole = new ArrayList<>();
            List<RowFile> left = new ArrayList<>();
            for (RowFile file : files) {
                (file.range().hasAny(fetched.all()) ? left : whole).add(file);
            }
            long rest = left.isEmpty() ? 0 : begun - files.get(0).begun;
            if (ingest(family, whole)) {
                whole.forEach(file -> ingested += file.bytes);
                long taken = nanoTime.getAsLong() - begun;
                rest = Math.max(rest, taken >= SLOW_NANOS ? REST * taken : 0);
            } else {
                left = files;
                rest = REST * (nanoTime.getAsLong() - files.get(0).begun);
            }
            for (RowFile file : left) {
                refused.computeIfAbsent(state, s -> new ArrayList<>()).add(file.range());
            }
            if (rest > 0) {
                rest(rest);
            }
        }

        private void closeFiles() {
            files.forEach(RowFile::close);
            files.clear();
        }

        @Override
        public void close() {
            batches.close();
            closeFiles();
        }
    }

    /** Whether RocksDB has taken files over, as nothing has a key between their rows. */
    private boolean ingest(ColumnFamilyHandle family, List<RowFile> files) throws RocksDBException {
        if (files.isEmpty()) {
            return true;
        }
        List<String> paths = new ArrayList<>();
        files.forEach(file -> paths.add(file.path.toString()));
        try (IngestExternalFileOptions how = new IngestExternalFileOptions()) {
            how.setMoveFiles(true);
            how.setAllowBlockingFlush(false);
            how.setAllowGlobalSeqNo(false);
            db.ingestExternalFile(family, paths, how);
            takenOver.accept(family);
            return true;
        } catch (RocksDBException e) {
            if (e.getStatus() != null && e.getStatus().getCode() == Status.Code.InvalidArgument) {
                LOG.debug("Rows go through memtables", e);
                return false;
            }
            throw e;
        }
    }

    /** Rows for memtables, while there is room for them. One thread. */
    private final class Batches implements AutoCloseable {

        private final FetchedKeys fetched;
        private final Map<String, ColumnFamilyHandle> families;
        private final WriteRoom room = new WriteRoom(db);
        private final WriteBatch batch = new WriteBatch();

        /** Those of the next batch, each with its value behind it. */
        private final List<byte[]> next = new ArrayList<>();

        private long bytes;

        /** Of those. */
        @Nullable private String state;

        private Batches(FetchedKeys fetched, Map<String, ColumnFamilyHandle> families) {
            this.fetched = fetched;
            this.families = families;
        }

        private void put(String ofState, byte[] row, byte[] value) throws Exception {
            if (!ofState.equals(state)) {
                write();
                state = ofState;
            }
            next.add(row);
            next.add(value);
            bytes += row.length + value.length;
            if (bytes >= BATCH_BYTES) {
                write();
            }
        }

        private void write() throws Exception {
            if (next.isEmpty()) {
                return;
            }
            room.await(families.values(), () -> closed);
            checkOpen();
            RowRange range = new RowRange(next.get(0), next.get(next.size() - 2), prefixLength);
            fetched.hold(range::has);
            try {
                fill(range.hasAny(fetched.all()));
                db.write(writeOptions, batch);
            } finally {
                fetched.release();
            }
            batch.clear();
            next.clear();
            bytes = 0;
        }

        private void fill(boolean skips) throws Exception {
            ColumnFamilyHandle family = family(families, state);
            for (int i = 0; i < next.size(); i += 2) {
                byte[] row = next.get(i);
                if (!skips || !isOf(atOrBelow(fetched.all(), row), row)) {
                    batch.put(family, row, next.get(i + 1));
                }
            }
        }

        @Override
        public void close() {
            batch.close();
        }
    }

    /** A file of rows that is written, and taken over, or deleted. One thread. */
    private final class RowFile implements AutoCloseable {

        private final Path path;
        private final long begun = nanoTime.getAsLong();
        private final ColumnFamilyOptions ofFamily;
        private final DBOptions defaults = new DBOptions();
        private final Options options;
        private final EnvOptions environment = new EnvOptions();
        private final SstFileWriter writer;
        private byte[] first;
        private byte[] last;
        private long bytes;

        private RowFile(ColumnFamilyHandle family) throws Exception {
            this.path = directory.resolve("moved-" + UUID.randomUUID() + ".sst");
            this.ofFamily = family.getDescriptor().getOptions();
            this.options = new Options(defaults, ofFamily);
            this.writer = new SstFileWriter(environment, options);
            try {
                writer.open(path.toString());
            } catch (RocksDBException e) {
                close();
                throw e;
            }
        }

        private void put(byte[] row, byte[] value) throws RocksDBException {
            writer.put(row, value);
            first = first == null ? row : first;
            last = row;
            bytes += row.length + value.length;
        }

        private RowRange range() {
            return new RowRange(first, last, prefixLength);
        }

        private void finish(ProcessorYield processorYield) throws Exception {
            writer.finish();
            ByteBuffer buffer = ByteBuffer.allocate(READ_BYTES);
            try (FileChannel written = FileChannel.open(path)) {
                while (!closed && written.read(buffer) >= 0) {
                    processorYield.after(buffer.position());
                    buffer.clear();
                }
            }
        }

        @Override
        public void close() {
            writer.close();
            environment.close();
            options.close();
            defaults.close();
            ofFamily.close();
            try {
                Files.deleteIfExists(path);
            } catch (IOException e) {
                LOG.warn("{} stays until the database is deleted", path, e);
            }
        }
    }
}
