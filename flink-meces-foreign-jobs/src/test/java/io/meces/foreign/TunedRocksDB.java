// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import java.io.IOException;
import java.util.Collection;
import org.apache.flink.contrib.streaming.state.RocksDBOptionsFactory;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompactionStyle;
import org.rocksdb.CompressionType;
import org.rocksdb.DBOptions;

/** How users tune RocksDB in code, where a rescale has to keep clear of what they have set. */
enum TunedRocksDB implements RocksDBOptionsFactory {
    /** Writes are slowed down, and stopped, with few files in level 0. */
    STOPS_EARLY {
        @Override
        void tune(ColumnFamilyOptions options) {
            options.setLevel0FileNumCompactionTrigger(2)
                    .setLevel0SlowdownWritesTrigger(3)
                    .setLevel0StopWritesTrigger(5);
        }
    },

    /** Files may come too fast for compactions to be postponed. */
    SLOWS_DOWN_EARLY {
        @Override
        void tune(ColumnFamilyOptions options) {
            options.setLevel0SlowdownWritesTrigger(14).setLevel0StopWritesTrigger(16);
        }
    },

    /** Compactions may be postponed, but only up to eight files. */
    SLOWS_DOWN_EARLY_BUT_HAS_ROOM {
        @Override
        void tune(ColumnFamilyOptions options) {
            SLOWS_DOWN_EARLY.tune(options);
            options.setWriteBufferSize(16 << 20).setTargetFileSizeBase(16 << 20);
        }
    },

    /** All files may be merged at any time. */
    UNIVERSAL {
        @Override
        void tune(ColumnFamilyOptions options) {
            options.setCompactionStyle(CompactionStyle.UNIVERSAL);
        }
    },

    /** Level 0 grows for ever. */
    NEVER_COMPACTS {
        @Override
        void tune(ColumnFamilyOptions options) {
            options.setDisableAutoCompactions(true)
                    .setLevel0SlowdownWritesTrigger(1_000)
                    .setLevel0StopWritesTrigger(1_000);
        }
    };

    /** They are full after some records, so that there are many files. */
    private static final long MEMTABLE_BYTES = 512 << 10;

    abstract void tune(ColumnFamilyOptions options);

    /** Sets it for a job that is about to be built, on memory that Flink does not manage. */
    void set(StreamExecutionEnvironment env) throws IOException {
        StateInCode.set(env, Backend.newDirectory(), this);
    }

    @Override
    public DBOptions createDBOptions(DBOptions options, Collection<AutoCloseable> handlesToClose) {
        return options.setIncreaseParallelism(2).setUseFsync(false);
    }

    @Override
    public ColumnFamilyOptions createColumnOptions(
            ColumnFamilyOptions options, Collection<AutoCloseable> handlesToClose) {
        options.setWriteBufferSize(MEMTABLE_BYTES)
                .setMaxWriteBufferNumber(3)
                .setTargetFileSizeBase(2 * MEMTABLE_BYTES)
                .setCompressionType(CompressionType.NO_COMPRESSION)
                .setTableFormatConfig(new BlockBasedTableConfig().setBlockSize(1 << 10));
        tune(options);
        return options;
    }
}
