// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.core.store.DeferredKey;
import io.meces.core.store.FetchedKeys;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.Snapshot;
import org.rocksdb.WriteOptions;

/** Which rows become files, and which go through memtables. */
class MovedRowsTest {

    private static final int KEY_GROUP = 5;
    private static final int KEYS = 100;
    private static final long LEAST_FILE_BYTES = 1_000;
    private static final String[] STATES = {"first", "second"};

    @TempDir private Path directory;

    private final Map<String, ColumnFamilyHandle> families = new LinkedHashMap<>();
    private final FetchedKeys fetched = new FetchedKeys();
    private Options options;
    private ColumnFamilyOptions ofFamilies;
    private WriteOptions writeOptions;
    private RocksDB db;
    private final List<ColumnFamilyHandle> takenOver = new ArrayList<>();
    private Path files;
    private long now;

    /** How long all takes that is measured. */
    private long tick;

    /** What happens when the clock is read next. */
    private final List<Runnable> reads = new ArrayList<>();

    private MovedRows rows;

    @BeforeEach
    void open() throws Exception {
        RocksDB.loadLibrary();
        files = Files.createDirectory(directory.resolve("files"));
        options = new Options().setCreateIfMissing(true);
        writeOptions = new WriteOptions().setDisableWAL(true);
        db = RocksDB.open(options, directory.resolve("db").toString());
        // files stay in the level where they came
        ofFamilies = new ColumnFamilyOptions().setDisableAutoCompactions(true);
        for (String state : STATES) {
            families.put(
                    state,
                    db.createColumnFamily(
                            new ColumnFamilyDescriptor(state.getBytes(), ofFamilies)));
        }
        rows =
                new MovedRows(
                        db,
                        writeOptions,
                        1,
                        files,
                        this::readClock,
                        LEAST_FILE_BYTES,
                        takenOver::add);
        assertThat(rows.mayBeFiles()).as("as the first rows of a database").isFalse();
        db.put(writeOptions, new byte[] {1}, new byte[0]);
        reads.clear();
    }

    private long readClock() {
        Runnable atRead = reads.isEmpty() ? null : reads.remove(0);
        if (atRead != null) {
            atRead.run();
        }
        return now += tick;
    }

    /** The clock is read to see whether rows may be a file, then when the first file begins. */
    private void whenAFileBegins(Runnable action) {
        reads.addAll(Arrays.asList(null, action));
    }

    /** And then when it is about to be taken over. */
    private void whenItIsTakenOver(Runnable action) {
        reads.addAll(Arrays.asList(null, null, action));
    }

    /** A record does, of a key that has been fetched. */
    private void change(int key) {
        assertThat(fetched.add(key(key))).as("no record need wait").isTrue();
        for (ColumnFamilyHandle family : families.values()) {
            try {
                db.put(family, writeOptions, row(key), "changed".getBytes(StandardCharsets.UTF_8));
            } catch (RocksDBException e) {
                throw new AssertionError(e);
            }
        }
    }

    @AfterEach
    void close() throws Exception {
        try (Stream<Path> left = Files.list(files)) {
            assertThat(left).as("no file is left behind").isEmpty();
        }
        families.values().forEach(ColumnFamilyHandle::close);
        db.close();
        writeOptions.close();
        options.close();
        ofFamilies.close();
    }

    private static byte[] row(int key) {
        return ByteBuffer.allocate(1 + Integer.BYTES).put((byte) KEY_GROUP).putInt(key).array();
    }

    private static DeferredKey key(int key) {
        return new DeferredKey(ByteBuffer.allocate(Integer.BYTES).putInt(key).array());
    }

    /** Rows of some keys in both states, in three chunks. */
    private long write(int from, int to, String value) throws Exception {
        return rows.write(KEY_GROUP, chunks(from, to, value), fetched, families);
    }

    private static List<ByteBuffer> chunks(int from, int to, String value) throws Exception {
        KeyRows.Writer writer = new KeyRows.Writer();
        List<ByteBuffer> chunks = new ArrayList<>();
        for (String state : STATES) {
            for (int i = from; i < to; i++) {
                writer.add(state, row(i), (value + i).getBytes(StandardCharsets.UTF_8));
                if (i == (from + to) / 2) {
                    chunks.add(ByteBuffer.wrap(writer.take()));
                }
            }
        }
        chunks.add(ByteBuffer.wrap(writer.take()));
        return chunks;
    }

