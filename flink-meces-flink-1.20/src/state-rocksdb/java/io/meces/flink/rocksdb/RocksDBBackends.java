// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.rocksdb;

import javax.annotation.Nullable;
import org.apache.flink.contrib.streaming.state.AdoptedRocksDBKeyedStateBackend;
import org.apache.flink.contrib.streaming.state.EmbeddedRocksDBStateBackend;
import org.apache.flink.contrib.streaming.state.RocksDBStateBackend;
import org.apache.flink.runtime.state.StateBackend;

/** Which backends a job may have chosen in this line: one, and another that is deprecated. Pure. */
final class RocksDBBackends {

    private RocksDBBackends() {}

    static boolean isFlinks(StateBackend backend) {
        return backend.getClass() == EmbeddedRocksDBStateBackend.class
                || backend.getClass() == RocksDBStateBackend.class;
    }

    /**
     * What does the work.
     *
     * @throws ClassCastException if it is none for RocksDB
     */
    static EmbeddedRocksDBStateBackend embeddedIn(StateBackend backend) {
        return backend instanceof RocksDBStateBackend
                ? AdoptedRocksDBKeyedStateBackend.embeddedIn((RocksDBStateBackend) backend)
                : (EmbeddedRocksDBStateBackend) backend;
    }

    /** What stores the checkpoints of a job that has chosen it; null: the job has that besides. */
    @Nullable
    static StateBackend storageOf(StateBackend backend) {
        return backend instanceof RocksDBStateBackend
                ? ((RocksDBStateBackend) backend).getCheckpointBackend()
                : null;
    }
}
