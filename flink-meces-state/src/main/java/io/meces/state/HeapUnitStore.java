// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.state.RegisteredKeyValueStateBackendMetaInfo;
import org.apache.flink.runtime.state.StateEntry;
import org.apache.flink.runtime.state.heap.StateTable;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.apache.flink.util.StateMigrationException;

/**
 * The units of a heap backend. Owned by the task thread.
 *
 * @param <K> type of key
 */
@SuppressWarnings({"rawtypes", "unchecked"})
public final class HeapUnitStore<K> extends AbstractUnitStore<K, Buckets> {

    /** A count that was read is trusted up to here when a table is sized in advance. */
    private static final int MAX_PRESIZED = 1 << 20;

    private final Map<String, StateTable<K, ?, ?>> states;

    /**
     * A view of the states and queues of a backend.
     *
     * @param owner names the backend in messages
     * @param states the registered states of the backend, in the order of their registration
     */
    HeapUnitStore(
            String owner,
            ClassLoader userCodeClassLoader,
            TypeSerializer<K> keySerializer,
            UnitKeyContext<K> keyContext,
            UnitTimers<K> timers,
            Map<String, StateTable<K, ?, ?>> states) {
        super(owner, userCodeClassLoader, keySerializer, keyContext, timers, states.size());
        this.states = states;
    }

    // ------------------------------------------------------------------------
    //  schema
    // ------------------------------------------------------------------------

    @Override
    protected List<StateMetaInfoSnapshot> states() {
        List<StateMetaInfoSnapshot> metaInfos = new ArrayList<>(states.size());
        states.values().forEach(table -> metaInfos.add(table.getMetaInfo().snapshot()));
        return metaInfos;
    }

    @Override
    protected Runnable accept(StateMetaInfoSnapshot donor, SchemaCheck check)
            throws StateMigrationException {
        StateTable<K, ?, ?> table = states.get(donor.getName());
        if (table == null) {
            return () -> register(new RegisteredKeyValueStateBackendMetaInfo<>(donor));
        }
        RegisteredKeyValueStateBackendMetaInfo metaInfo = check.state(donor, table.getMetaInfo());
        return () -> goOnWith(table, metaInfo);
    }

    /** Entries on the heap have no format, so they need nothing. */
    private void goOnWith(
            StateTable<K, ?, ?> table, RegisteredKeyValueStateBackendMetaInfo metaInfo) {
        if (table.getMetaInfo() != metaInfo) {
            ((StateTable) table).setMetaInfo(metaInfo);
            schemaChanged();
        }
    }

    private void register(RegisteredKeyValueStateBackendMetaInfo<?, ?> metaInfo) {
        states.put(metaInfo.getName(), new UnitStateTable<>(keyContext, metaInfo, keySerializer));
        schemaChanged();
    }

    // ------------------------------------------------------------------------
    //  units
    // ------------------------------------------------------------------------

    /**
     * Whether the unit has neither entries nor timers. Costs less than an iteration over it.
     *
     * @throws IllegalArgumentException if the backend has no such unit
     */
    public boolean isEmpty(int keyGroup, int subGroup) {
        checkUnit(keyGroup, subGroup);
        return hasNoEntries(keyGroup, subGroup) && timers().isEmpty(keyGroup, subGroup);
    }

    /**
     * Number of entries and timers of the unit, each (state, key, namespace) and each timer
     * counting as one; expired ones included. The cost is proportional to it.
     *
     * @throws IllegalArgumentException if the backend has no such unit
     */
    public int entries(int keyGroup, int subGroup) {
        checkUnit(keyGroup, subGroup);
        Counter counter = new Counter();
        for (StateTable<K, ?, ?> table : states.values()) {
            unitTable(table).keyGroup(keyGroup).forEach(subGroup, counter);
        }
        timers().forEach(keyGroup, subGroup, counter);
        return counter.count;
    }

    /** Nothing is restored but what belongs here. */
    @Override
    public boolean isClearing() {
        return false;
    }

    @Override
    protected boolean hasNoEntries(int keyGroup, int subGroup) {
        for (StateTable<K, ?, ?> table : states.values()) {
            if (!unitTable(table).keyGroup(keyGroup).isEmpty(subGroup)) {
                return false;
            }
        }
        return true;
    }

