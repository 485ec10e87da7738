// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import io.meces.flink.rocksdb.RocksDBRelease;
import io.meces.flink.state.BackendEnvironment;
import io.meces.flink.state.Compatibility;
import io.meces.state.ElasticKeyedStateBackend;
import io.meces.state.UnitKeyContext;
import io.meces.state.UnitQueueFactory;
import io.meces.state.UnitStore;
import io.meces.state.UnitTimers;
import java.io.IOException;
import java.util.BitSet;
import java.util.Collection;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.annotation.Nonnull;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.contrib.streaming.state.AdoptedRocksDBKeyedStateBackend;
import org.apache.flink.contrib.streaming.state.RocksDBKeyedStateBackend;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.Keyed;
import org.apache.flink.runtime.state.KeyedStateFunction;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.PriorityComparable;
import org.apache.flink.runtime.state.RegisteredKeyValueStateBackendMetaInfo;
import org.apache.flink.runtime.state.RegisteredPriorityQueueStateBackendMetaInfo;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueElement;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSet;
import org.apache.flink.util.FlinkRuntimeException;
import org.apache.flink.util.StateMigrationException;
import org.rocksdb.ColumnFamilyHandle;

/**
 * Flink's RocksDB backend for all key-groups, of which it owns some, with timers on the heap.
 *
 * <p>What is in the database of key-groups that are not owned is invisible: their keys have no
 * state here, and it is deleted before anybody takes all there is, a checkpoint first of all.
 *
 * <p>Owned by the task thread.
 *
 * @param <K> type of key
 */