    private void check(int from, int to, String value) throws Exception {
        for (ColumnFamilyHandle family : families.values()) {
            for (int i = from; i < to; i++) {
                assertThat(new String(db.get(family, row(i)), StandardCharsets.UTF_8))
                        .isEqualTo(value + i);
            }
        }
    }

    private long inMemtables() throws Exception {
        long entries = 0;
        for (ColumnFamilyHandle family : families.values()) {
            entries += db.getLongProperty(family, "rocksdb.num-entries-active-mem-table");
        }
        return entries;
    }

    private long files(int level) throws Exception {
        long all = 0;
        for (ColumnFamilyHandle family : families.values()) {
            all += Long.parseLong(db.getProperty(family, "rocksdb.num-files-at-level" + level));
        }
        return all;
    }

    private void flush() throws Exception {
        try (FlushOptions waits = new FlushOptions().setWaitForFlush(true)) {
            for (ColumnFamilyHandle family : families.values()) {
                db.flush(waits, family);
            }
        }
    }

    private void delete(int keys) throws Exception {
        for (ColumnFamilyHandle family : families.values()) {
            for (int i = 0; i < keys; i++) {
                db.delete(family, writeOptions, row(i));
            }
        }
    }

    /** Only the rows of one state. */
    private static List<ByteBuffer> ofState(String state, List<ByteBuffer> chunks)
            throws Exception {
        KeyRows.Writer writer = new KeyRows.Writer();
        for (ByteBuffer chunk : chunks) {
            KeyRows.read(
                    chunk.duplicate(),
                    (of, row, value) -> {
                        if (of.equals(state)) {
                            writer.add(of, row, value);
                        }
                    });
        }
        return Collections.singletonList(ByteBuffer.wrap(writer.take()));
    }

