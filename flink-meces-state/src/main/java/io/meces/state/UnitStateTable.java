// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import io.meces.flink.state.KeyContext;
import java.util.function.Consumer;
import javax.annotation.Nonnull;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.RegisteredKeyValueStateBackendMetaInfo;
import org.apache.flink.runtime.state.StateTransformationFunction;
import org.apache.flink.runtime.state.heap.StateMap;
import org.apache.flink.runtime.state.heap.StateTable;

/**
 * The entries of one state: per key-group {@link StateEntries}. Owned by the task thread.
 *
 * @param <K> type of key
 * @param <N> type of namespace
 * @param <S> type of state
 */
final class UnitStateTable<K, N, S> extends StateTable<K, N, S> {

    private final UnitKeyContext<K> context;
    private final UnitHash unitHash;

    private final int firstKeyGroup;

    /** What {@link #keyGroupedStateMaps} has, without a step on the way of each access. */
    private final StateEntries<K, N, S>[] keyGroups;

    @SuppressWarnings("unchecked")
    UnitStateTable(
            KeyContext<K> keyContext,
            RegisteredKeyValueStateBackendMetaInfo<N, S> metaInfo,
            TypeSerializer<K> keySerializer) {
        super(keyContext, metaInfo, keySerializer);
        context = (UnitKeyContext<K>) keyContext;
        unitHash = context.unitHash();
        firstKeyGroup = getKeyGroupOffset();
        keyGroups = (StateEntries<K, N, S>[]) new StateEntries<?, ?, ?>[keyGroupedStateMaps.length];
        for (int i = 0; i < keyGroups.length; i++) {
            keyGroups[i] = ((UnitStateMap<K, N, S>) keyGroupedStateMaps[i]).entries();
        }
    }

    // Called by the super constructor: only its fields are set.
    @Override
    protected StateMap<K, N, S> createStateMap() {
        return new UnitStateMap<>(this, ((UnitKeyContext<K>) keyContext).unitHash());
    }

    // ------------------------------------------------------------------------
    //  the current key
    // ------------------------------------------------------------------------

    @Override
    public S get(N namespace) {
        K key = currentKey(namespace);
        StateEntries<K, N, S> entries = entriesToRead();
        return entries == null
                ? null
                : entries.get(context.subGroup(), hash(namespace), key, namespace);
    }

    @Override
    public boolean containsKey(N namespace) {
        K key = currentKey(namespace);
        StateEntries<K, N, S> entries = entriesToRead();
        return entries != null
                && entries.contains(context.subGroup(), hash(namespace), key, namespace);
    }

    @Override
    public void put(N namespace, S state) {
        K key = currentKey(namespace);
        currentEntries().put(context.subGroup(), hash(namespace), key, namespace, state);
    }

    @Override
    public void remove(N namespace) {
        K key = currentKey(namespace);
        currentEntries().remove(context.subGroup(), hash(namespace), key, namespace);
    }

    @Override
    public S removeAndGetOld(N namespace) {
        K key = currentKey(namespace);
        return currentEntries()
                .removeAndGetOld(context.subGroup(), hash(namespace), key, namespace);
    }

    @Override
    public <T> void transform(
            N namespace, T value, StateTransformationFunction<S, T> transformation)
            throws Exception {
        K key = currentKey(namespace);
        currentEntries()
                .transform(
                        context.subGroup(), hash(namespace), key, namespace, value, transformation);
    }

    private K currentKey(N namespace) {
        K key = context.getCurrentKey();
        if (key == null) {
            // in Flink's words
            throw new NullPointerException(
                    "No key set. This method should not be called outside of a keyed context.");
        }
        if (namespace == null) {
            throw new NullPointerException("Provided namespace is null.");
        }
        return key;
    }

    private int hash(N namespace) {
        return unitHash.of(context.place(), namespace.hashCode());
    }

    /** Null: the backend can never have the key-group, and Flink's has nothing to read then. */
    @Nullable
    private StateEntries<K, N, S> entriesToRead() {
        StateEntries<K, N, S> entries = entries(context.getCurrentKeyGroupIndex());
        if (entries == null) {
            context.checkOwned();
        }
        return entries;
    }

    private StateEntries<K, N, S> currentEntries() {
        StateEntries<K, N, S> entries = entriesToRead();
        return entries != null ? entries : keyGroup(context.getCurrentKeyGroupIndex());
    }

    // ------------------------------------------------------------------------
    //  any key
    // ------------------------------------------------------------------------

    /** For queries, which come in another thread: unlike Flink's it changes nothing. */
    @Override
    @Nullable
    public S get(K key, N namespace) {
        StateEntries<K, N, S> entries =
                entries(
                        KeyGroupRangeAssignment.assignToKeyGroup(
                                key, context.getNumberOfKeyGroups()));
        if (entries == null) {
            return null;
        }
        long place = unitHash.place(key.hashCode());
        int hash = unitHash.of(place, namespace.hashCode());
        return entries.peek((int) (place >>> 32), hash, key, namespace);
    }

    /**
     * For a restore.
     *
     * @throws IllegalStateException if the task is elastic, and the key would not be found there
     */
    @Override
    public void put(K key, int keyGroup, N namespace, S state) {
        int keyHash = key.hashCode();
        context.checkRestored(key, keyHash, keyGroup);
        long place = unitHash.place(keyHash);
        int hash = unitHash.of(place, namespace.hashCode());
        keyGroup(keyGroup).put((int) (place >>> 32), hash, key, namespace, state);
    }

    @Override
    @Nonnull
    public UnitStateTableSnapshot<K, N, S> stateSnapshot() {
        return new UnitStateTableSnapshot<>(this);
    }

    /**
     * The entries of a key-group.
     *
     * @throws IllegalArgumentException if the backend does not have it
     */
    StateEntries<K, N, S> keyGroup(int keyGroup) {
        StateEntries<K, N, S> entries = entries(keyGroup);
        if (entries == null) {
            throw new IllegalArgumentException(
                    "Key-group " + keyGroup + " is not in " + context.getKeyGroupRange());
        }
        return entries;
    }

    @Nullable
    private StateEntries<K, N, S> entries(int keyGroup) {
        int index = keyGroup - firstKeyGroup;
        return index >= 0 && index < keyGroups.length ? keyGroups[index] : null;
    }

    void forEachKeyGroup(Consumer<UnitStateMap<K, N, S>> action) {
        for (StateMap<K, N, S> map : keyGroupedStateMaps) {
            action.accept((UnitStateMap<K, N, S>) map);
        }
    }
}
