// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import io.meces.flink.state.AccessMetrics;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.query.TaskKvStateRegistry;
import org.apache.flink.runtime.state.KeyedStateFunction;
import org.apache.flink.runtime.state.heap.AssembledHeapKeyedStateBackend;
import org.apache.flink.runtime.state.heap.HeapBackendAssembly;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSetFactory;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;

/**
 * Flink's heap backend with key-groups divided into sub-groups, whose units can be moved.
 *
 * <p>Owned by the task thread.
 *
 * @param <K> type of key
 */
public final class MecesKeyedStateBackend<K> extends AssembledHeapKeyedStateBackend<K>
        implements ElasticKeyedStateBackend {

    private final String name;
    private final HeapUnitStore<K> units;

    MecesKeyedStateBackend(
            String operatorIdentifier,
            TaskKvStateRegistry kvStateRegistry,
            ClassLoader userCodeClassLoader,
            ExecutionConfig executionConfig,
            TtlTimeProvider ttlTimeProvider,
            AccessMetrics metrics,
            UnitKeyContext<K> keyContext,
            HeapPriorityQueueSetFactory queueFactory,
            HeapBackendAssembly<K> assembly) {
        super(
                kvStateRegistry,
                userCodeClassLoader,
                executionConfig,
                ttlTimeProvider,
                metrics,
                assembly);
        this.name = "MecesKeyedStateBackend(" + operatorIdentifier + ")";
        this.units =
                new HeapUnitStore<>(
                        name,
                        userCodeClassLoader,
                        keySerializer,
                        keyContext,
                        new UnitTimers<>(keyContext, queueFactory, assembly.queues()),
                        assembly.states());
        LossyValues.warn(name, "the key", keySerializer);
    }

    @Override
    public HeapUnitStore<K> units() {
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
    protected void queueRegistered() {
        units.schemaChanged();
    }

    @Override
    protected void stateRegistered(StateDescriptor<?, ?> descriptor) {
        units.schemaChanged();
        LossyValues.warn(name, "state '" + descriptor.getName() + "'", descriptor.getSerializer());
    }

    @Override
    public String toString() {
        return name;
    }
}
