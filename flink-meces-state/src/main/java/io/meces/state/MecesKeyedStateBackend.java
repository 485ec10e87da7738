// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import io.meces.flink.state.BackendEnvironment;
import java.util.Collection;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.state.BackendBuildingException;
import org.apache.flink.runtime.state.KeyedStateFunction;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.LocalRecoveryConfig;
import org.apache.flink.runtime.state.StateSerializerProvider;
import org.apache.flink.runtime.state.heap.AssembledHeapKeyedStateBackend;
import org.apache.flink.runtime.state.heap.HeapBackendAssembly;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSetFactory;

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

    private MecesKeyedStateBackend(
            BackendEnvironment environment,
            UnitKeyContext<K> keyContext,
            HeapPriorityQueueSetFactory queueFactory,
            HeapBackendAssembly<K> assembly) {
        super(environment, assembly);
        this.name = "MecesKeyedStateBackend(" + environment.operator + ")";
        this.units =
                new HeapUnitStore<>(
                        name,
                        environment.userCode,
                        keySerializer,
                        keyContext,
                        new UnitTimers<>(keyContext, queueFactory, assembly.queues()),
                        assembly.states());
        LossyValues.warn(name, "the key", keySerializer);
    }

    /**
     * One with the state of some handles.
     *
     * @param keyContext of which key-groups; for an elastic task all, of which it owns some
     * @param handles any number, their declared ranges may overlap
     * @param taskStreams where streams that are read are registered, to be closed on cancel
     * @throws BackendBuildingException if the state cannot be restored
     */
    public static <K> MecesKeyedStateBackend<K> restore(
            BackendEnvironment environment,
            TypeSerializer<K> keySerializer,
            UnitKeyContext<K> keyContext,
            LocalRecoveryConfig localRecovery,
            Collection<KeyedStateHandle> handles,
            CloseableRegistry taskStreams)
            throws BackendBuildingException {
        HeapPriorityQueueSetFactory queueFactory = new UnitQueueFactory(keyContext);
        HeapBackendAssembly<K> assembly =
                new HeapBackendAssembly<>(
                        keyContext,
                        StateSerializerProvider.fromNewRegisteredSerializer(keySerializer),
                        localRecovery,
                        environment.compression,
                        queueFactory,
                        UnitStateTable::new);
        try {
            assembly.restore(handles, environment.userCode, taskStreams);
        } catch (Exception e) {
            throw new BackendBuildingException(
                    "Cannot restore the keyed state of " + environment.operator, e);
        }
        return new MecesKeyedStateBackend<>(environment, keyContext, queueFactory, assembly);
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
