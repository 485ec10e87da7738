// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.contrib.streaming.state;

import io.meces.flink.state.BackendEnvironment;
import io.meces.flink.state.KeyContext;
import io.meces.state.rocksdb.PrivateField;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.annotation.Nonnull;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.contrib.streaming.state.snapshot.RocksDBSnapshotStrategyBase;
import org.apache.flink.contrib.streaming.state.snapshot.RocksIncrementalSnapshotStrategy;
import org.apache.flink.contrib.streaming.state.ttl.RocksDbTtlCompactFiltersManager;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.Keyed;
import org.apache.flink.runtime.state.PriorityComparable;
import org.apache.flink.runtime.state.RegisteredStateMetaInfoBase;
import org.apache.flink.runtime.state.StateSnapshotTransformer.StateSnapshotTransformFactory;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueElement;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSetFactory;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSnapshotRestoreWrapper;
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

    /** Timer queues by name. */
    @SuppressWarnings("rawtypes")
    protected final Map<String, HeapPriorityQueueSnapshotRestoreWrapper> timerQueues =
            new LinkedHashMap<>();

    /** Whoever uses the database in another thread needs a lease. */
    protected final ResourceGuard guard;

    /** On whose disk the database is; it is deleted with the backend. */
    protected final Path directory;

    private final boolean isIncremental;
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
            BackendEnvironment environment,
            KeyContext<K> keyContext,
            HeapPriorityQueueSetFactory queues,
            Runnable access) {
        super(
                environment.userCode,
                built.getInstanceBasePath(),
                of(built, "optionsContainer"),
                of(built, "columnFamilyOptionsFactory"),
                environment.kvStateRegistry,
                built.getKeySerializer(),
                environment.executionConfig,
                environment.ttlTime,
                built.db,
                of(built, "kvStateInformation"),
                built.getKeyGroupPrefixBytes(),
                PrivateField.<CloseableRegistry>of(
                        AbstractKeyedStateBackend.class, built, "cancelStreamRegistry"),
                environment.compression,
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
        this.isIncremental = checkpoints instanceof RocksIncrementalSnapshotStrategy;
        this.columnOptions = of(built, "columnFamilyOptionsFactory");
        this.resources = of(built, "optionsContainer");
        this.metrics = of(built, "nativeMetricMonitor");
        this.ttl = of(built, "ttlCompactFiltersManager");
    }

    private static <T> T of(RocksDBKeyedStateBackend<?> backend, String field) {
        return PrivateField.of(RocksDBKeyedStateBackend.class, backend, field);
    }

    /**
     * What a job has set for its timers; null if nothing, or if that cannot be told: one that has
     * been configured, as the client does with that of its configuration, has all values, and
     * RocksDB for timers if nobody said anything.
     */
    @Nullable
    public static RocksDBStateBackend.PriorityQueueStateType timersOf(RocksDBStateBackend backend) {
        int transferThreads =
                PrivateField.of(RocksDBStateBackend.class, backend, "numberOfTransferThreads");
        long batchSize = PrivateField.of(RocksDBStateBackend.class, backend, "writeBatchSize");
        boolean configured = transferThreads != UNDEFINED && batchSize != UNDEFINED;
        RocksDBStateBackend.PriorityQueueStateType timers =
                PrivateField.of(RocksDBStateBackend.class, backend, "priorityQueueStateType");
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

    /** Whether a snapshot flushes memtables, and takes the files of the database. */
    protected final boolean flushesFor(CheckpointOptions options) {
        return isIncremental && !options.getCheckpointType().isSavepoint();
    }

    /**
     * Prepares for a snapshot of all there is.
     *
     * @return why none can be taken now; null: it can
     */
    @Nullable
    protected abstract String prepareSnapshot() throws Exception;

    /** The timers of that name, on the heap. */
    protected abstract <
                    T extends HeapPriorityQueueElement & PriorityComparable<? super T> & Keyed<?>>
            KeyGroupedInternalPriorityQueue<T> timerQueue(
                    String name, TypeSerializer<T> serializer);

    /** The operator is about to use a state. */
    protected abstract void beforeState(StateDescriptor<?, ?> descriptor) throws Exception;

    /** A state has been registered, or has come to be used after a restore. */
    protected abstract void stateRegistered();

    /** Those that are here. */
    protected abstract Stream<K> onlyHere(Stream<K> keys);

    @Override
    @Nonnull
    @SuppressWarnings({"rawtypes", "unchecked"})
    public <T extends HeapPriorityQueueElement & PriorityComparable & Keyed>
            KeyGroupedInternalPriorityQueue<T> create(
                    @Nonnull String name, @Nonnull TypeSerializer<T> serializer) {
        return timerQueue(name, (TypeSerializer) serializer);
    }

    @Override
    @Nonnull
    public <N, SV, SEV, S extends State, IS extends S> IS createInternalState(
            @Nonnull TypeSerializer<N> namespaceSerializer,
            @Nonnull StateDescriptor<S, SV> descriptor,
            @Nonnull StateSnapshotTransformFactory<SEV> snapshotTransformFactory)
            throws Exception {
        beforeState(descriptor);
        IS state =
                super.createInternalState(
                        namespaceSerializer, descriptor, snapshotTransformFactory);
        stateRegistered();
        return state;
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
