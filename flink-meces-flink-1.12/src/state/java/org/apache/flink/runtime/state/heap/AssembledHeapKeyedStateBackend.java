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

/**
 * Bridge to the constructor of {@link HeapKeyedStateBackend}, which takes the package-private
 * snapshot strategy.
 */
public abstract class AssembledHeapKeyedStateBackend<K> extends HeapKeyedStateBackend<K> {

    /** A backend over the tables and queues of the assembly. */
    protected AssembledHeapKeyedStateBackend(
            BackendEnvironment environment, HeapBackendAssembly<K> assembly) {
        super(
                environment.kvStateRegistry,
                assembly.keySerializer(),
                environment.userCode,
                environment.executionConfig,
                environment.ttlTime,
                assembly.backendStreams(),
                assembly.compression(),
                assembly.states(),
                assembly.queues(),
                assembly.localRecoveryConfig(),
                assembly.queueFactory(),
                assembly.snapshotStrategy(),
                assembly.keyContext());
    }

    /** A queue has been registered, or has come to be used after a restore. */
    protected abstract void queueRegistered();

    /** A state has been registered, or has come to be used after a restore. */
    protected abstract void stateRegistered(StateDescriptor<?, ?> descriptor);

    @Override
    @Nonnull
    public <T extends HeapPriorityQueueElement & PriorityComparable & Keyed>
            KeyGroupedInternalPriorityQueue<T> create(
                    @Nonnull String stateName, @Nonnull TypeSerializer<T> elementSerializer) {
        KeyGroupedInternalPriorityQueue<T> queue = super.create(stateName, elementSerializer);
        queueRegistered();
        return queue;
    }

    @Override
    @Nonnull
    public <N, SV, SEV, S extends State, IS extends S> IS createInternalState(
            @Nonnull TypeSerializer<N> namespaceSerializer,
            @Nonnull StateDescriptor<S, SV> stateDescriptor,
            @Nonnull StateSnapshotTransformFactory<SEV> snapshotTransformFactory)
            throws Exception {
        IS state =
                super.createInternalState(
                        namespaceSerializer, stateDescriptor, snapshotTransformFactory);
        stateRegistered(stateDescriptor);
        return state;
    }
}