public final class MecesRocksDBKeyedStateBackend<K> extends AdoptedRocksDBKeyedStateBackend<K>
        implements ElasticKeyedStateBackend {

    private final String name;
    private final UnitTimers<K> timers;
    private final RestoredTimers restoredTimers;
    private final Compactions compactions;
    private final RowDeletions rowDeletions;
    private final StaleKeyGroups stale;
    private final PendingFlushes flushes;
    private final RocksDBUnitStore<K> units;
    private boolean disposed;

    private MecesRocksDBKeyedStateBackend(
            BackendEnvironment environment,
            RocksDBKeyedStateBackend<K> built,
            UnitKeyContext<K> keyContext,
            UnitQueueFactory queues,
            int looksToWait,
            long leastFileBytes,
            MetricGroup metricGroup) {
        super(built, environment, keyContext, queues, keyContext::checkOwned);
        this.name = nameOf(environment);
        this.timers = new UnitTimers<>(keyContext, queues, timerQueues);
        this.restoredTimers = new RestoredTimers(db, states, keyContext, getKeyGroupPrefixBytes());
        this.compactions =
                new Compactions(
                        db,
                        guard,
                        numberOfKeyGroups,
                        getKeyGroupPrefixBytes(),
                        () -> columnFamilies(state -> !isRestoredTimers(state)));
        this.rowDeletions =
                new RowDeletions(
                        db,
                        getWriteOptions(),
                        guard,
                        getKeyGroupPrefixBytes(),
                        () -> columnFamilies(state -> true));
        this.stale = new StaleKeyGroups(rowDeletions, compactions);
        this.flushes =
                new PendingFlushes(
                        db,
                        () -> columnFamilies(state -> true),
                        System::nanoTime,
                        () -> TimeUnit.MILLISECONDS.sleep(1));
        BackendDatabase database =
                new BackendDatabase(
                        db,
                        getWriteOptions(),
                        getKeyGroupPrefixBytes(),
                        guard,
                        states,
                        directory,
                        leastFileBytes,
                        new RocksDBMetrics(metricGroup, compactions::pending));
        this.units =
                new RocksDBUnitStore<>(
                        environment,
                        keySerializer,
                        keyContext,
                        timers,
                        database,
                        this::registerState,
                        stale,
                        new PostponedCompactions(
                                db,
                                guard,
                                RocksDBDeferredData.HELPERS,
                                () -> columnFamilies(state -> !isRestoredTimers(state)),
                                PostponedCompactions.LARGE_BYTES,
                                PostponedCompactions.SMALL_BYTES,
                                looksToWait,
                                System::nanoTime));
    }

    /** As messages have it. */
    static String nameOf(BackendEnvironment environment) {
        return "MecesRocksDBKeyedStateBackend(" + environment.operator + ")";
    }

    /**
     * @param built by Flink for all key-groups; not to be used any more
     * @param ownedKeyGroups those that are here at first
     * @param mayHoldMore whether the database may have entries of others
     * @param looksToWait see {@link PostponedCompactions#turnOf}
     * @param leastFileBytes from how many bytes on rows that come become a file
     */
    static <K> MecesRocksDBKeyedStateBackend<K> adopt(
            BackendEnvironment environment,
            RocksDBKeyedStateBackend<K> built,
            int numberOfKeyGroups,
            BitSet ownedKeyGroups,
            boolean mayHoldMore,
            int looksToWait,
            long leastFileBytes,
            MetricGroup metricGroup) {
        UnitKeyContext<K> keyContext =
                new UnitKeyContext<>(
                        KeyGroupRange.of(0, numberOfKeyGroups - 1),
                        numberOfKeyGroups,
                        1,
                        ownedKeyGroups);
        MecesRocksDBKeyedStateBackend<K> backend =
                new MecesRocksDBKeyedStateBackend<>(
                        environment,
                        built,
                        keyContext,
                        new UnitQueueFactory(keyContext),
                        looksToWait,
                        leastFileBytes,
                        metricGroup);
        int from = mayHoldMore ? ownedKeyGroups.nextClearBit(0) : numberOfKeyGroups;
        while (from < numberOfKeyGroups) {
            int next = ownedKeyGroups.nextSetBit(from);
            int to = next < 0 ? numberOfKeyGroups : next;
            backend.stale.addRestored(from, to);
            backend.units.holdsMore();
            from = ownedKeyGroups.nextClearBit(to);
        }
        return backend;
    }

    private Collection<ColumnFamilyHandle> columnFamilies(Predicate<RocksDbKvStateInfo> those) {
        return states.values().stream()
                .filter(those)
                .map(state -> state.columnFamilyHandle)
                .collect(Collectors.toList());
    }

    /** Their column family is dropped when the operator asks for them. */
    private static boolean isRestoredTimers(RocksDbKvStateInfo state) {
        return state.metaInfo instanceof RegisteredPriorityQueueStateBackendMetaInfo;
    }

    /** Whether Flink is about to read all rows of a restored state and write them anew. */
    private boolean isToBeMigrated(StateDescriptor<?, ?> descriptor) {
        RocksDbKvStateInfo restored = states.get(descriptor.getName());
        return restored != null
                && restored.metaInfo instanceof RegisteredKeyValueStateBackendMetaInfo
                && needsMigration(
                        ((RegisteredKeyValueStateBackendMetaInfo<?, ?>) restored.metaInfo)
                                .getPreviousStateSerializerSnapshot(),
                        descriptor.getSerializer());
    }

    /**
     * As Flink finds out: by what was restored. A serializer that reads it may call itself the new
     * one, as Avro's does.
     */
    private static boolean needsMigration(
            @Nullable TypeSerializerSnapshot<?> from, TypeSerializer<?> to) {
        return from != null && Compatibility.ofRestored(from, to).isCompatibleAfterMigration();
    }

    @Override
    public UnitStore units() {
        return units;
    }

    @Override
    public UnitKeyContext<K> keyContext() {
        return (UnitKeyContext<K>) keyContext;
    }

    @Override
    public <N, S extends State, T> void applyToAllKeys(
            N namespace,
            TypeSerializer<N> namespaceSerializer,
            StateDescriptor<S, T> stateDescriptor,
            KeyedStateFunction<K, S> function)
            throws Exception {
        super.applyToAllKeys(namespace, namespaceSerializer, stateDescriptor, function);
        keyContext().leaveKey();
    }

    @Override
    protected <T extends HeapPriorityQueueElement & PriorityComparable<? super T> & Keyed<?>>
            KeyGroupedInternalPriorityQueue<T> timerQueue(
                    String queueName, TypeSerializer<T> elementSerializer) {
        if (states.containsKey(queueName)) {
            // its column family is dropped, in which rows are being deleted
            deleteStale();
        }
        HeapPriorityQueueSet<T> queue = timers.registerOrUpdate(queueName, elementSerializer);
        restoredTimers.take(queueName, elementSerializer, queue::add);
        units.schemaChanged();
        return queue;
    }

    @Override
    protected void beforeState(StateDescriptor<?, ?> descriptor) throws StateMigrationException {
        if (isToBeMigrated(descriptor)) {
            units.checkMayBeMigrated(descriptor.getName());
            // rows that are being deleted must not be written again
            deleteStale();
        }
    }

    @Override
    protected void stateRegistered() {
        units.schemaChanged();
    }

    @Override
    @Nonnull
    public RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot(
            long checkpointId,
            long timestamp,
            @Nonnull CheckpointStreamFactory streamFactory,
            @Nonnull CheckpointOptions checkpointOptions)
            throws Exception {
        String refusal = prepareSnapshot();
        if (refusal != null) {
            // a failure of the part that others do: one of this fails the task
            return new FutureTask<>(
                    () -> {
                        throw new IllegalStateException(refusal);
                    });
        }
        if (flushesFor(checkpointOptions)) {
            flushes.await();
        }
        return super.snapshot(
                checkpointId,
                timestamp,
                units.storesWhatMoved(
                                checkpointId, checkpointOptions.getCheckpointType().isSavepoint())
                        ? SyncedStreams.of(streamFactory)
                        : streamFactory,
                checkpointOptions);
    }

    /** Each checkpoint that finds something frozen has been aborted, or no unit could have left. */
    @Override
    @Nullable
    protected String prepareSnapshot() throws IOException {
        if (units.hasFrozen()) {
            return name
                    + " takes no part in a checkpoint that has been aborted: it still has data of"
                    + " units that have left.";
        }
        stale.deleteAll();
        return null;
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) throws Exception {
        super.notifyCheckpointComplete(checkpointId);
        units.onCheckpointComplete(checkpointId);
    }

    @Override
    public <N> Stream<K> getKeys(String state, N namespace) {
        return onlyHere(super.getKeys(state, namespace));
    }

    @Override
    protected Stream<K> onlyHere(Stream<K> keys) {
        return hasForeignRows() ? keys.filter(this::isHere) : keys;
    }

    @Override
    public <N> Stream<Tuple2<K, N>> getKeysAndNamespaces(String state) {
        Stream<Tuple2<K, N>> keys = super.getKeysAndNamespaces(state);
        return hasForeignRows() ? keys.filter(key -> isHere(key.f0)) : keys;
    }

    private boolean hasForeignRows() {
        return units.hasFrozen() || stale.exist();
    }

    private boolean isHere(K key) {
        return keyContext()
                .owns(KeyGroupRangeAssignment.assignToKeyGroup(key, numberOfKeyGroups), 0);
    }

    @Override
    public int numKeyValueStateEntries() {
        deleteStale();
        return super.numKeyValueStateEntries();
    }

    private void deleteStale() {
        try {
            stale.deleteAll();
        } catch (IOException e) {
            throw new FlinkRuntimeException(e);
        }
    }

    @Override
    public void dispose() {
        if (disposed) {
            return;
        }
        // also if it fails: to close what is closed already would end the process
        disposed = true;
        units.close();
        rowDeletions.close();
        compactions.close();
        RocksDBRelease.endBackgroundWork(db);
        super.dispose();
    }

    @Override
    public String toString() {
        return name;
    }
}
