/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.state;

import javax.annotation.Nonnull;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.query.TaskKvStateRegistry;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.Keyed;
import org.apache.flink.runtime.state.PriorityComparable;
import org.apache.flink.runtime.state.StateSnapshotTransformer.StateSnapshotTransformFactory;
import org.apache.flink.runtime.state.heap.AssembledHeapKeyedStateBackend;
import org.apache.flink.runtime.state.heap.HeapBackendAssembly;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueElement;
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
            UnitKeyContext<K> keyContext,
            HeapPriorityQueueSetFactory queueFactory,
            HeapBackendAssembly<K> assembly) {
        super(kvStateRegistry, userCodeClassLoader, executionConfig, ttlTimeProvider, assembly);
        this.name = "MecesKeyedStateBackend(" + operatorIdentifier + ")";
        this.units =
                new HeapUnitStore<>(
                        name,
                        userCodeClassLoader,
                        keySerializer,
                        keyContext,
                        new UnitTimers<>(keyContext, queueFactory, assembly.queues()),
                        assembly.states());
    }

    @Override
    public HeapUnitStore<K> units() {
        return units;
    }

    @Override
    @Nonnull
    public <T extends HeapPriorityQueueElement & PriorityComparable & Keyed>
            KeyGroupedInternalPriorityQueue<T> create(
                    @Nonnull String stateName, @Nonnull TypeSerializer<T> elementSerializer) {
        KeyGroupedInternalPriorityQueue<T> queue = super.create(stateName, elementSerializer);
        units.schemaChanged();
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
        units.schemaChanged();
        return state;
    }

    @Override
    public String toString() {
        return name;
    }
}
