// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.runtime.state.heap;

import io.meces.flink.state.BackendEnvironment;
import javax.annotation.Nonnull;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.Keyed;
import org.apache.flink.runtime.state.PriorityComparable;
import org.apache.flink.runtime.state.StateSnapshotTransformer.StateSnapshotTransformFactory;

/** Bridge: Flink's heap backend, over tables and queues that were made apart. */
public abstract class AssembledHeapKeyedStateBackend<K> extends HeapKeyedStateBackendOfLine<K> {

    /** A backend over the tables and queues of the assembly. */
    protected AssembledHeapKeyedStateBackend(
            BackendEnvironment environment, HeapBackendAssembly<K> assembly) {
        super(environment, assembly);
    }

    /** A queue has been registered, or has come to be used after a restore. */
    protected abstract void queueRegistered();

    /** A state has been registered, or has come to be used after a restore. */
    protected abstract void stateRegistered(StateDescriptor<?, ?> descriptor);

    @Override
    @Nonnull
    public <T extends HeapPriorityQueueElement & PriorityComparable<? super T> & Keyed<?>>
            KeyGroupedInternalPriorityQueue<T> create(
                    @Nonnull String stateName, @Nonnull TypeSerializer<T> elementSerializer) {
        KeyGroupedInternalPriorityQueue<T> queue = super.create(stateName, elementSerializer);
        queueRegistered();
        return queue;
    }

    @Override
    @Nonnull
    public <T extends HeapPriorityQueueElement & PriorityComparable<? super T> & Keyed<?>>
            KeyGroupedInternalPriorityQueue<T> create(
                    @Nonnull String stateName,
                    @Nonnull TypeSerializer<T> elementSerializer,
                    boolean allowFutureMetadataUpdates) {
        KeyGroupedInternalPriorityQueue<T> queue =
                super.create(stateName, elementSerializer, allowFutureMetadataUpdates);
        queueRegistered();
        return queue;
    }

    @Override
    @Nonnull
    public <N, SV, SEV, S extends State, IS extends S> IS createOrUpdateInternalState(
            @Nonnull TypeSerializer<N> namespaceSerializer,
            @Nonnull StateDescriptor<S, SV> stateDescriptor,
            @Nonnull StateSnapshotTransformFactory<SEV> snapshotTransformFactory,
            boolean allowFutureMetadataUpdates)
            throws Exception {
        IS state =
                super.createOrUpdateInternalState(
                        namespaceSerializer,
                        stateDescriptor,
                        snapshotTransformFactory,
                        allowFutureMetadataUpdates);
        stateRegistered(stateDescriptor);
        return state;
    }
}
