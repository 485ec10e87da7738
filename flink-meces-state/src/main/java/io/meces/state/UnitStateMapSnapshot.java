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

    private final int number;

    /** Null: released. */
    @Nullable private BucketsSnapshot<StateEntries.Entry<K, N, S>> buckets;

    UnitStateMapSnapshot(UnitStateMap<K, N, S> owner) {
        super(owner);
        // if there is nothing to keep nothing need be copied before it is changed
        number = owner.size() > 0 ? owner.entries().snapshot() : 0;
        buckets = owner.entries().keepBuckets();
    }

    @Override
    public void writeState(
            TypeSerializer<K> keySerializer,
            TypeSerializer<N> namespaceSerializer,
            TypeSerializer<S> stateSerializer,
            @Nonnull DataOutputView out,
            @Nullable StateSnapshotTransformer<S> transformer)
            throws IOException {
        if (buckets == null) {
            throw new IllegalStateException("The snapshot was already released");
        }
        if (transformer != null) {
            writeTransformed(keySerializer, namespaceSerializer, stateSerializer, out, transformer);
            return;
        }
        out.writeInt(buckets.size());
        BucketsSnapshot<StateEntries.Entry<K, N, S>>.Entries entries = buckets.entries();
        for (StateEntries.Entry<K, N, S> e = entries.next(); e != null; e = entries.next()) {
            namespaceSerializer.serialize(e.getNamespace(), out);
            keySerializer.serialize(e.getKey(), out);
            stateSerializer.serialize(e.getState(), out);
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
        List<StateEntries.Entry<K, N, S>> kept = new ArrayList<>(buckets.size());
        List<S> states = new ArrayList<>(buckets.size());
        BucketsSnapshot<StateEntries.Entry<K, N, S>>.Entries entries = buckets.entries();
        for (StateEntries.Entry<K, N, S> e = entries.next(); e != null; e = entries.next()) {
            S state = transformer.filterOrTransform(e.getState());
            if (state != null) {
                kept.add(e);
                states.add(state);
            }
        }
        out.writeInt(kept.size());
        for (int i = 0; i < kept.size(); i++) {
            namespaceSerializer.serialize(kept.get(i).getNamespace(), out);
            keySerializer.serialize(kept.get(i).getKey(), out);
            stateSerializer.serialize(states.get(i), out);
        }
    }

    @Override
    public void release() {
        if (buckets == null) {
            return;
        }
        buckets.release();
        buckets = null;
        if (number > 0) {
            owningStateMap.entries().release(number);
        }
    }
}
