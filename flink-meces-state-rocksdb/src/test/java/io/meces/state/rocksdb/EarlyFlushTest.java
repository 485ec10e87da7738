// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.flink.rocksdb.RocksDBRelease;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.apache.flink.util.ResourceGuard;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.NativeLibraryLoader;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteOptions;

@Timeout(60)
class EarlyFlushTest {

    private static final int VALUE = 64 << 10;

    /** Large enough for a release that estimates: RocksDB 6.20 may see a quarter of it. */
    private static final long SURELY_LARGE = 8 * EarlyFlush.LARGE_BYTES;

    @TempDir Path directory;

    private final Random random = new Random(1);
    private final Mailbox thread = new Mailbox();
    private final ResourceGuard guard = new ResourceGuard();
    private final WriteOptions noLog = writeOptions();
    private RocksDB db;
    private ColumnFamilyHandle family;
    private int keys;

    @BeforeAll
    static void load(@TempDir Path library) throws Exception {
        NativeLibraryLoader.getInstance().loadLibrary(library.toString());
    }

    private static WriteOptions writeOptions() {
        RocksDB.loadLibrary();
        return new WriteOptions().setDisableWAL(true);
    }

    private void open(Path path, ColumnFamilyOptions ofFamily) throws Exception {
        ColumnFamilyDescriptor descriptor =
                new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, ofFamily);
        List<ColumnFamilyHandle> families = new ArrayList<>();
        db =
                RocksDB.open(
                        new DBOptions().setCreateIfMissing(true).setAvoidFlushDuringShutdown(true),
                        path.toString(),
                        Collections.singletonList(descriptor),
                        families);
        family = families.get(0);
    }

    @AfterEach
    void close() {
        guard.close();
        if (db != null) {
            family.close();
            RocksDBRelease.endBackgroundWork(db);
            db.close();
            db = null;
        }
    }

    private void put(long bytes) throws RocksDBException {
        byte[] value = new byte[VALUE];
        for (long written = 0; written < bytes; written += VALUE) {
            random.nextBytes(value);
            db.put(noLog, Integer.toString(keys++).getBytes(), value);
        }
    }

    private long inMemory() throws RocksDBException {
        return RocksDBRelease.bytesInMemory(db, family);
    }

    /** Returns whether it was over at once. */
    private boolean flush() throws Exception {
        EarlyFlush early =
                new EarlyFlush(
                        db,
                        guard,
                        RocksDBDeferredData.newHelpers("early-flush-test"),
                        thread,
                        () -> false);
        boolean[] flushed = {false};
        early.flush(Collections.singleton(family), () -> flushed[0] = true);
        boolean atOnce = flushed[0];
        while (!flushed[0]) {
            thread.runNext();
        }
        return atOnce;
    }

    @Test
    void whatIsLargeIsOnDiskBeforeACheckpoint() throws Exception {
        open(directory, new ColumnFamilyOptions());
        put(SURELY_LARGE);

        assertThat(flush()).isFalse();
        assertThat(inMemory()).isLessThan(EarlyFlush.LARGE_BYTES / 8);
    }

    @Test
    void whatIsSmallStaysForTheCheckpoint() throws Exception {
        open(directory, new ColumnFamilyOptions());
        put(EarlyFlush.LARGE_BYTES / 2);

        assertThat(flush()).isTrue();
        assertThat(inMemory()).isGreaterThan(EarlyFlush.LARGE_BYTES / 16);
    }

    /** As the predefined options of Flink for spinning disks have it. */
    @Test
    void memtablesThatWaitForOthersAreFlushedToo() throws Exception {
        open(
                directory,
                new ColumnFamilyOptions()
                        .setWriteBufferSize(SURELY_LARGE)
                        .setMinWriteBufferNumberToMerge(3)
                        .setMaxWriteBufferNumber(4));
        while (db.getLongProperty("rocksdb.num-immutable-mem-table") < 2) {
            put(VALUE);
        }

        assertThat(flush()).isFalse();
        assertThat(inMemory()).isLessThan(EarlyFlush.LARGE_BYTES / 8);
    }

    /** RocksDB may wait with such a flush, in native code that nothing ends. */
    @Test
    void aFlushAfterWhichWritesAreSlowedDownIsLeftToRocksDB() throws Exception {
        open(
                directory,
                new ColumnFamilyOptions()
                        .setDisableAutoCompactions(true)
                        .setLevel0FileNumCompactionTrigger(2)
                        .setLevel0SlowdownWritesTrigger(4));
        try (FlushOptions waits = new FlushOptions().setWaitForFlush(true)) {
            for (int i = 0; i < 3; i++) {
                put(VALUE);
                db.flush(waits, family);
            }
        }
        put(SURELY_LARGE);

        assertThat(flush()).isTrue();
        assertThat(inMemory()).isGreaterThan(EarlyFlush.LARGE_BYTES);
    }

    /**
     * RocksDB would wait for room in native code, and the task's end for that. Not part of a build
     * on later lines: closing RocksDB 6.20.3 was seen to wait for good all the same, once, and so
     * were writes of 8.10, and nothing ends a test in native code.
     */
    @Test
    @Tag("full")
    void onAFullDiskATaskCanEnd() throws Exception {
        try (SmallDisk disk = SmallDisk.mount(directory.resolve("full"), 32)) {
            open(
                    disk.path().resolve("db"),
                    new ColumnFamilyOptions().setWriteBufferSize(4 * EarlyFlush.LARGE_BYTES));
            try {
                put(EarlyFlush.LARGE_BYTES);
                disk.fill(64 << 10);
                flush();
                // 6.20 takes more, as long as there is room in memory
                assertThatThrownBy(() -> put(100 * EarlyFlush.LARGE_BYTES))
                        .isInstanceOf(RocksDBException.class)
                        .hasMessageContaining("No space left on device");
                flush();
            } finally {
                close();
            }
        }
    }
}
