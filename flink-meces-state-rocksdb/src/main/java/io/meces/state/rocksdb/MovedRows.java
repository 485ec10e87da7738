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

import io.meces.core.migration.DeferredKey;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
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
 * tombstone either. So a file ends before a key that has been fetched. In all other cases RocksDB
 * refuses the file, and its rows go through memtables. It could place such a file all the same,
 * with a sequence number of its own, but not safely with the version of Flink 1.12 (5.17): where a
 * compaction within level 0 takes such a file, what is flushed later may count as older.
 *
 * <p>Any thread, several at a time.
 */
final class MovedRows {

    private static final Logger LOG = LoggerFactory.getLogger(MovedRows.class);

    /** What is gathered for a file. Records wait for its keys while it is written. */
    static final long FILE_BYTES = 8 << 20;

    /** Fewer are not worth a file: small files make many compactions. */
    static final long LEAST_FILE_BYTES = 512 << 10;

    private static final int BATCH_BYTES = 64 << 10;

    /** Writes of records wait while files are taken over: on a slow disk for longer. */
    private static final long SLOW_NANOS = 200_000_000;

    /**
     * No file is begun for so many times as long as it took to take over the last one, if that was
     * slow, or to write one in vain; but not for longer than {@link #LONGEST_REST_NANOS}.
     */
    private static final int REST = 10;

    private static final long LONGEST_REST_NANOS = 10_000_000_000L;

    private final RocksDB db;
    private final WriteOptions writeOptions;
    private final int prefixLength;
    private final Path directory;
    private final LongSupplier nanoTime;
    private final long leastFileBytes;

    /**
     * Until when no file is begun. Of two threads one may overwrite the other's; no harm is done.
     */
    private volatile long restsUntil;

    private volatile boolean closed;

    /**
     * @param directory on the disk of the database, where files are written
     * @param leastFileBytes from how many bytes on rows of a state become a file
     */
    MovedRows(
            RocksDB db,
            WriteOptions writeOptions,
            int prefixLength,
            Path directory,
            LongSupplier nanoTime,
            long leastFileBytes) {
        this.db = db;
        this.writeOptions = writeOptions;
        this.prefixLength = prefixLength;
        this.directory = directory;
        this.nanoTime = nanoTime;
        this.leastFileBytes = leastFileBytes;
        this.restsUntil = nanoTime.getAsLong();
    }

    /**
     * Which keys may have rows between the first one and the last one of chunks, or all keys if
     * these have rows of several states, or cannot be read, which {@link #write} tells.
     *
     * @param chunks as for {@link #write}
     */
    Predicate<DeferredKey> keysOf(List<ByteBuffer> chunks) {
        Ends ends = new Ends();
        try {
            KeyRows.read(chunks.get(0).duplicate(), ends);
            KeyRows.read(chunks.get(chunks.size() - 1).duplicate(), ends);
        } catch (Exception e) {
            return key -> true;
        }
        return ends.range();
    }

    /**
     * Writes chunks of a key-group, but no rows of keys that are here.
     *
     * @param chunks in the order of the database, state by state
     * @param here keys of the key-group; it may get more meanwhile, but none between two rows
     * @param families by the name of their state
     * @return how many bytes have been taken over as files
     */
    long write(
            int keyGroup,
            List<ByteBuffer> chunks,
            NavigableSet<DeferredKey> here,
            Map<String, ColumnFamilyHandle> families)
            throws Exception {
        byte[] prefix = KeyGroupPrefix.of(keyGroup, prefixLength);
        Set<String> refused = new HashSet<>();
        long ingested;
        try (Runs runs = new Runs(here, families, refused)) {
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
            put(chunks, here, families, refused);
        }
        return ingested;
    }

    /**
     * Rows of some states, which nobody else has written: there is no harm in writing one twice.
     */
    private void put(
            List<ByteBuffer> chunks,
            NavigableSet<DeferredKey> here,
            Map<String, ColumnFamilyHandle> families,
            Set<String> states)
            throws Exception {
        try (Batches batches = new Batches(families)) {
            for (ByteBuffer chunk : chunks) {
                KeyRows.read(
                        chunk.duplicate(),
                        (state, row, value) -> {
                            if (states.contains(state) && !isOf(atOrBelow(here, row), row)) {
                                batches.put(state, row, value);
                            }
                        });
            }
            batches.write();
        }
    }

    /** Whether many rows that come now become files. */
    boolean mayBeFiles() {
        return nanoTime.getAsLong() - restsUntil >= 0;
    }

