// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.contrib.streaming.state.RocksDBKeyedStateBackend.RocksDbKvStateInfo;
import org.apache.flink.util.ResourceGuard;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.RocksDB;
import org.rocksdb.WriteOptions;

/** The database of a backend, for those who bring rows in and out. An immutable value. */
final class BackendDatabase {

    final RocksDB db;
    final WriteOptions writeOptions;

    /** Bytes of the key-group at the beginning of each key. */
    final int prefixLength;

    /** Whoever uses the database in another thread needs a lease. */
    final ResourceGuard guard;

    /** The registered states, in the order of their registration; changed by others. */
    final Map<String, RocksDbKvStateInfo> states;

    /** On its disk, for files that are taken over. */
    final Path directory;

    /** From how many bytes on rows that come become a file. */
    final long leastFileBytes;

    final RocksDBMetrics metrics;

    BackendDatabase(
            RocksDB db,
            WriteOptions writeOptions,
            int prefixLength,
            ResourceGuard guard,
            Map<String, RocksDbKvStateInfo> states,
            Path directory,
            long leastFileBytes,
            RocksDBMetrics metrics) {
        this.db = db;
        this.writeOptions = writeOptions;
        this.prefixLength = prefixLength;
        this.guard = guard;
        this.states = states;
        this.directory = directory;
        this.leastFileBytes = leastFileBytes;
        this.metrics = metrics;
    }

    /** The column family of each state. Task thread. */
    Map<String, ColumnFamilyHandle> families() {
        Map<String, ColumnFamilyHandle> families = new LinkedHashMap<>();
        states.forEach((name, info) -> families.put(name, info.columnFamilyHandle));
        return families;
    }
}
