// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.runtime.state.heap;

import io.meces.flink.state.KeyContext;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.state.InternalKeyContext;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.RegisteredKeyValueStateBackendMetaInfo;
import org.apache.flink.runtime.state.RestoreOperation;
import org.apache.flink.runtime.state.SavepointKeyedStateHandle;
import org.apache.flink.runtime.state.StateSerializerProvider;
import org.apache.flink.runtime.state.StreamCompressionDecorator;

/**
 * Bridge to the parts of a heap backend that Flink keeps package-private: the snapshot strategy and
 * the restore operation, put together around another kind of {@link StateTable}.
 *
 * <p>One assembly makes one backend; used by the task thread only.
 */
public final class HeapBackendAssembly<K> {

    private final Map<String, StateTable<K, ?, ?>> states = new LinkedHashMap<>();

    private final Map<String, HeapPriorityQueueSnapshotRestoreWrapper<?>> queues =
            new LinkedHashMap<>();

    private final CloseableRegistry backendStreams = new CloseableRegistry();
    private final KeyContext<K> keyContext;
    private final StateSerializerProvider<K> keySerializerProvider;
    private final LocalRecoveryConfig localRecoveryConfig;
    private final StreamCompressionDecorator compression;
    private final HeapPriorityQueueSetFactory queueFactory;
    private final HeapSnapshotStrategy<K> snapshotStrategy;
    private final StateTableFactory<K> tables;

    /** Puts together the parts; nothing is restored yet. */
    public HeapBackendAssembly(
            KeyContext<K> keyContext,
            StateSerializerProvider<K> keySerializerProvider,
            LocalRecoveryConfig localRecoveryConfig,
            StreamCompressionDecorator compression,
            HeapPriorityQueueSetFactory queueFactory,
            TableFactory<K> tableFactory) {
        this.keyContext = keyContext;
        this.keySerializerProvider = keySerializerProvider;
        this.localRecoveryConfig = localRecoveryConfig;
        this.compression = compression;
        this.queueFactory = queueFactory;
        this.snapshotStrategy =
                new HeapSnapshotStrategy<>(
                        states,
                        queues,
                        compression,
                        localRecoveryConfig,
                        keyContext.getKeyGroupRange(),
                        keySerializerProvider,
                        keyContext.getNumberOfKeyGroups());
        this.tables = new Tables<>(keyContext, tableFactory);
    }

    /**
     * Reads the handles into new tables and queues.
     *
     * @param handles any number; their declared ranges may overlap as long as their entries do not
     * @param taskStreams where the streams that are read are registered, to be closed on cancel
     */
    public void restore(
            Collection<KeyedStateHandle> handles,
            ClassLoader userCodeClassLoader,
            CloseableRegistry taskStreams)
            throws Exception {
        RestoreOperation<Void> operation =
                // a savepoint that every state backend can read has a format of its own
                !handles.isEmpty() && handles.iterator().next() instanceof SavepointKeyedStateHandle
                        ? new HeapSavepointRestoreOperation<>(
                                handles,
                                keySerializerProvider,
                                userCodeClassLoader,
                                states,
                                queues,
                                queueFactory,
                                keyContext.getKeyGroupRange(),
                                keyContext.getNumberOfKeyGroups(),
                                tables,
                                keyContext)
                        : new HeapRestoreOperation<>(
                                handles,
                                keySerializerProvider,
                                userCodeClassLoader,
                                states,
                                queues,
                                taskStreams,
                                queueFactory,
                                keyContext.getKeyGroupRange(),
                                keyContext.getNumberOfKeyGroups(),
                                tables,
                                keyContext);
        operation.restore();
    }

    /** The key/value states by name: the very map that the backend uses. */
    public Map<String, StateTable<K, ?, ?>> states() {
        return states;
    }

    /** The timer queues by name: the very map that the backend uses. */
    @SuppressWarnings({"rawtypes", "unchecked"})
    public Map<String, HeapPriorityQueueSnapshotRestoreWrapper> queues() {
        return (Map) queues;
    }

    Map<String, HeapPriorityQueueSnapshotRestoreWrapper<?>> typedQueues() {
        return queues;
    }

    StateTableFactory<K> tables() {
        return tables;
    }

    KeyContext<K> keyContext() {
        return keyContext;
    }

    TypeSerializer<K> keySerializer() {
        return keySerializerProvider.currentSchemaSerializer();
    }

    LocalRecoveryConfig localRecoveryConfig() {
        return localRecoveryConfig;
    }

    StreamCompressionDecorator compression() {
        return compression;
    }

    HeapPriorityQueueSetFactory queueFactory() {
        return queueFactory;
    }

    HeapSnapshotStrategy<K> snapshotStrategy() {
        return snapshotStrategy;
    }

    CloseableRegistry backendStreams() {
        return backendStreams;
    }

    /** Makes the table of a state that is registered or restored. */
    @FunctionalInterface
    public interface TableFactory<K> {

        /** A new, empty table for the key-groups of the context. */
        <N, S> StateTable<K, N, S> create(
                KeyContext<K> keyContext,
                RegisteredKeyValueStateBackendMetaInfo<N, S> metaInfo,
                TypeSerializer<K> keySerializer);
    }

    private static final class Tables<K> implements StateTableFactory<K> {

        private final KeyContext<K> keyContext;
        private final TableFactory<K> tableFactory;

        Tables(KeyContext<K> keyContext, TableFactory<K> tableFactory) {
            this.keyContext = keyContext;
            this.tableFactory = tableFactory;
        }

        @Override
        public <N, V> StateTable<K, N, V> newStateTable(
                InternalKeyContext<K> sameContext,
                RegisteredKeyValueStateBackendMetaInfo<N, V> metaInfo,
                TypeSerializer<K> keySerializer) {
            return tableFactory.create(keyContext, metaInfo, keySerializer);
        }
    }
}
