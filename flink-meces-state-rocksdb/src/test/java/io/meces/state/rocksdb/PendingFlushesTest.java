// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.flink.rocksdb.RocksDBRelease;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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
class PendingFlushesTest {

    private static final int MEMTABLE = 512 << 10;
    private static final int VALUE = 16 << 10;

    @TempDir Path directory;

    private final Random random = new Random(1);
    private WriteOptions noLog;
    private RocksDB db;
    private ColumnFamilyHandle family;
    private int keys;

    @BeforeAll
    static void load(@TempDir Path library) throws Exception {
        NativeLibraryLoader.getInstance().loadLibrary(library.toString());
    }

    private void open(Path path) throws Exception {
        noLog = new WriteOptions().setDisableWAL(true);
        ColumnFamilyDescriptor descriptor =
                new ColumnFamilyDescriptor(
                        RocksDB.DEFAULT_COLUMN_FAMILY,
                        new ColumnFamilyOptions().setWriteBufferSize(MEMTABLE));
        List<ColumnFamilyHandle> families = new ArrayList<>();
        db =
                RocksDB.open(
                        new DBOptions().setCreateIfMissing(true).setAvoidFlushDuringShutdown(true),
                        path.toString(),
                        Collections.singletonList(descriptor),
                        families);
        family = families.get(0);
    }

    private PendingFlushes flushes(PendingFlushes.Pause pause) {
        return new PendingFlushes(
                db, () -> Collections.singletonList(family), System::nanoTime, pause);
    }

    @AfterEach
    void close() {
        if (db != null) {
            family.close();
            RocksDBRelease.endBackgroundWork(db);
            db.close();
            db = null;
        }
    }

    private void put() throws RocksDBException {
        byte[] value = new byte[VALUE];
        random.nextBytes(value);
        db.put(noLog, Integer.toString(keys++).getBytes(), value);
    }

    /**
     * In which a checkpoint would wait until there is room. As all tests of a full disk, it is not
     * part of a build on later lines: there a write may wait for room in native code, for good.
     */
    @Test
    @Tag("full")
    void aFlushThatHasFailedFails() throws Exception {
        try (SmallDisk disk = SmallDisk.mount(directory.resolve("full"), 16)) {
            open(disk.path().resolve("db"));
            try {
                failsOn(disk);
            } finally {
                close();
            }
        }
    }

    private void failsOn(SmallDisk disk) throws Exception {
        fill(disk);

        // RocksDB counts a flush that has failed as running for another second
        assertThatThrownBy(flushes(() -> TimeUnit.MILLISECONDS.sleep(1))::await)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("could not write memtables");
    }

    private void fill(SmallDisk disk) throws Exception {
        put();
        disk.fill(64 << 10);
        assertThatThrownBy(
                        () -> {
                            while (keys < 1_000) {
                                put();
                            }
                        })
                .isInstanceOf(RocksDBException.class)
                .hasMessageContaining("No space left on device");
    }

    /** In which data that has come would wait to be written, for good where RocksDB tries again. */
    @Test
    @Tag("full")
    void whatIsToBeWrittenDoesNotWaitForAFlushThatHasFailed() throws Exception {
        try (SmallDisk disk = SmallDisk.mount(directory.resolve("full"), 16)) {
            open(disk.path().resolve("db"));
            try {
                WriteRoom room = new WriteRoom(db);
                List<ColumnFamilyHandle> families = Collections.singletonList(family);
                fill(disk);
                long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
                room.await(families, () -> System.nanoTime() - end >= 0);
                assertThat(System.nanoTime()).isLessThan(end);
            } finally {
                close();
            }
        }
    }

    @Test
    void aFlushThatRunsIsWaitedFor() throws Exception {
        open(directory);
        AtomicInteger pauses = new AtomicInteger();
        PendingFlushes counting =
                flushes(
                        () -> {
                            pauses.incrementAndGet();
                            TimeUnit.MICROSECONDS.sleep(10);
                        });
        // a flush can be over before it is asked for
        for (int i = 0; i < 100 && pauses.get() == 0; i++) {
            for (int k = 0; k < MEMTABLE / VALUE; k++) {
                put();
            }
            try (FlushOptions now = new FlushOptions().setWaitForFlush(false)) {
                db.flush(now);
            }
            counting.await();
            assertThat(db.getLongProperty("rocksdb.num-immutable-mem-table")).isZero();
        }
        assertThat(pauses).hasPositiveValue();
    }

    @Test
    void withNothingToFlushItIsOverAtOnce() throws Exception {
        open(directory);
        put();
        flushes(
                        () -> {
                            throw new AssertionError("there is nothing to wait for");
                        })
                .await();
    }
}