    private void rest(long now, long taken) {
        restsUntil = now + Math.min(REST * taken, LONGEST_REST_NANOS);
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
        return keys.isEmpty() ? null : keys.floor(behindKeyGroup(row));
    }

    private DeferredKey behindKeyGroup(byte[] row) {
        return new DeferredKey(Arrays.copyOfRange(row, prefixLength, row.length));
    }

    private boolean isOf(@Nullable DeferredKey key, byte[] row) {
        return key != null && key.isAt(row, prefixLength);
    }

    /** The first row and the last one. */
    private final class Ends implements KeyRows.Reader {

        @Nullable private String firstState;
        @Nullable private String lastState;
        private byte[] first;
        private byte[] last;

        @Override
        public void row(String state, byte[] row, byte[] value) {
            if (firstState == null) {
                firstState = state;
                first = row;
            }
            lastState = state;
            last = row;
        }

        private Predicate<DeferredKey> range() {
            if (firstState == null || !firstState.equals(lastState)) {
                return key -> true;
            }
            DeferredKey from = behindKeyGroup(first);
            DeferredKey to = behindKeyGroup(last);
            return key ->
                    key.compareTo(to) <= 0
                            && (key.compareTo(from) >= 0 || key.isAt(first, prefixLength));
        }
    }

    /** Makes a file of each run of rows of one state, if they are many. One thread. */
    private final class Runs implements AutoCloseable {

        private final NavigableSet<DeferredKey> here;
        private final Map<String, ColumnFamilyHandle> families;
        private final Set<String> refused;

        /** For rows that are too few so far, or for a while. */
        private final Batches batches;

        @Nullable private String state;
        private boolean mayBeFile;
        private long bytesOfFiles;
        private long ingested;

        /** Those of the state. */
        private final List<RowFile> files = new ArrayList<>();

        @Nullable private DeferredKey below;
        private long bytes;
        private final List<byte[]> held = new ArrayList<>();
        @Nullable private RowFile file;

        /**
         * @param refused gets states of which rows have not been written
         */
        private Runs(
                NavigableSet<DeferredKey> here,
                Map<String, ColumnFamilyHandle> families,
                Set<String> refused) {
            this.here = here;
            this.families = families;
            this.refused = refused;
            this.batches = new Batches(families);
        }

        private void add(String ofState, byte[] row, byte[] value) throws Exception {
            checkOpen();
            if (!ofState.equals(state)) {
                endState();
                state = ofState;
                mayBeFile = mayBeFiles();
            }
            DeferredKey nowBelow = atOrBelow(here, row);
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
        }

        private void endRun() throws Exception {
            for (int i = 0; i < held.size(); i += 2) {
                batches.put(state, held.get(i), held.get(i + 1));
            }
            held.clear();
            bytesOfFiles += file == null ? 0 : bytes;
            file = null;
            bytes = 0;
        }

        private void endState() throws Exception {
            endRun();
            batches.write();
            if (!files.isEmpty()) {
                takeOver(family(families, state));
            }
            bytesOfFiles = 0;
            below = null;
        }

        private void takeOver(ColumnFamilyHandle family) throws Exception {
            for (RowFile each : files) {
                each.finish();
            }
            long begun = nanoTime.getAsLong();
            boolean done = ingest(family, files);
            long now = nanoTime.getAsLong();
            if (!done) {
                refused.add(state);
                rest(now, now - files.get(0).begun);
            } else {
                ingested += bytesOfFiles;
                if (now - begun >= SLOW_NANOS) {
                    rest(now, now - begun);
                }
            }
            closeFiles();
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
        List<String> paths = new ArrayList<>();
        files.forEach(file -> paths.add(file.path.toString()));
        try (IngestExternalFileOptions how = new IngestExternalFileOptions()) {
            how.setMoveFiles(true);
            how.setAllowBlockingFlush(false);
            how.setAllowGlobalSeqNo(false);
            db.ingestExternalFile(family, paths, how);
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

        private final Map<String, ColumnFamilyHandle> families;
        private final WriteRoom room = new WriteRoom(db);
        private final WriteBatch batch = new WriteBatch();

        private Batches(Map<String, ColumnFamilyHandle> families) {
            this.families = families;
        }

        private void put(String state, byte[] row, byte[] value) throws Exception {
            batch.put(family(families, state), row, value);
            if (batch.getDataSize() >= BATCH_BYTES) {
                write();
            }
        }

        private void write() throws Exception {
            if (batch.count() > 0) {
                room.await(families.values(), () -> closed);
                checkOpen();
                db.write(writeOptions, batch);
                batch.clear();
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
        }

        private void finish() throws RocksDBException {
            writer.finish();
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
