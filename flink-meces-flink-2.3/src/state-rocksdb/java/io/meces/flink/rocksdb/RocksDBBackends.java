// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.rocksdb;

import javax.annotation.Nullable;
import org.apache.flink.runtime.state.CheckpointStorage;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;

/** Which backends a job may have chosen in this line: one. Pure. */
final class RocksDBBackends {

    private RocksDBBackends() {}

    static boolean isFlinks(StateBackend backend) {
        return backend.getClass() == EmbeddedRocksDBStateBackend.class;
    }

    /**
     * What does the work.
     *
     * @throws ClassCastException if it is none for RocksDB
     */
    static EmbeddedRocksDBStateBackend embeddedIn(StateBackend backend) {
        return (EmbeddedRocksDBStateBackend) backend;
    }

    /** Itself, if it is of a class that stores checkpoints, which Flink asks then. */
    @Nullable
    static StateBackend storageOf(StateBackend backend) {
        return backend instanceof CheckpointStorage ? backend : null;
    }
}