    @Test
    void manyRowsAreTakenOverAsFilesAtTheLowestLevel() throws Exception {
        write(0, KEYS, "value-");
        check(0, KEYS, "value-");
        write(KEYS, 2 * KEYS, "more-");
        check(KEYS, 2 * KEYS, "more-");
        assertThat(inMemtables()).isZero();
        assertThat(files(6)).isEqualTo(4);
        assertThat(files(0)).isZero();
        List<Integer> told = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            families.values().forEach(family -> told.add(family.getID()));
        }
        assertThat(takenOver).extracting(ColumnFamilyHandle::getID).isEqualTo(told);
    }

    @Test
    void fewRowsGoThroughMemtables() throws Exception {
        write(0, 10, "value-");
        check(0, 10, "value-");
        assertThat(inMemtables()).isEqualTo(20);
    }

    /** It may have changed, and a memtable has it. */
    @Test
    void aFileEndsBeforeAKeyThatIsHere() throws Exception {
        int[] fetched = {KEYS, KEYS + 5, 2 * KEYS};
        for (int key : fetched) {
            change(key);
        }
        assertThat(write(0, 3 * KEYS, "value-")).isPositive();
        check(0, KEYS, "value-");
        check(KEYS + 1, KEYS + 5, "value-");
        check(KEYS + 6, 2 * KEYS, "value-");
        check(2 * KEYS + 1, 3 * KEYS, "value-");
        for (ColumnFamilyHandle family : families.values()) {
            for (int key : fetched) {
                assertThat(db.get(family, row(key))).asString().isEqualTo("changed");
            }
        }
        assertThat(files(6)).isEqualTo(2 * 3);
        assertThat(inMemtables())
                .as("those that are here, and a few between")
                .isEqualTo(2 * (3 + 4));
    }

    /** As a record may have created one. */
    @Test
    void aFileEndsBeforeAKeyThatIsHereOfWhichNothingHasCome() throws Exception {
        List<ByteBuffer> chunks = chunks(0, KEYS, "value-");
        chunks.addAll(chunks(KEYS + 1, 2 * KEYS, "value-"));
        fetched.add(key(KEYS));
        for (ColumnFamilyHandle family : families.values()) {
            db.put(family, writeOptions, row(KEYS), new byte[] {1});
        }
        rows.write(KEY_GROUP, ofState("first", chunks), fetched, families);
        assertThat(files(6)).isEqualTo(2);
        assertThat(inMemtables()).isEqualTo(2);
    }

    @Test
    void rowsGoThroughMemtablesWhereOneHasAKeyBetweenThemThatWasNotKnown() throws Exception {
        for (ColumnFamilyHandle family : families.values()) {
            db.put(family, writeOptions, row(KEYS / 2), new byte[] {1});
        }
        assertThat(write(0, KEYS, "value-")).isZero();
        check(0, KEYS, "value-");
        assertThat(files(6)).isZero();
        assertThat(inMemtables()).isEqualTo(2 * (1 + KEYS));
    }

    /**
     * What has left and come back before a compaction. RocksDB 5.17 would place a file over
     * tombstones in level 0, from where compactions may put it over what is flushed later.
     */
    @Test
    void rowsOverDeletedOnesGoThroughMemtables() throws Exception {
        write(0, KEYS, "old-");
        delete(KEYS);
        flush();
        takenOver.clear();
        assertThat(write(0, KEYS, "new-")).isZero();
        check(0, KEYS, "new-");
        assertThat(inMemtables()).isEqualTo(2 * KEYS);
        assertThat(takenOver).isEmpty();
    }

    /** A savepoint may still be written, which must not have what comes now. */
    @Test
    void rowsGoThroughMemtablesWhileSomebodyReadsASnapshot() throws Exception {
        Snapshot snapshot = db.getSnapshot();
        try (ReadOptions then = new ReadOptions().setSnapshot(snapshot)) {
            assertThat(write(0, KEYS, "value-")).isZero();
            check(0, KEYS, "value-");
            for (ColumnFamilyHandle family : families.values()) {
                assertThat(db.get(family, then, row(7))).isNull();
            }
        } finally {
            db.releaseSnapshot(snapshot);
        }
    }

    /** Its thread must not wait for all that is to be written. */
    @Test
    void nothingIsWrittenWhenItIsClosed() {
        rows.close();
        assertThatThrownBy(() -> write(0, KEYS, "value-"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("closed");
    }

    /** Then nothing is to be gathered for one either. */
    @Test
    void nothingBecomesAFileIfThatWouldHaveToBeLargerThanWhatIsGathered() throws Exception {
        rows =
                new MovedRows(
                        db, writeOptions, 1, files, () -> 0, MovedRows.FILE_BYTES, takenOver::add);
        assertThat(rows.mayBeFiles()).isTrue();
        rows =
                new MovedRows(
                        db,
                        writeOptions,
                        1,
                        files,
                        () -> 0,
                        MovedRows.FILE_BYTES + 1,
                        takenOver::add);
        assertThat(rows.mayBeFiles()).isFalse();
        write(0, KEYS, "value-");
        check(0, KEYS, "value-");
        assertThat(inMemtables()).isEqualTo(2 * KEYS);
    }

    /** Where records need many keys most files would be in vain. */
    @Test
    void noFileIsBegunForAsLongAsItTookToMakeOneOfWhichAKeyWasFetched() throws Exception {
        List<ByteBuffer> chunks = ofState("first", chunks(0, KEYS, "value-"));
        whenAFileBegins(() -> change(KEYS / 2));
        reads.add(() -> now += 1_000);
        rows.write(KEY_GROUP, chunks, fetched, families);
        assertThat(rows.mayBeFiles()).isFalse();
        now += 1_000;
        assertThat(rows.mayBeFiles()).isTrue();
    }

    /** Where records change many keys most files would be in vain. */
    @Test
    void noFileIsBegunShortlyAfterOneInVain() throws Exception {
        tick = 1;
        db.put(families.get("first"), writeOptions, row(7), new byte[1]);
        write(0, KEYS, "value-");
        assertThat(files(6)).isZero();
        write(KEYS, 2 * KEYS, "value-");
        assertThat(files(6)).isZero();
        now += 1_000;
        write(2 * KEYS, 3 * KEYS, "value-");
        assertThat(files(6)).isEqualTo(2);
        check(0, 3 * KEYS, "value-");
    }

    /** Two helpers share a disk. */
    @Test
    void aFileInVainDoesNotEndTheRestAfterAnother() throws Exception {
        List<ByteBuffer> chunks = ofState("first", chunks(0, KEYS, "value-"));
        whenItIsTakenOver(() -> {});
        reads.add(() -> now += 250_000_000);
        rows.write(KEY_GROUP, chunks, fetched, families);
        assertThat(rows.mayBeFiles()).as("it was slow").isFalse();
        rows.rest(1_000);
        now += 2_000_000_000L;
        assertThat(rows.mayBeFiles()).isFalse();
        now += 1_000_000_000L;
        assertThat(rows.mayBeFiles()).isTrue();
    }

    /** Records must not wait most of the time. */
    @Test
    void noFileIsBegunShortlyAfterOneThatWasTakenOverSlowly() throws Exception {
        tick = 250_000_000;
        write(0, KEYS, "value-");
        assertThat(files(6)).as("of the first state").isEqualTo(1);
        write(KEYS, 2 * KEYS, "value-");
        assertThat(files(6)).isEqualTo(1);
        now += 3_000_000_000L;
        write(2 * KEYS, 3 * KEYS, "value-");
        assertThat(files(6)).isEqualTo(2);
        check(0, 3 * KEYS, "value-");
    }

    /** Records of the key go on, and change it. */
    @Test
    void rowsOfAFileGoThroughMemtablesIfAKeyOfItHasBeenFetchedMeanwhile() throws Exception {
        whenAFileBegins(() -> change(KEYS / 2));
        assertThat(write(0, KEYS, "value-")).isZero();
        check(0, KEYS / 2, "value-");
        check(KEYS / 2 + 1, KEYS, "value-");
        for (ColumnFamilyHandle family : families.values()) {
            assertThat(db.get(family, row(KEYS / 2))).asString().isEqualTo("changed");
        }
        assertThat(files(6)).isZero();
    }

    /** A file begins behind it. */
    @Test
    void aFileEndsBeforeAKeyThatIsFetchedBeforeItsTurn() throws Exception {
        List<ByteBuffer> chunks = ofState("first", chunks(0, 3 * KEYS, "value-"));
        whenAFileBegins(() -> change(2 * KEYS));
        assertThat(rows.write(KEY_GROUP, chunks, fetched, families)).isPositive();
        assertThat(files(6)).isEqualTo(2);
        assertThat(db.get(families.get("first"), row(2 * KEYS))).asString().isEqualTo("changed");
        assertThat(inMemtables()).as("of both states").isEqualTo(2);
    }

    /** Others are taken over. */
    @Test
    void onlyRowsOfTheFileWithTheKeyGoThroughMemtables() throws Exception {
        List<ByteBuffer> chunks = ofState("first", chunks(0, 3 * KEYS, "value-"));
        change(KEYS);
        whenAFileBegins(() -> change(KEYS / 2));
        rows.write(KEY_GROUP, chunks, fetched, families);
        assertThat(files(6)).isEqualTo(1);
        assertThat(inMemtables()).isEqualTo(2 * 2 + KEYS - 1);
        ColumnFamilyHandle family = families.get("first");
        for (int i = 0; i < 3 * KEYS; i++) {
            boolean isChanged = i == KEYS / 2 || i == KEYS;
            assertThat(db.get(family, row(i)))
                    .asString()
                    .isEqualTo(isChanged ? "changed" : "value-" + i);
        }
    }

    /** RocksDB has it, but the helper is not done. */
    @Test
    void aKeyWaitsAlsoIfItComesWhenNobodyLooksAnyMore() throws Exception {
        List<Boolean> mayBePutIn = new ArrayList<>();
        List<ByteBuffer> chunks = ofState("first", chunks(0, KEYS, "value-"));
        whenItIsTakenOver(() -> {});
        reads.add(() -> mayBePutIn.add(fetched.add(key(KEYS / 2))));
        rows.write(KEY_GROUP, chunks, fetched, families);
        assertThat(mayBePutIn).containsExactly(false);
        assertThat(files(6)).isEqualTo(1);
        change(KEYS / 2);
    }

    /** It is being taken over. */
    @Test
    void aKeyWaitsWhileItsFileIsTakenOver() throws Exception {
        List<Boolean> mayBePutIn = new ArrayList<>();
        List<ByteBuffer> chunks = ofState("first", chunks(0, KEYS, "value-"));
        whenItIsTakenOver(
                () -> {
                    for (int key : new int[] {0, KEYS / 2, KEYS - 1, KEYS}) {
                        mayBePutIn.add(fetched.add(key(key)));
                    }
                });
        rows.write(KEY_GROUP, chunks, fetched, families);
        assertThat(mayBePutIn).containsExactly(false, false, false, true);
        assertThat(fetched.add(key(1))).as("afterwards").isTrue();
    }

    @Test
    void aStateThatTheDonorHasNotToldOfFails() {
        KeyRows.Writer writer = new KeyRows.Writer();
        assertThatThrownBy(
                        () -> {
                            writer.add("unknown", row(1), new byte[1]);
                            rows.write(
                                    KEY_GROUP,
                                    Collections.singletonList(ByteBuffer.wrap(writer.take())),
                                    fetched,
                                    families);
                        })
                .isInstanceOf(IOException.class)
                .hasMessageContaining("'unknown'");
    }
}
