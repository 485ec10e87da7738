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

import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import javax.annotation.Nonnull;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.StateEntry;
import org.apache.flink.runtime.state.StateTransformationFunction;
import org.apache.flink.runtime.state.heap.CopyOnWriteStateMap;
import org.apache.flink.runtime.state.heap.StateMap;
import org.apache.flink.runtime.state.heap.StateTable;
import org.apache.flink.runtime.state.heap.SubMaps;
import org.apache.flink.runtime.state.internal.InternalKvState.StateIncrementalVisitor;

/**
 * The entries of one state in one key-group: one of Flink's copy-on-write maps per sub-group.
 *
 * <p>A sub-group that never held an entry costs one null reference. Owned by the task thread.
 *
 * @param <K> type of key
 * @param <N> type of namespace
 * @param <S> type of state
 */
final class UnitStateMap<K, N, S> extends StateMap<K, N, S> {

    /** Buckets of a new sub-map; it doubles when three quarters full. */
    private static final int INITIAL_CAPACITY = 16;

    /** A count that was read is trusted up to here when a map is sized in advance. */
    private static final int MAX_PRESIZED_CAPACITY = 1 << 20;

    private final StateTable<K, N, S> table;
    private final UnitKeyContext<K> context;
    private final CopyOnWriteStateMap<K, N, S>[] subMaps;

    /**
     * An empty key-group.
     *
     * @param table whose state serializer new sub-maps get, the one that is current at that time
     * @param context knows the sub-groups
     */
    @SuppressWarnings("unchecked")
    UnitStateMap(StateTable<K, N, S> table, UnitKeyContext<K> context) {
        this.context = context;
        this.table = table;
        this.subMaps =
                (CopyOnWriteStateMap<K, N, S>[])
                        new CopyOnWriteStateMap<?, ?, ?>[context.subGroups()];
    }

    @Override
    public int size() {
        int size = 0;
        for (CopyOnWriteStateMap<K, N, S> subMap : subMaps) {
            if (subMap != null) {
                size += subMap.size();
            }
        }
        return size;
    }

    @Override
    public S get(K key, N namespace) {
        CopyOnWriteStateMap<K, N, S> subMap = existing(key);
        return subMap == null ? null : subMap.get(key, namespace);
    }

    @Override
    public boolean containsKey(K key, N namespace) {
        CopyOnWriteStateMap<K, N, S> subMap = existing(key);
        return subMap != null && subMap.containsKey(key, namespace);
    }

    @Override
    public void put(K key, N namespace, S state) {
        existingOrNew(key).put(key, namespace, state);
    }

    @Override
    public S putAndGetOld(K key, N namespace, S state) {
        return existingOrNew(key).putAndGetOld(key, namespace, state);
    }

    @Override
    public void remove(K key, N namespace) {
        CopyOnWriteStateMap<K, N, S> subMap = existing(key);
        if (subMap != null) {
            subMap.remove(key, namespace);
        }
    }

    @Override
    public S removeAndGetOld(K key, N namespace) {
        CopyOnWriteStateMap<K, N, S> subMap = existing(key);
        return subMap == null ? null : subMap.removeAndGetOld(key, namespace);
    }

    @Override
    public <T> void transform(
            K key, N namespace, T value, StateTransformationFunction<S, T> transformation)
            throws Exception {
        existingOrNew(key).transform(key, namespace, value, transformation);
    }

    @Override
    public Stream<K> getKeys(N namespace) {
        return StreamSupport.stream(spliterator(), false)
                .filter(entry -> entry.getNamespace().equals(namespace))
                .map(StateEntry::getKey);
    }

    @Override
    @Nonnull
    public Iterator<StateEntry<K, N, S>> iterator() {
        return new Entries();
    }

    @Override
    public StateIncrementalVisitor<K, N, S> getStateIncrementalVisitor(
            int recommendedMaxNumberOfReturnedRecords) {
        return new Visitor(recommendedMaxNumberOfReturnedRecords);
    }

