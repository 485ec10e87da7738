// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.contrib.streaming.state;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.function.Function;
import javax.annotation.Nonnull;
import javax.annotation.Nullable;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.contrib.streaming.state.snapshot.RocksDBSnapshotStrategyBase;
import org.apache.flink.contrib.streaming.state.snapshot.RocksIncrementalSnapshotStrategy;
import org.apache.flink.contrib.streaming.state.ttl.RocksDbTtlCompactFiltersManager;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.query.TaskKvStateRegistry;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.RegisteredStateMetaInfoBase;
import org.apache.flink.runtime.state.StreamCompressionDecorator;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSetFactory;
import org.apache.flink.runtime.state.heap.InternalKeyContext;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.util.FlinkRuntimeException;
import org.apache.flink.util.ResourceGuard;
import org.rocksdb.ColumnFamilyOptions;

/**
 * Bridge to a RocksDB backend: takes over all that one has which Flink has built and restored, so
 * that it does not depend on how a release of Flink does that. The other must not be used any more.
 * Gives subclasses what Flink keeps private. Owned by the task thread.
 *
 * @param <K> type of key
 */
public abstract class AdoptedRocksDBKeyedStateBackend<K> extends RocksDBKeyedStateBackend<K> {

    /** What Flink has where a number is to be configured. */
    private static final int UNDEFINED = -1;

    /** By name; the very map that Flink's code uses. */
    protected final LinkedHashMap<String, RocksDbKvStateInfo> states;

    /** Whoever uses the database in another thread needs a lease. */
    protected final ResourceGuard guard;

    /** Whether a checkpoint flushes memtables, and takes the files of the database. */
    protected final boolean flushesForCheckpoints;

    /** On whose disk the database is; it is deleted with the backend. */
    protected final Path directory;

    private final Function<String, ColumnFamilyOptions> columnOptions;
    private final RocksDBResourceContainer resources;
    private final RocksDBNativeMetricMonitor metrics;
    private final RocksDbTtlCompactFiltersManager ttl;

    /**
     * @param built by Flink's builder for all key-groups, with timers in RocksDB
     * @param access asked before each access to a state; throws if the current key is not here
     */
    protected AdoptedRocksDBKeyedStateBackend(
            RocksDBKeyedStateBackend<K> built,
            TaskKvStateRegistry registry,
            ClassLoader userCode,
            ExecutionConfig executionConfig,
            TtlTimeProvider ttlTimeProvider,
            StreamCompressionDecorator compression,
            InternalKeyContext<K> keyContext,
            HeapPriorityQueueSetFactory queues,
            Runnable access) {
        super(
                userCode,
                built.getInstanceBasePath(),
                of(built, "optionsContainer"),
                of(built, "columnFamilyOptionsFactory"),
                registry,
                built.getKeySerializer(),
                executionConfig,
                ttlTimeProvider,
                built.db,
                of(built, "kvStateInformation"),
                built.getKeyGroupPrefixBytes(),
                AdoptedRocksDBKeyedStateBackend.<CloseableRegistry>of(
                        AbstractKeyedStateBackend.class, built, "cancelStreamRegistry"),
                compression,
                of(built, "rocksDBResourceGuard"),
                AdoptedRocksDBKeyedStateBackend.<RocksDBSnapshotStrategyBase<K>>of(
                        built, "checkpointSnapshotStrategy"),
                AdoptedRocksDBKeyedStateBackend.<RocksDBSnapshotStrategyBase<K>>of(
                        built, "savepointSnapshotStrategy"),
                of(built, "writeBatchWrapper"),
                of(built, "defaultColumnFamily"),
                of(built, "nativeMetricMonitor"),
                new CheckedKeyBuilder<>(
                        built.getKeySerializer(), built.getKeyGroupPrefixBytes(), access),
                queues,
                of(built, "ttlCompactFiltersManager"),
                keyContext,
                built.getWriteBatchSize());
        this.states = of(built, "kvStateInformation");
        this.guard = of(built, "rocksDBResourceGuard");
        this.directory = built.getInstanceBasePath().toPath();
        Object checkpoints = of(built, "checkpointSnapshotStrategy");
        this.flushesForCheckpoints = checkpoints instanceof RocksIncrementalSnapshotStrategy;
        this.columnOptions = of(built, "columnFamilyOptionsFactory");
        this.resources = of(built, "optionsContainer");
        this.metrics = of(built, "nativeMetricMonitor");
        this.ttl = of(built, "ttlCompactFiltersManager");
    }

    private static <T> T of(RocksDBKeyedStateBackend<?> backend, String field) {
        return of(RocksDBKeyedStateBackend.class, backend, field);
    }

    @SuppressWarnings("unchecked")
    private static <T> T of(Class<?> type, Object object, String name) {
        try {
            Field field = type.getDeclaredField(name);
            field.setAccessible(true);
            return (T) field.get(object);
        } catch (ReflectiveOperationException e) {
            throw new FlinkRuntimeException("Cannot read " + type.getName() + "." + name, e);
        }
    }

    /**
     * What a job has set for its timers; null if nothing, or if that cannot be told: one that has
     * been configured, as the client does with that of its configuration, has all values, and
     * RocksDB for timers if nobody said anything.
     */
    @Nullable
    public static RocksDBStateBackend.PriorityQueueStateType timersOf(RocksDBStateBackend backend) {
        int transferThreads = of(RocksDBStateBackend.class, backend, "numberOfTransferThreads");
        long batchSize = of(RocksDBStateBackend.class, backend, "writeBatchSize");
        boolean configured = transferThreads != UNDEFINED && batchSize != UNDEFINED;
        RocksDBStateBackend.PriorityQueueStateType timers =
                of(RocksDBStateBackend.class, backend, "priorityQueueStateType");
        return configured && timers == RocksDBStateBackend.PriorityQueueStateType.ROCKSDB
                ? null
                : timers;
    }

    /** Registers a state, as if it had been restored, with a column family of its own. */
    protected final void registerState(RegisteredStateMetaInfoBase metaInfo) {
        RocksDBOperationUtils.registerKvStateInformation(
                states,
                metrics,
                metaInfo.getName(),
                RocksDBOperationUtils.createStateInfo(
                        metaInfo,
                        db,
                        columnOptions,
                        ttl,
                        resources.getWriteBufferManagerCapacity()));
    }

    /** Composes keys only if the current key is here. */
    private static final class CheckedKeyBuilder<K>
            extends RocksDBSerializedCompositeKeyBuilder<K> {

        private static final int INITIAL_SIZE = 32;

        private final Runnable access;

        private CheckedKeyBuilder(
                TypeSerializer<K> serializer, int keyGroupPrefixBytes, Runnable access) {
            super(serializer, keyGroupPrefixBytes, INITIAL_SIZE);
            this.access = access;
        }

        @Override
        @Nonnull
        public <N> byte[] buildCompositeKeyNamespace(
                @Nonnull N namespace, @Nonnull TypeSerializer<N> namespaceSerializer) {
            access.run();
            return super.buildCompositeKeyNamespace(namespace, namespaceSerializer);
        }

        @Override
        @Nonnull
        public <N, U> byte[] buildCompositeKeyNamesSpaceUserKey(
                @Nonnull N namespace,
                @Nonnull TypeSerializer<N> namespaceSerializer,
                @Nonnull U userKey,
                @Nonnull TypeSerializer<U> userKeySerializer)
                throws IOException {
            access.run();
            return super.buildCompositeKeyNamesSpaceUserKey(
                    namespace, namespaceSerializer, userKey, userKeySerializer);
        }
    }
}
