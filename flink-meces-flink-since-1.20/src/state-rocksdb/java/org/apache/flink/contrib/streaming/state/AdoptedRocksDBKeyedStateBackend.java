// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.contrib.streaming.state;

import io.meces.flink.rocksdb.RefusedSavepoint;
import io.meces.flink.state.BackendEnvironment;
import io.meces.flink.state.KeyContext;
import io.meces.state.rocksdb.PrivateField;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.annotation.Nonnull;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.contrib.streaming.state.EmbeddedRocksDBStateBackend.PriorityQueueStateType;
import org.apache.flink.contrib.streaming.state.ttl.RocksDbTtlCompactFiltersManager;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.checkpoint.SavepointType;
import org.apache.flink.runtime.checkpoint.SnapshotType;
import org.apache.flink.runtime.state.CheckedKeyBuilders;
import org.apache.flink.runtime.state.HeapPriorityQueuesManager;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.Keyed;
import org.apache.flink.runtime.state.PriorityComparable;
import org.apache.flink.runtime.state.RegisteredStateMetaInfoBase;
import org.apache.flink.runtime.state.SavepointResources;
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
public abstract class AdoptedRocksDBKeyedStateBackend<K> extends RocksDBKeyedStateBackendOfLine<K> {

    /** By name; the very map that Flink's code uses. */
    protected final LinkedHashMap<String, RocksDbKvStateInfo> states;

    /** Timer queues by name; the very map that savepoints are written from. */
    @SuppressWarnings("rawtypes")
    protected final Map<String, HeapPriorityQueueSnapshotRestoreWrapper> timerQueues;

    /** Whoever uses the database in another thread needs a lease. */
    protected final ResourceGuard guard;

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
    @SuppressWarnings({"rawtypes", "unchecked"})
    protected AdoptedRocksDBKeyedStateBackend(
            RocksDBKeyedStateBackend<K> built,
            BackendEnvironment environment,
            KeyContext<K> keyContext,
            HeapPriorityQueueSetFactory queues,
            Runnable access) {
        super(
                built,
                environment,
                keyContext,
                queues,
                CheckedKeyBuilders.of(
                        built.getKeySerializer(), built.getKeyGroupPrefixBytes(), access));
        this.states = of(built, "kvStateInformation");
        this.timerQueues =
                (Map)
                        RocksDBKeyedStateBackendOfLine.<HeapPriorityQueuesManager>of(
                                        this, "heapPriorityQueuesManager")
                                .getRegisteredPQStates();
        this.guard = of(built, "rocksDBResourceGuard");
        this.directory = built.getInstanceBasePath().toPath();
        this.columnOptions = of(built, "columnFamilyOptionsFactory");
        this.resources = of(built, "optionsContainer");
        this.metrics = of(built, "nativeMetricMonitor");
        this.ttl = of(built, "ttlCompactFiltersManager");
    }

    /** What a job or a configuration has set for its timers; null if nothing. */
    @Nullable
    public static PriorityQueueStateType timersOf(EmbeddedRocksDBStateBackend backend) {
        return PrivateField.of(
                RocksDBPriorityQueueConfig.class,
                PrivateField.of(EmbeddedRocksDBStateBackend.class, backend, "priorityQueueConfig"),
                "priorityQueueStateType");
    }

    /** Whether a snapshot flushes memtables, and takes the files of the database. */
    protected final boolean flushesFor(CheckpointOptions options) {
        return !isCanonical(options.getCheckpointType());
    }

    private static boolean isCanonical(SnapshotType type) {
        return type.isSavepoint()
                && ((SavepointType) type).getFormatType() == SavepointFormatType.CANONICAL;
    }

    /** Registers a state, as if it had been restored, with a column family of its own. */
    protected final void registerState(RegisteredStateMetaInfoBase metaInfo) {
        RocksDBOperationUtils.registerKvStateInformation(
                states,
                metrics,
                metaInfo.getName(),
                createStateInfo(
                        metaInfo,
                        db,
                        columnOptions,
                        ttl,
                        resources.getWriteBufferManagerCapacity()));
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

    /** Keys of timers, which are on the heap, stay what they are: no operator may reuse them. */
    @Override
    public boolean isSafeToReuseKVState() {
        return false;
    }

    /** Timers on the heap are among the states of a canonical savepoint, and beside any other. */
    @Override
    public boolean requiresLegacySynchronousTimerSnapshots(SnapshotType type) {
        return !isCanonical(type);
    }

    @Override
    @Nonnull
    public SavepointResources<K> savepoint() throws Exception {
        String refusal = prepareSnapshot();
        SavepointResources<K> resources = super.savepoint();
        return refusal == null
                ? resources
                : new SavepointResources<>(
                        new RefusedSavepoint<>(resources.getSnapshotResources(), refusal),
                        resources.getPreferredSnapshotExecutionType());
    }

    @Override
    @Nonnull
    public <T extends HeapPriorityQueueElement & PriorityComparable<? super T> & Keyed<?>>
            KeyGroupedInternalPriorityQueue<T> create(
                    @Nonnull String name, @Nonnull TypeSerializer<T> serializer) {
        return timerQueue(name, serializer);
    }

    @Override
    public <T extends HeapPriorityQueueElement & PriorityComparable<? super T> & Keyed<?>>
            KeyGroupedInternalPriorityQueue<T> create(
                    @Nonnull String name,
                    @Nonnull TypeSerializer<T> serializer,
                    boolean allowFutureMetadataUpdates) {
        return timerQueue(name, serializer);
    }

    @Override
    @Nonnull
    public <N, SV, SEV, S extends State, IS extends S> IS createOrUpdateInternalState(
            @Nonnull TypeSerializer<N> namespaceSerializer,
            @Nonnull StateDescriptor<S, SV> descriptor,
            @Nonnull StateSnapshotTransformFactory<SEV> snapshotTransformFactory,
            boolean allowFutureMetadataUpdates)
            throws Exception {
        beforeState(descriptor);
        IS state =
                super.createOrUpdateInternalState(
                        namespaceSerializer,
                        descriptor,
                        snapshotTransformFactory,
                        allowFutureMetadataUpdates);
        stateRegistered();
        return state;
    }

    @Override
    public <N> Stream<K> getKeys(List<String> names, N namespace) {
        return onlyHere(super.getKeys(names, namespace));
    }
}
