// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import io.meces.flink.state.MapSnapshot;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import javax.annotation.Nonnull;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.state.StateEntry;
import org.apache.flink.runtime.state.StateSnapshotTransformer;

/**
 * Snapshot of one key-group of one state.
 *
 * <p>Made by the task thread, then owned by the thread that writes or discards the checkpoint. It
 * keeps the entries of the time when it was made, whatever units are taken out or put in later.
 */
final class UnitStateMapSnapshot<K, N, S> extends MapSnapshot<K, N, S, UnitStateMap<K, N, S>> {

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
        if (transformer != null) {
            // how many there are is known only after all have been transformed
            List<StateEntry<K, N, S>> kept = transformed(transformer);
            out.writeInt(kept.size());
            for (StateEntry<K, N, S> entry : kept) {
                write(entry, keySerializer, namespaceSerializer, stateSerializer, out);
            }
            return;
        }
        out.writeInt(buckets().size());
        BucketsSnapshot<StateEntries.Entry<K, N, S>>.Entries entries = buckets.entries();
        for (StateEntries.Entry<K, N, S> e = entries.next(); e != null; e = entries.next()) {
            write(e, keySerializer, namespaceSerializer, stateSerializer, out);
        }
    }

    private static <K, N, S> void write(
            StateEntry<K, N, S> entry,
            TypeSerializer<K> keySerializer,
            TypeSerializer<N> namespaceSerializer,
            TypeSerializer<S> stateSerializer,
            DataOutputView out)
            throws IOException {
        namespaceSerializer.serialize(entry.getNamespace(), out);
        keySerializer.serialize(entry.getKey(), out);
        stateSerializer.serialize(entry.getState(), out);
    }

    @Override
    public Iterator<StateEntry<K, N, S>> getIterator(
            @Nonnull TypeSerializer<K> keySerializer,
            @Nonnull TypeSerializer<N> namespaceSerializer,
            @Nonnull TypeSerializer<S> stateSerializer,
            @Nullable StateSnapshotTransformer<S> transformer) {
        return transformed(transformer).iterator();
    }

    private List<StateEntry<K, N, S>> transformed(
            @Nullable StateSnapshotTransformer<S> transformer) {
        List<StateEntry<K, N, S>> kept = new ArrayList<>(buckets().size());
        BucketsSnapshot<StateEntries.Entry<K, N, S>>.Entries entries = buckets.entries();
        for (StateEntries.Entry<K, N, S> e = entries.next(); e != null; e = entries.next()) {
            S state =
                    transformer == null
                            ? e.getState()
                            : transformer.filterOrTransform(e.getState());
            if (transformer == null || state != null) {
                kept.add(new StateEntry.SimpleStateEntry<>(e.getKey(), e.getNamespace(), state));
            }
        }
        return kept;
    }

    private BucketsSnapshot<StateEntries.Entry<K, N, S>> buckets() {
        if (buckets == null) {
            throw new IllegalStateException("The snapshot was already released");
        }
        return buckets;
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