    @Override
    @Nonnull
    public UnitStateMapSnapshot<K, N, S> stateSnapshot() {
        return new UnitStateMapSnapshot<>(this, subMaps);
    }

    @Override
    public int sizeOfNamespace(Object namespace) {
        int size = 0;
        for (CopyOnWriteStateMap<K, N, S> subMap : subMaps) {
            if (subMap != null) {
                size += subMap.sizeOfNamespace(namespace);
            }
        }
        return size;
    }

    /** The entries of a sub-group, or null if there never were any. */
    @Nullable
    CopyOnWriteStateMap<K, N, S> subMap(int subGroup) {
        return subMaps[subGroup];
    }

    /** Replaces the entries of a sub-group; null drops them. Running snapshots keep the old. */
    void setSubMap(int subGroup, @Nullable CopyOnWriteStateMap<K, N, S> subMap) {
        subMaps[subGroup] = subMap;
    }

    /** A map that belongs to no sub-group yet, sized for so many entries. */
    CopyOnWriteStateMap<K, N, S> newSubMap(int entries) {
        long buckets = Math.max(INITIAL_CAPACITY, (long) entries * 4 / 3 + 1);
        return SubMaps.create(
                (int) Math.min(buckets, MAX_PRESIZED_CAPACITY), table.getStateSerializer());
    }

    @Nullable
    private CopyOnWriteStateMap<K, N, S> existing(K key) {
        return subMaps[context.subGroupOf(key)];
    }

    private CopyOnWriteStateMap<K, N, S> existingOrNew(K key) {
        int subGroup = context.subGroupOf(key);
        CopyOnWriteStateMap<K, N, S> subMap = subMaps[subGroup];
        if (subMap == null) {
            subMap = newSubMap(0);
            subMaps[subGroup] = subMap;
        }
        return subMap;
    }

    /** All entries, sub-group by sub-group; tolerates no changes meanwhile. */
    private final class Entries implements Iterator<StateEntry<K, N, S>> {

        private int next;
        private Iterator<StateEntry<K, N, S>> current = Collections.emptyIterator();

        @Override
        public boolean hasNext() {
            while (!current.hasNext() && next < subMaps.length) {
                CopyOnWriteStateMap<K, N, S> subMap = subMaps[next++];
                if (subMap != null) {
                    current = subMap.iterator();
                }
            }
            return current.hasNext();
        }

        @Override
        public StateEntry<K, N, S> next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            return current.next();
        }
    }

    /**
     * Visits the entries in steps, between which the map may change (incremental cleanup of TTL
     * state). A sub-map that was taken out between two steps must not be visited further: its
     * entries belong to another subtask by now, and an update would bring them back.
     */
    private final class Visitor implements StateIncrementalVisitor<K, N, S> {

        private final int recommendedMaxNumberOfReturnedRecords;
        private int next;
        @Nullable private CopyOnWriteStateMap<K, N, S> current;
        @Nullable private StateIncrementalVisitor<K, N, S> visitor;

        private Visitor(int recommendedMaxNumberOfReturnedRecords) {
            this.recommendedMaxNumberOfReturnedRecords = recommendedMaxNumberOfReturnedRecords;
        }

        @Override
        public boolean hasNext() {
            while (visitor == null || subMaps[next - 1] != current || !visitor.hasNext()) {
                if (next == subMaps.length) {
                    return false;
                }
                current = subMaps[next++];
                visitor =
                        current == null
                                ? null
                                : current.getStateIncrementalVisitor(
                                        recommendedMaxNumberOfReturnedRecords);
            }
            return true;
        }

        @Override
        @Nullable
        public Collection<StateEntry<K, N, S>> nextEntries() {
            if (!hasNext()) {
                return null;
            }
            Collection<StateEntry<K, N, S>> entries = visitor.nextEntries();
            // An empty result makes the cleanup pause; the end of a sub-map is no reason to.
            while (entries.isEmpty() && !visitor.hasNext() && hasNext()) {
                entries = visitor.nextEntries();
            }
            return entries;
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
