// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.contrib.streaming.state;

import io.meces.flink.state.BackendEnvironment;
import io.meces.flink.state.KeyContext;
import io.meces.state.rocksdb.PrivateField;
import java.util.LinkedHashMap;
import java.util.function.Function;
import javax.annotation.Nullable;
import org.apache.flink.contrib.streaming.state.ttl.RocksDbTtlCompactFiltersManager;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.RegisteredStateMetaInfoBase;
import org.apache.flink.runtime.state.SerializedCompositeKeyBuilder;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSetFactory;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.RocksDB;

/**
 * Bridge to the constructor of {@link RocksDBKeyedStateBackend}, which differs between lines of
 * Flink, and to what has the parts that it takes.
 */
abstract class RocksDBKeyedStateBackendOfLine<K> extends RocksDBKeyedStateBackend<K> {

    RocksDBKeyedStateBackendOfLine(
            RocksDBKeyedStateBackend<K> built,
            BackendEnvironment environment,
            KeyContext<K> keyContext,
            HeapPriorityQueueSetFactory queues,
            SerializedCompositeKeyBuilder<K> keyBuilder) {
        super(
                environment.userCode,
                built.getInstanceBasePath(),
                of(built, "optionsContainer"),
                of(built, "columnFamilyOptionsFactory"),
                environment.kvStateRegistry,
                built.getKeySerializer(),
                environment.executionConfig,
                environment.ttlTime,
                built.getLatencyTrackingStateConfig(),
                built.db,
                of(built, "kvStateInformation"),
                new LinkedHashMap<>(),
                built.getKeyGroupPrefixBytes(),
                PrivateField.of(AbstractKeyedStateBackend.class, built, "cancelStreamRegistry"),
                environment.compression,
                of(built, "rocksDBResourceGuard"),
                of(built, "checkpointSnapshotStrategy"),
                of(built, "writeBatchWrapper"),
                of(built, "defaultColumnFamily"),
                of(built, "nativeMetricMonitor"),
                keyBuilder,
                queues,
                of(built, "ttlCompactFiltersManager"),
                keyContext,
                built.getWriteBatchSize(),
                of(built, "asyncCompactAfterRestoreFuture"),
                of(built, "sstMergeManager"));
    }

    static <T> T of(RocksDBKeyedStateBackend<?> backend, String field) {
        return PrivateField.of(RocksDBKeyedStateBackend.class, backend, field);
    }

    /** A state with a column family of its own. */
    static RocksDbKvStateInfo createStateInfo(
            RegisteredStateMetaInfoBase metaInfo,
            RocksDB db,
            Function<String, ColumnFamilyOptions> columnOptions,
            RocksDbTtlCompactFiltersManager ttl,
            @Nullable Long writeBufferCapacity) {
        return RocksDBOperationUtils.createStateInfo(
                metaInfo, db, columnOptions, ttl, writeBufferCapacity);
    }

    /** What does the work of one that is deprecated. */
    public static EmbeddedRocksDBStateBackend embeddedIn(RocksDBStateBackend deprecated) {
        return deprecated.getEmbeddedRocksDBStateBackend();
    }
}
