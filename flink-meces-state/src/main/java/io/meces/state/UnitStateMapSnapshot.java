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
import org.apache.flink.runtime.state.StateEntry;
import org.apache.flink.runtime.state.StateSnapshotTransformer;
import org.apache.flink.runtime.state.heap.CopyOnWriteStateMap;
import org.apache.flink.runtime.state.heap.StateMapSnapshot;
import org.apache.flink.runtime.state.heap.SubMapSnapshot;

/**
 * Snapshot of one key-group of one state: the snapshots of its sub-maps, written as if they were
 * one map.
 *
 * <p>Made by the task thread, then owned by the thread that writes or discards the checkpoint. It
 * keeps the sub-maps of the time when it was made, whatever units are taken out or put in later.
 */
final class UnitStateMapSnapshot<K, N, S> extends StateMapSnapshot<K, N, S, UnitStateMap<K, N, S>> {

    private final List<SubMapSnapshot<K, N, S>> subMaps = new ArrayList<>();

    UnitStateMapSnapshot(
            UnitStateMap<K, N, S> owner, CopyOnWriteStateMap<K, N, S>[] subMapsOfOwner) {
        super(owner);
        for (CopyOnWriteStateMap<K, N, S> subMap : subMapsOfOwner) {
            if (subMap != null && !subMap.isEmpty()) {
                subMaps.add(new SubMapSnapshot<>(subMap));
            }
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
        List<SubMapSnapshot.Entries<K, N, S>> parts = new ArrayList<>(subMaps.size());
        int size = 0;
        for (SubMapSnapshot<K, N, S> subMap : subMaps) {
            SubMapSnapshot.Entries<K, N, S> part = subMap.entries(transformer);
            parts.add(part);
            size += part.size();
        }
        out.writeInt(size);
        for (SubMapSnapshot.Entries<K, N, S> part : parts) {
            while (part.hasNext()) {
                StateEntry<K, N, S> entry = part.next();
                namespaceSerializer.serialize(entry.getNamespace(), out);
                keySerializer.serialize(entry.getKey(), out);
                stateSerializer.serialize(entry.getState(), out);
            }
        }
    }

    @Override
    public void release() {
        for (SubMapSnapshot<K, N, S> subMap : subMaps) {
            subMap.release();
        }
    }
}
