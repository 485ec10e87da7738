// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import java.util.TreeSet;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.StateEntry;
import org.apache.flink.runtime.state.StateTransformationFunction;
import org.apache.flink.runtime.state.heap.StateTable;

/**
 * The entries of one state in one key-group, copied on write while a snapshot needs them.
 *
 * <p>A snapshot keeps the first entries of all buckets ({@link HeadsSnapshot}), and each entry says
 * at which version it and its state were made. What is older than the newest running snapshot is
 * replaced by a copy before it is changed, or for a state: before it is handed to the user, who may
 * change it.
 *
 * <p>Owned by the task thread; snapshots may be released by another.
 *
 * @param <K> type of key
 * @param <N> type of namespace
 * @param <S> type of state
 */
final class StateEntries<K, N, S> extends UnitTable<StateEntries.Entry<K, N, S>> {

    private final StateTable<K, N, S> table;

    /** How many snapshots were taken by now. */
    private int version;

    /** The newest snapshot that is running, or 0. */
    private int required;

    @Nullable private TreeSet<Integer> running;

    /** Copies states; the one that was current when the newest snapshot began. */
    @Nullable private TypeSerializer<S> serializer;

    /** Namespaces often come in a row: one object then does for many entries. */
    @Nullable private N lastNamespace;

    /**
     * An empty key-group.
     *
     * @param table whose state serializer copies states
     */
    StateEntries(StateTable<K, N, S> table, UnitHash unitHash) {
        super(unitHash);
        this.table = table;
    }

    /** The state, or null; changes nothing, so that it can be called by another thread. */
    @Nullable
    S peek(int subGroup, int hash, K key, N namespace) {
        Entry<K, N, S> entry = find(first(subGroup, hash), hash, key, namespace);
        return entry == null ? null : entry.state;
    }

    @Nullable
    S get(int subGroup, int hash, K key, N namespace) {
        Entry<K, N, S> entry = find(first(subGroup, hash), hash, key, namespace);
        if (entry == null) {
            return null;
        }
        if (entry.stateVersion < required) {
            S copy = copy(entry.state);
            replace(subGroup, entry, copy);
            return copy;
        }
        return entry.state;
    }

    boolean contains(int subGroup, int hash, K key, N namespace) {
        return find(first(subGroup, hash), hash, key, namespace) != null;
    }

    void put(int subGroup, int hash, K key, N namespace, @Nullable S state) {
        int looked = 0;
        for (Entry<K, N, S> e = first(subGroup, hash); e != null; e = e.next) {
            if (e.hash == hash && key.equals(e.key) && namespace.equals(e.namespace)) {
                replace(subGroup, e, state);
                return;
            }
            looked++;
        }
        add(subGroup, newEntry(hash, key, namespace, state), looked);
    }

    /** Removes the entry, if there is one. */
    void remove(int subGroup, int hash, K key, N namespace) {
        Entry<K, N, S> entry = find(first(subGroup, hash), hash, key, namespace);
        if (entry != null) {
            remove(subGroup, entry);
        }
    }

    @Nullable
    S removeAndGetOld(int subGroup, int hash, K key, N namespace) {
        Entry<K, N, S> entry = find(first(subGroup, hash), hash, key, namespace);
        if (entry == null) {
            return null;
        }
        remove(subGroup, entry);
        return entry.stateVersion < required ? copy(entry.state) : entry.state;
    }

    <T> void transform(
            int subGroup,
            int hash,
            K key,
            N namespace,
            T value,
            StateTransformationFunction<S, T> transformation)
            throws Exception {
        Entry<K, N, S> entry = find(first(subGroup, hash), hash, key, namespace);
        if (entry == null) {
            put(subGroup, hash, key, namespace, transformation.apply(null, value));
        } else {
            S old = entry.stateVersion < required ? copy(entry.state) : entry.state;
            replace(subGroup, entry, transformation.apply(old, value));
        }
    }

    /**
     * Adds an entry to a unit that is being read.
     *
     * @return false if there was one with this key and namespace already
     */
    boolean addTo(Buckets<Entry<K, N, S>> unit, int hash, K key, N namespace, @Nullable S state) {
        if (find(unit.first(hash), hash, key, namespace) != null) {
            return false;
        }
        unit.insert(newEntry(hash, key, namespace, state));
        return true;
    }

    @Nullable
    private Entry<K, N, S> find(@Nullable Entry<K, N, S> bucket, int hash, K key, N namespace) {
        for (Entry<K, N, S> e = bucket; e != null; e = e.next) {
            if (e.hash == hash && key.equals(e.key) && namespace.equals(e.namespace)) {
                return e;
            }
        }
        return null;
    }

    private Entry<K, N, S> newEntry(int hash, K key, N namespace, @Nullable S state) {
        if (namespace.equals(lastNamespace)) {
            namespace = lastNamespace;
        } else {
            lastNamespace = namespace;
        }
        return new Entry<>(hash, key, namespace, state, version, version);
    }

    private void replace(int subGroup, Entry<K, N, S> entry, @Nullable S state) {
        Entry<K, N, S> changed = entry.version < required ? buckets(subGroup).detach(entry) : entry;
        changed.state = state;
        changed.stateVersion = version;
    }

    // ------------------------------------------------------------------------
    //  snapshots
    // ------------------------------------------------------------------------

    @Nullable
    private S copy(@Nullable S state) {
        return state == null ? null : serializer.copy(state);
    }

    @Override
    Entry<K, N, S> changeable(Entry<K, N, S> entry) {
        if (entry.version >= required) {
            return entry;
        }
        Entry<K, N, S> copy =
                new Entry<>(
                        entry.hash,
                        entry.key,
                        entry.namespace,
                        entry.state,
                        version,
                        entry.stateVersion);
        copy.next = entry.next;
        return copy;
    }

    /**
     * From now on entries are copied before they are changed, until {@link #release} is called.
     *
     * @return number of the snapshot
     */
    synchronized int snapshot() {
        if (running == null) {
            running = new TreeSet<>();
        }
        serializer = table.getStateSerializer();
        version = Math.addExact(version, 1);
        required = version;
        running.add(version);
        return version;
    }

    /** Ends a snapshot. Any thread. */
    synchronized void release(int snapshot) {
        running.remove(snapshot);
        required = running.isEmpty() ? 0 : running.last();
    }

    /** One entry. */
    static final class Entry<K, N, S> extends Buckets.Node<Entry<K, N, S>>
            implements StateEntry<K, N, S> {

        final K key;
        final N namespace;
        @Nullable S state;
        final int version;
        int stateVersion;

        Entry(int hash, K key, N namespace, @Nullable S state, int version, int stateVersion) {
            super(hash);
            this.key = key;
            this.namespace = namespace;
            this.state = state;
            this.version = version;
            this.stateVersion = stateVersion;
        }

        @Override
        public K getKey() {
            return key;
        }

        @Override
        public N getNamespace() {
            return namespace;
        }

        @Override
        @Nullable
        public S getState() {
            return state;
        }
    }
}
