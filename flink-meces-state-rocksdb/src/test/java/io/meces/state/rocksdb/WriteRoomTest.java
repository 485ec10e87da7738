// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
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

/** When the background rests, and that it does not rest for good. */
@Timeout(60)
class WriteRoomTest {

    private static final int MANY = 20;

    @TempDir Path directory;

    private final List<ColumnFamilyHandle> families = new ArrayList<>();

    private RocksDB open(ColumnFamilyOptions ofFamily) throws Exception {
        NativeLibraryLoader.getInstance().loadLibrary(directory.toString());
        return RocksDB.open(
                new DBOptions().setCreateIfMissing(true),
                directory.resolve("db").toString(),
                Collections.singletonList(
                        new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, ofFamily)),
                families);
    }

    private boolean exists(WriteRoom room, long now) throws RocksDBException {
        return room.exists(families, now);
    }

    /** A job may have said so: then nothing makes room. */
    @Test
    void aLevelThatNobodyCompactsIsNoReasonToRestForGood() throws Exception {
        try (ColumnFamilyOptions ofFamily =
                        new ColumnFamilyOptions()
                                .setLevel0FileNumCompactionTrigger(MANY)
                                .setLevel0SlowdownWritesTrigger(MANY)
                                .setLevel0StopWritesTrigger(MANY);
                FlushOptions flush = new FlushOptions().setWaitForFlush(true);
                RocksDB db = open(ofFamily)) {
            WriteRoom room = new WriteRoom(db);
            for (int i = 1; i < MANY - 1; i++) {
                put(db, flush, i);
            }
            assertThat(exists(room, 5)).isTrue();
            put(db, flush, 0);
            assertThat(exists(room, 10)).isFalse();
            assertThat(exists(room, 9 + WriteRoom.PATIENCE_NANOS)).isFalse();
            assertThat(exists(room, 10 + WriteRoom.PATIENCE_NANOS)).isTrue();
            db.compactRange();
            assertThat(exists(room, 20 + WriteRoom.PATIENCE_NANOS)).isTrue();
        }
    }

    @Test
    void theBackgroundRestsBeforeAJobHasWritesSlowedDown() throws Exception {
        try (ColumnFamilyOptions ofFamily =
                        new ColumnFamilyOptions()
                                .setDisableAutoCompactions(true)
                                .setLevel0SlowdownWritesTrigger(8);
                FlushOptions flush = new FlushOptions().setWaitForFlush(true);
                RocksDB db = open(ofFamily)) {
            WriteRoom room = new WriteRoom(db);
            for (int i = 1; i < 4; i++) {
                put(db, flush, i);
            }
            assertThat(exists(room, 5)).isTrue();
            put(db, flush, 4);
            assertThat(exists(room, 10)).isFalse();
        }
    }

    /** With 20 by default, and 4 files of any job that are compacted. */
    @Test
    void levelZeroHasAMarginWhereAJobLeavesOne() {
        assertThat(FilesInLevel0.most(4, 20)).isEqualTo(FilesInLevel0.MOST);
        assertThat(FilesInLevel0.most(4, 1_000)).isEqualTo(FilesInLevel0.MOST);
        assertThat(FilesInLevel0.most(4, 10)).isEqualTo(6);
        assertThat(FilesInLevel0.most(8, 10)).isEqualTo(8);
        assertThat(FilesInLevel0.most(4, 4)).isEqualTo(3);
        assertThat(FilesInLevel0.most(1, 1)).isEqualTo(1);
        assertThat(FilesInLevel0.most(30, 40)).isEqualTo(30);
    }

    /** As with Flink's SPINNING_DISK_OPTIMIZED_HIGH_MEM: three are flushed together. */
    @Test
    void memtablesThatWaitForOthersAreNoReasonToRest() throws Exception {
        try (ColumnFamilyOptions ofFamily =
                        new ColumnFamilyOptions()
                                .setWriteBufferSize(64 << 10)
                                .setArenaBlockSize(4 << 10)
                                .setMaxWriteBufferNumber(4)
                                .setMinWriteBufferNumberToMerge(3);
                RocksDB db = open(ofFamily)) {
            WriteRoom room = new WriteRoom(db);
            for (int i = 0; immutable(db) < 2; i++) {
                db.put(("key" + i).getBytes(StandardCharsets.UTF_8), new byte[1_000]);
            }
            assertThat(exists(room, 5)).isTrue();
        }
    }

    private static long immutable(RocksDB db) throws RocksDBException {
        return db.getLongProperty("rocksdb.num-immutable-mem-table");
    }

    private static void put(RocksDB db, FlushOptions flush, int i) throws RocksDBException {
        db.put("key".getBytes(StandardCharsets.UTF_8), new byte[] {(byte) i});
        db.flush(flush);
        while (db.getLongProperty("rocksdb.num-running-flushes") > 0) {
            Thread.yield();
        }
    }
}
