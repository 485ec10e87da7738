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

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.FlushOptions;
import org.rocksdb.NativeLibraryLoader;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/** When the background rests, and that it does not rest for good. */
@Timeout(60)
class WriteRoomTest {

    private static final int MANY = 1_000;

    @TempDir Path directory;

    private boolean exists(WriteRoom room, RocksDB db, long now) throws RocksDBException {
        ColumnFamilyHandle family = db.getDefaultColumnFamily();
        return room.exists(Collections.singleton(family), now);
    }

    /** A job may have said so: then nothing makes room. */
    @Test
    void aLevelThatNobodyCompactsIsNoReasonToRestForGood() throws Exception {
        NativeLibraryLoader.getInstance().loadLibrary(directory.toString());
        try (Options options =
                        new Options()
                                .setCreateIfMissing(true)
                                .setLevel0FileNumCompactionTrigger(MANY)
                                .setLevel0SlowdownWritesTrigger(MANY)
                                .setLevel0StopWritesTrigger(MANY);
                FlushOptions flush = new FlushOptions().setWaitForFlush(true);
                RocksDB db = RocksDB.open(options, directory.resolve("db").toString())) {
            WriteRoom room = new WriteRoom(db);
            for (int i = 1; i < WriteRoom.LEVEL_0_FILES; i++) {
                put(db, flush, i);
            }
            assertThat(exists(room, db, 5)).isTrue();
            put(db, flush, 0);
            assertThat(exists(room, db, 10)).isFalse();
            assertThat(exists(room, db, 9 + WriteRoom.PATIENCE_NANOS)).isFalse();
            assertThat(exists(room, db, 10 + WriteRoom.PATIENCE_NANOS)).isTrue();
            db.compactRange();
            assertThat(exists(room, db, 20 + WriteRoom.PATIENCE_NANOS)).isTrue();
        }
    }

    /** As with Flink's SPINNING_DISK_OPTIMIZED_HIGH_MEM: three are flushed together. */
    @Test
    void memtablesThatWaitForOthersAreNoReasonToRest() throws Exception {
        NativeLibraryLoader.getInstance().loadLibrary(directory.toString());
        try (Options options =
                        new Options()
                                .setCreateIfMissing(true)
                                .setWriteBufferSize(64 << 10)
                                .setArenaBlockSize(4 << 10)
                                .setMaxWriteBufferNumber(4)
                                .setMinWriteBufferNumberToMerge(3);
                RocksDB db = RocksDB.open(options, directory.resolve("db").toString())) {
            WriteRoom room = new WriteRoom(db);
            for (int i = 0; immutable(db) < 2; i++) {
                db.put(("key" + i).getBytes(StandardCharsets.UTF_8), new byte[1_000]);
            }
            assertThat(exists(room, db, 5)).isTrue();
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
