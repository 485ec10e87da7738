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

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nonnull;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.state.StateSnapshotTransformer;
import org.apache.flink.runtime.state.heap.StateMapSnapshot;

/**
 * Snapshot of one key-group of one state.
 *
 * <p>Made by the task thread, then owned by the thread that writes or discards the checkpoint. It
 * keeps the entries of the time when it was made, whatever units are taken out or put in later.
 */
final class UnitStateMapSnapshot<K, N, S> extends StateMapSnapshot<K, N, S, UnitStateMap<K, N, S>> {

    private final int size;
    private final int number;
    @Nullable private Chains.Node<StateEntries.Entry<K, N, S>>[] chains;

    UnitStateMapSnapshot(UnitStateMap<K, N, S> owner) {
        super(owner);
        size = owner.size();
        if (size > 0) {
            number = owner.entries().snapshot();
            chains = owner.entries().copyOfChains();
        } else {
            number = 0;
        }
    }

    @Override
    public void writeState(
            TypeSerializer<K> keySerializer,
            TypeSerializer<N> namespaceSerializer,
            TypeSerializer<S> stateSerializer,
            @Nonnull DataOutputView out,
            @Nullable StateSnapshotTransformer<S> transformer)
            throws IOException {
        if (size == 0) {
            out.writeInt(0);
            return;
        }
        if (chains == null) {
            throw new IllegalStateException("The snapshot was already released");
        }
        if (transformer != null) {
            writeTransformed(keySerializer, namespaceSerializer, stateSerializer, out, transformer);
            return;
        }
        out.writeInt(size);
        for (Chains.Node<StateEntries.Entry<K, N, S>> chain : chains) {
            for (StateEntries.Entry<K, N, S> e = (StateEntries.Entry<K, N, S>) chain;
                    e != null;
                    e = e.next) {
                namespaceSerializer.serialize(e.getNamespace(), out);
                keySerializer.serialize(e.getKey(), out);
                stateSerializer.serialize(e.getState(), out);
            }
        }
    }

    /** The number of entries comes first, and is known only after all have been transformed. */
    private void writeTransformed(
            TypeSerializer<K> keySerializer,
            TypeSerializer<N> namespaceSerializer,
            TypeSerializer<S> stateSerializer,
            DataOutputView out,
            StateSnapshotTransformer<S> transformer)
            throws IOException {
        List<StateEntries.Entry<K, N, S>> entries = new ArrayList<>(size);
        List<S> states = new ArrayList<>(size);
        for (Chains.Node<StateEntries.Entry<K, N, S>> chain : chains) {
            for (StateEntries.Entry<K, N, S> e = (StateEntries.Entry<K, N, S>) chain;
                    e != null;
                    e = e.next) {
                S state = transformer.filterOrTransform(e.getState());
                if (state != null) {
                    entries.add(e);
                    states.add(state);
                }
            }
        }
        out.writeInt(entries.size());
        for (int i = 0; i < entries.size(); i++) {
            namespaceSerializer.serialize(entries.get(i).getNamespace(), out);
            keySerializer.serialize(entries.get(i).getKey(), out);
            stateSerializer.serialize(states.get(i), out);
        }
    }

    @Override
    public void release() {
        if (chains != null) {
            chains = null;
            owningStateMap.entries().release(number);
        }
    }
}
