// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.state;

import java.util.Iterator;
import javax.annotation.Nonnull;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.StateEntry;
import org.apache.flink.runtime.state.StateSnapshotTransformer;
import org.apache.flink.runtime.state.heap.StateMap;
import org.apache.flink.runtime.state.heap.StateMapSnapshot;

/** Snapshot of the states of a key-group. */
public abstract class MapSnapshot<K, N, S, T extends StateMap<K, N, S>>
        extends StateMapSnapshot<K, N, S, T> {

    protected MapSnapshot(T map) {
        super(map);
    }

    /** Its entries, without those that the transformer drops. */
    public abstract Iterator<StateEntry<K, N, S>> getIterator(
            @Nonnull TypeSerializer<K> keySerializer,
            @Nonnull TypeSerializer<N> namespaceSerializer,
            @Nonnull TypeSerializer<S> stateSerializer,
            @Nullable StateSnapshotTransformer<S> transformer);
}
