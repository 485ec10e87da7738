// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.flink.contrib.streaming.state.RocksDBOptionsFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.NativeLibraryLoader;

/** Options of a job stay, but for two. */
class ElasticDatabaseTest {

    private static final int FILES = 17;
    private static final long BUFFER = 1 << 20;

    @BeforeAll
    static void load(@TempDir Path directory) throws Exception {
        NativeLibraryLoader.getInstance().loadLibrary(directory.toString());
    }

    @Test
    void isNotFlushedAndHasAllElseAsTheJobWantsIt() {
        RocksDBOptionsFactory options = ElasticDatabase.with(new OfAJob());
        List<AutoCloseable> handles = new ArrayList<>();
        try (DBOptions database = options.createDBOptions(new DBOptions(), handles);
                ColumnFamilyOptions state =
                        options.createColumnOptions(new ColumnFamilyOptions(), handles)) {
            assertThat(database.avoidFlushDuringShutdown()).isTrue();
            assertThat(database.maxOpenFiles()).isEqualTo(FILES);
            assertThat(database.bytesPerSync()).as("the job has it off").isZero();
            assertThat(state.writeBufferSize()).isEqualTo(BUFFER);
            assertThat(handles).hasSize(1);
        }
        assertThat(ElasticDatabase.with(options)).isSameAs(options);
    }

    @Test
    void ofAJobThatWantsNothing() {
        RocksDBOptionsFactory options = ElasticDatabase.with(null);
        try (DBOptions database = options.createDBOptions(new DBOptions(), new ArrayList<>());
                ColumnFamilyOptions state = new ColumnFamilyOptions()) {
            assertThat(database.avoidFlushDuringShutdown()).isTrue();
            assertThat(database.bytesPerSync()).isEqualTo(ElasticDatabase.SYNC_BYTES);
            assertThat(options.createColumnOptions(state, new ArrayList<>())).isSameAs(state);
        }
    }

    private static final class OfAJob implements RocksDBOptionsFactory {
        private static final long serialVersionUID = 1L;

        @Override
        public DBOptions createDBOptions(
                DBOptions current, Collection<AutoCloseable> handlesToClose) {
            handlesToClose.add(() -> {});
            return current.setMaxOpenFiles(FILES)
                    .setBytesPerSync(0)
                    .setAvoidFlushDuringShutdown(false);
        }

        @Override
        public ColumnFamilyOptions createColumnOptions(
                ColumnFamilyOptions current, Collection<AutoCloseable> handlesToClose) {
            return current.setWriteBufferSize(BUFFER);
        }
    }
}