    @Override
    protected long stateEntries(int keyGroup) {
        long entries = 0;
        for (StateTable<K, ?, ?> table : states.values()) {
            entries += unitTable(table).keyGroup(keyGroup).entries();
        }
        return entries;
    }

    @Override
    protected int writeEntries(
            int keyGroup, int subGroup, DataOutputSerializer out, UnitCompression compression)
            throws IOException {
        int index = 0;
        for (StateTable<K, ?, ?> table : states.values()) {
            int start = out.length();
            writeEntries(index, unitTable(table), keyGroup, subGroup, out);
            compression.compress(index++, out, start);
        }
        return index;
    }

    private <N, S> void writeEntries(
            int index,
            UnitStateTable<K, N, S> table,
            int keyGroup,
            int subGroup,
            DataOutputView out)
            throws IOException {
        List<StateEntry<K, N, S>> entries =
                new ArrayList<>(table.keyGroup(keyGroup).estimate(subGroup));
        table.keyGroup(keyGroup).forEach(subGroup, entries::add);
        if (entries.isEmpty()) {
            return;
        }
        TypeSerializer<N> namespaceSerializer = table.getNamespaceSerializer();
        TypeSerializer<S> stateSerializer = table.getStateSerializer();
        out.writeShort(index);
        out.writeByte(UnitCodec.NONE.ordinal());
        out.writeInt(entries.size());
        for (StateEntry<K, N, S> entry : entries) {
            namespaceSerializer.serialize(entry.getNamespace(), out);
            keySerializer.serialize(entry.getKey(), out);
            stateSerializer.serialize(entry.getState(), out);
        }
    }

    @Override
    protected Buckets<?> readEntries(
            UnitSchema donorSchema,
            UnitSchema.Slot slot,
            int count,
            int keyGroup,
            int subGroup,
            DataInputView in)
            throws IOException {
        return readEntries(
                unitTable(states.get(slot.name())),
                slot,
                donorSchema.keySerializer(),
                count,
                keyGroup,
                subGroup,
                in);
    }

    private <N, S> Buckets<?> readEntries(
            UnitStateTable<K, N, S> table,
            UnitSchema.Slot slot,
            TypeSerializer<?> donorKeySerializer,
            int count,
            int keyGroup,
            int subGroup,
            DataInputView in)
            throws IOException {
        TypeSerializer<K> keys = (TypeSerializer<K>) donorKeySerializer;
        TypeSerializer<N> namespaces = (TypeSerializer<N>) slot.namespaceSerializer();
        TypeSerializer<S> values = (TypeSerializer<S>) slot.valueSerializer();
        UnitHash unitHash = keyContext.unitHash();
        StateEntries<K, N, S> entries = table.keyGroup(keyGroup);
        Buckets<StateEntries.Entry<K, N, S>> unit = entries.newUnit(Math.min(count, MAX_PRESIZED));
        for (int i = 0; i < count; i++) {
            N namespace = namespaces.deserialize(in);
            K key = keys.deserialize(in);
            int keyHash = key.hashCode();
            checkKey(key, keyHash, slot, keyGroup, subGroup);
            int hash = unitHash.of(unitHash.place(keyHash), namespace.hashCode());
            if (!entries.addTo(unit, hash, key, namespace, values.deserialize(in))) {
                throw new IOException(
                        "State '"
                                + slot.name()
                                + "' twice for a key of "
                                + name(keyGroup, subGroup));
            }
        }
        return unit;
    }

    @Override
    protected void addEntries(int keyGroup, int subGroup, Map<String, Buckets> entries) {
        entries.forEach(
                (state, unit) ->
                        ((UnitStateTable) states.get(state))
                                .keyGroup(keyGroup)
                                .addUnit(subGroup, unit));
    }

    @Override
    protected void dropEntries(int keyGroup, int subGroup) {
        for (StateTable<K, ?, ?> table : states.values()) {
            unitTable(table).keyGroup(keyGroup).drop(subGroup);
        }
    }

    private static <K, N, S> UnitStateTable<K, N, S> unitTable(StateTable<K, N, S> table) {
        return (UnitStateTable<K, N, S>) table;
    }

    /** Counts what it is given. */
    static final class Counter implements Consumer<Object> {

        int count;

        @Override
        public void accept(Object entry) {
            count++;
        }
    }
}
