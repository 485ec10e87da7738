// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import javax.annotation.Nonnull;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.StateEntry;
import org.apache.flink.runtime.state.StateTransformationFunction;
import org.apache.flink.runtime.state.heap.StateMap;
import org.apache.flink.runtime.state.heap.StateTable;
import org.apache.flink.runtime.state.internal.InternalKvState.StateIncrementalVisitor;

/**
 * The entries of one state in one key-group, as Flink sees them. {@link UnitStateTable} goes past
 * it for the current key. Owned by the task thread.
 *
 * @param <K> type of key
 * @param <N> type of namespace
 * @param <S> type of state
 */
final class UnitStateMap<K, N, S> extends StateMap<K, N, S> {

    private final StateEntries<K, N, S> entries;
    private final UnitHash unitHash;

    /**
     * An empty key-group.
     *
     * @param table whose state serializer copies states
     */
    UnitStateMap(StateTable<K, N, S> table, UnitHash unitHash) {
        this.entries = new StateEntries<>(table, unitHash);
        this.unitHash = unitHash;
    }

    StateEntries<K, N, S> entries() {
        return entries;
    }

    @Override
    public int size() {
        return entries.entries();
    }

    @Override
    public S get(K key, N namespace) {
        long place = unitHash.place(key.hashCode());
        return entries.get(
                (int) (place >>> 32), unitHash.of(place, namespace.hashCode()), key, namespace);
    }

    @Override
    public boolean containsKey(K key, N namespace) {
        long place = unitHash.place(key.hashCode());
        return entries.contains(
                (int) (place >>> 32), unitHash.of(place, namespace.hashCode()), key, namespace);
    }

    @Override
    public void put(K key, N namespace, S state) {
        long place = unitHash.place(key.hashCode());
        entries.put(
                (int) (place >>> 32),
                unitHash.of(place, namespace.hashCode()),
                key,
                namespace,
                state);
    }

    @Override
    public S putAndGetOld(K key, N namespace, S state) {
        long place = unitHash.place(key.hashCode());
        int hash = unitHash.of(place, namespace.hashCode());
        S old = entries.get((int) (place >>> 32), hash, key, namespace);
        entries.put((int) (place >>> 32), hash, key, namespace, state);
        return old;
    }

    @Override
    public void remove(K key, N namespace) {
        long place = unitHash.place(key.hashCode());
        entries.remove(
                (int) (place >>> 32), unitHash.of(place, namespace.hashCode()), key, namespace);
    }

    @Override
    public S removeAndGetOld(K key, N namespace) {
        long place = unitHash.place(key.hashCode());
        return entries.removeAndGetOld(
                (int) (place >>> 32), unitHash.of(place, namespace.hashCode()), key, namespace);
    }

    @Override
    public <T> void transform(
            K key, N namespace, T value, StateTransformationFunction<S, T> transformation)
            throws Exception {
        long place = unitHash.place(key.hashCode());
        entries.transform(
                (int) (place >>> 32),
                unitHash.of(place, namespace.hashCode()),
                key,
                namespace,
                value,
                transformation);
    }

    @Override
    public Stream<K> getKeys(N namespace) {
        return StreamSupport.stream(spliterator(), false)
                .filter(entry -> entry.getNamespace().equals(namespace))
                .map(StateEntry::getKey);
    }

    @Override
    @Nonnull
    @SuppressWarnings("unchecked")
    public Iterator<StateEntry<K, N, S>> iterator() {
        return (Iterator<StateEntry<K, N, S>>) (Iterator<?>) entries.iterator();
    }

    @Override
    public StateIncrementalVisitor<K, N, S> getStateIncrementalVisitor(
            int recommendedMaxNumberOfReturnedRecords) {
        return new Visitor(recommendedMaxNumberOfReturnedRecords);
    }

    @Override
    @Nonnull
    public UnitStateMapSnapshot<K, N, S> stateSnapshot() {
        return new UnitStateMapSnapshot<>(this);
    }

    @Override
    public int sizeOfNamespace(Object namespace) {
        int size = 0;
        for (StateEntry<K, N, S> entry : this) {
            if (entry.getNamespace().equals(namespace)) {
                size++;
            }
        }
        return size;
    }

    /**
     * Visits the entries in steps, between which the map may change (incremental cleanup of TTL
     * state). What a unit that was taken out between two steps had is not visited any more: an
     * update would bring it back.
     */
    private final class Visitor implements StateIncrementalVisitor<K, N, S> {

        private final StateEntries<K, N, S>.Cursor cursor = entries.new Cursor();
        private final int maxEmptyBuckets;

        Visitor(int maxEmptyBuckets) {
            this.maxEmptyBuckets = maxEmptyBuckets;
        }

        @Override
        public boolean hasNext() {
            return size() > 0 && cursor.hasNext();
        }

        @Override
        @Nullable
        public Collection<StateEntry<K, N, S>> nextEntries() {
            if (!hasNext()) {
                return null;
            }
            Collection<StateEntry<K, N, S>> bucket = new ArrayList<>();
            for (int i = 0; i < maxEmptyBuckets && bucket.isEmpty() && cursor.hasNext(); i++) {
                for (StateEntries.Entry<K, N, S> e = cursor.next(); e != null; e = e.next) {
                    bucket.add(e);
                }
            }
            return bucket;
        }

        @Override
        public void remove(StateEntry<K, N, S> stateEntry) {
            UnitStateMap.this.remove(stateEntry.getKey(), stateEntry.getNamespace());
        }

        @Override
        public void update(StateEntry<K, N, S> stateEntry, S newValue) {
            UnitStateMap.this.put(stateEntry.getKey(), stateEntry.getNamespace(), newValue);
        }
    }
}
