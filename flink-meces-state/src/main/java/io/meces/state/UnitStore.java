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

import io.airlift.compress.Decompressor;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.state.KeyExtractorFunction;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.Keyed;
import org.apache.flink.runtime.state.KeyedBackendSerializationProxy;
import org.apache.flink.runtime.state.PriorityComparable;
import org.apache.flink.runtime.state.RegisteredKeyValueStateBackendMetaInfo;
import org.apache.flink.runtime.state.RegisteredPriorityQueueStateBackendMetaInfo;
import org.apache.flink.runtime.state.StateEntry;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueElement;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSet;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSetFactory;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSnapshotRestoreWrapper;
import org.apache.flink.runtime.state.heap.StateTable;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.apache.flink.util.StateMigrationException;

/**
 * Takes units out of a keyed state backend and puts them in.
 *
 * <p>A unit is a (key-group, sub-group): all entries of all states in all namespaces, and all
 * timers, of the keys that fall into it. The donor writes its schema, the receiver reads it, and
 * from then on any number of units can follow, until the donor's {@link #schemaVersion()} has grown
 * and it has to write its schema anew.
 *
 * <p>Owned by the task thread of the operator; no method may be called by another thread, nor while
 * a key of the unit is being processed. An asynchronous snapshot may be running.
 *
 * @param <K> type of key
 */
@SuppressWarnings({"rawtypes", "unchecked"})
public final class UnitStore<K> {

    /** Instead of the index of a further state: the unit is complete. */
    private static final int END = -1;

    /** A count that was read is trusted up to here when a table is sized in advance. */
    private static final int MAX_PRESIZED = 1 << 20;

    private final String owner;
    private final ClassLoader userCodeClassLoader;
    private final TypeSerializer<K> keySerializer;
    private final UnitKeyContext<K> keyContext;
    private final HeapPriorityQueueSetFactory queueFactory;
    private final Map<String, StateTable<K, ?, ?>> states;
    private final Map<String, HeapPriorityQueueSnapshotRestoreWrapper> queues;

    /** Those that were needed so far. They are kept, as Zstandard's has more than 100 kB. */
    private final Map<UnitCodec, Decompressor> decompressors = new EnumMap<>(UnitCodec.class);

    private int schemaVersion;

    /**
     * A view of the states and queues of a backend.
     *
     * @param owner names the backend in messages
     * @param states the registered states of the backend, in the order of their registration
     * @param queues the registered timer queues of the backend, likewise
     */
    UnitStore(
            String owner,
            ClassLoader userCodeClassLoader,
            TypeSerializer<K> keySerializer,
            UnitKeyContext<K> keyContext,
            HeapPriorityQueueSetFactory queueFactory,
            Map<String, StateTable<K, ?, ?>> states,
            Map<String, HeapPriorityQueueSnapshotRestoreWrapper> queues) {
        this.owner = owner;
        this.userCodeClassLoader = userCodeClassLoader;
        this.keySerializer = keySerializer;
        this.keyContext = keyContext;
        this.queueFactory = queueFactory;
        this.states = states;
        this.queues = queues;
        this.schemaVersion = states.size() + queues.size();
    }

    /** Number of sub-groups per key-group. */
    public int subGroups() {
        return keyContext.subGroups();
    }

    /** Names of the timer queues that are registered by now. */
    public Set<String> timerQueues() {
        return Collections.unmodifiableSet(new LinkedHashSet<>(queues.keySet()));
    }

    /**
     * The timer of a queue that is to fire first; null if there is none. Constant time.
     *
     * @param queueName one of {@link #timerQueues}
     */
    @Nullable
    public Object firstTimer(String queueName) {
        return queues.get(queueName).getPriorityQueue().peek();
    }

    // ------------------------------------------------------------------------
    //  schema
    // ------------------------------------------------------------------------

    /**
     * Grows whenever a state or timer queue is registered or gets another serializer. Units that
     * are extracted at one version can be installed only with the schema of that version.
     */
    public int schemaVersion() {
        return schemaVersion;
    }

    /** A state or queue was registered, or registered anew after it had been restored. */
    void schemaChanged() {
        schemaVersion++;
    }

    /**
     * Writes version, key serializer, and name, kind and serializers of all registered states and
     * timer queues, in the order in which units refer to them.
     */
    public void writeSchema(DataOutputView out) throws IOException {
        List<StateMetaInfoSnapshot> metaInfos = new ArrayList<>(states.size() + queues.size());
        for (StateTable<K, ?, ?> table : states.values()) {
            metaInfos.add(table.getMetaInfo().snapshot());
        }
        for (HeapPriorityQueueSnapshotRestoreWrapper queue : queues.values()) {
            metaInfos.add(queue.getMetaInfo().snapshot());
        }
        out.writeInt(schemaVersion);
        new KeyedBackendSerializationProxy<>(keySerializer, metaInfos, false).write(out);
    }

    /**
     * Reads the schema of a donor. States and timer queues that this backend does not know yet are
     * registered as if they had been restored: when the operator registers them later, Flink checks
     * its serializers against the donor's. Those that it knows may get the donor's serializers
     * ({@link SchemaCheck}).
     *
     * @return what {@link #install} needs to read that donor's units
     * @throws StateMigrationException if a state is known here with a serializer that cannot take
     *     over the donor's entries, or as another kind of state; nothing is registered then
     * @throws IOException if the schema cannot be read; nothing is registered then
     */
    public UnitSchema readSchema(DataInputView in) throws IOException, StateMigrationException {
        int version = in.readInt();
        KeyedBackendSerializationProxy<K> proxy =
                new KeyedBackendSerializationProxy<>(userCodeClassLoader);
        proxy.read(in);

        SchemaCheck check = new SchemaCheck(owner);
        check.keys(proxy.getKeySerializerSnapshot(), keySerializer);
        List<UnitSchema.Slot> slots = new ArrayList<>();
        Map<StateTable<K, ?, ?>, RegisteredKeyValueStateBackendMetaInfo> metaInfos =
                new LinkedHashMap<>();
        for (StateMetaInfoSnapshot metaInfo : proxy.getStateMetaInfoSnapshots()) {
            switch (metaInfo.getBackendStateType()) {
                case KEY_VALUE:
                    StateTable<K, ?, ?> table = states.get(metaInfo.getName());
                    if (table != null) {
                        metaInfos.put(table, check.state(metaInfo, table.getMetaInfo()));
                    }
                    break;
                case PRIORITY_QUEUE:
                    HeapPriorityQueueSnapshotRestoreWrapper queue = queues.get(metaInfo.getName());
                    if (queue != null) {
                        check.queue(metaInfo, queue.getMetaInfo());
                    }
                    break;
                default:
                    throw new IOException(
                            "A keyed backend has no state of type "
                                    + metaInfo.getBackendStateType());
            }
            slots.add(new UnitSchema.Slot(metaInfo));
        }
        metaInfos.forEach(this::goOnWith);
        slots.forEach(this::registerIfUnknown);
        return new UnitSchema(
                this, version, proxy.getKeySerializerSnapshot().restoreSerializer(), slots);
    }

    /** Entries on the heap have no format, so they need nothing. */
    private void goOnWith(
            StateTable<K, ?, ?> table, RegisteredKeyValueStateBackendMetaInfo metaInfo) {
        if (table.getMetaInfo() != metaInfo) {
            ((StateTable) table).setMetaInfo(metaInfo);
            schemaChanged();
        }
    }

    private void registerIfUnknown(UnitSchema.Slot slot) {
        if (slot.isTimerQueue()) {
            if (!queues.containsKey(slot.name())) {
                registerQueue(new RegisteredPriorityQueueStateBackendMetaInfo<>(slot.metaInfo()));
                schemaChanged();
            }
        } else if (!states.containsKey(slot.name())) {
            states.put(
                    slot.name(),
                    new UnitStateTable<>(
                            keyContext,
                            new RegisteredKeyValueStateBackendMetaInfo<>(slot.metaInfo()),
                            keySerializer));
            schemaChanged();
        }
    }

    private <T extends HeapPriorityQueueElement & PriorityComparable & Keyed> void registerQueue(
            RegisteredPriorityQueueStateBackendMetaInfo<?> metaInfo) {
        RegisteredPriorityQueueStateBackendMetaInfo<T> typed =
                (RegisteredPriorityQueueStateBackendMetaInfo<T>) metaInfo;
        HeapPriorityQueueSet<T> queue =
                queueFactory.create(typed.getName(), typed.getElementSerializer());
        queues.put(
                typed.getName(),
                new HeapPriorityQueueSnapshotRestoreWrapper<T>(
                        queue,
                        typed,
                        KeyExtractorFunction.forKeyedObjects(),
                        keyContext.getKeyGroupRange(),
                        keyContext.getNumberOfKeyGroups()));
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
        for (StateTable<K, ?, ?> table : states.values()) {
            if (!unitTable(table).keyGroup(keyGroup).isEmpty(subGroup)) {
                return false;
            }
        }
        for (HeapPriorityQueueSnapshotRestoreWrapper queue : queues.values()) {
            if (!timerSet(queue, keyGroup).isEmpty(subGroup)) {
                return false;
            }
        }
        return true;
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
        for (HeapPriorityQueueSnapshotRestoreWrapper queue : queues.values()) {
            timerSet(queue, keyGroup).forEach(subGroup, counter);
        }
        return counter.count;
    }

    /**
     * How often a key of the key-group has been made the current one since this backend was made:
     * once for each record and each timer.
     */
    public long selections(int keyGroup) {
        return keyContext.selections(keyGroup);
    }

    /**
     * Number of entries and timers of the key-group. Constant time per state.
     *
     * @throws IllegalArgumentException if the backend has no such key-group
     */
    public long entries(int keyGroup) {
        checkUnit(keyGroup, 0);
        long entries = 0;
        for (StateTable<K, ?, ?> table : states.values()) {
            entries += unitTable(table).keyGroup(keyGroup).entries();
        }
        for (HeapPriorityQueueSnapshotRestoreWrapper queue : queues.values()) {
            entries += timerSet(queue, keyGroup).size();
        }
        return entries;
    }

    /**
     * About how many {@link #entries(int, int)} the unit has: its share of what its key-group has,
     * unless it is known to be out of the ordinary. Constant time per state.
     *
     * @throws IllegalArgumentException if the backend has no such unit
     */
    public int estimatedEntries(int keyGroup, int subGroup) {
        checkUnit(keyGroup, subGroup);
        int entries = 0;
        for (StateTable<K, ?, ?> table : states.values()) {
            entries += unitTable(table).keyGroup(keyGroup).estimate(subGroup);
        }
        for (HeapPriorityQueueSnapshotRestoreWrapper queue : queues.values()) {
            entries += timerSet(queue, keyGroup).estimate(subGroup);
        }
        return entries;
    }

    /**
     * Writes all entries and timers of the unit and removes them.
     *
     * <p>The cost is proportional to the unit. Entries are written with the current serializers,
     * expired ones too. A running snapshot still has the unit as it was when the snapshot was
     * taken. Nothing is removed if writing fails.
     *
     * @param compression of this store
     * @throws IllegalArgumentException if the backend has no such unit
     * @throws IOException if {@code out} throws it
     */
    public void extract(
            int keyGroup, int subGroup, DataOutputSerializer out, UnitCompression compression)
            throws IOException {
        checkUnit(keyGroup, subGroup);
        out.writeInt(schemaVersion);
        out.writeInt(keyGroup);
        out.writeInt(subGroup);
        int index = 0;
        for (StateTable<K, ?, ?> table : states.values()) {
            int start = out.length();
            writeEntries(index, unitTable(table), keyGroup, subGroup, out);
            compression.compress(index++, out, start);
        }
        for (HeapPriorityQueueSnapshotRestoreWrapper queue : queues.values()) {
            int start = out.length();
            writeTimers(index, queue, keyGroup, subGroup, out);
            compression.compress(index++, out, start);
        }
        out.writeShort(END);

        dropEntries(keyGroup, subGroup);
        dropTimers(keyGroup, subGroup);
        keyContext.disown(keyGroup, subGroup);
    }

    /**
     * Reads a unit that was written by {@link #extract} and adds its entries and timers.
     *
     * <p>First the whole unit is read, then it is added: if anything fails, this backend is left
     * without any part of the unit.
     *
     * @param donorSchema what {@link #readSchema} returned for the schema that the donor wrote last
     * @param timers gets each timer, after the entries were added
     * @throws IllegalArgumentException if the backend has no such unit, or the schema was read by
     *     another one
     * @throws IllegalStateException if the unit has entries or timers here already, or was
     *     extracted at another schema version
     * @throws IOException if {@code in} throws it or holds something else than this unit
     */
    public void install(
            int keyGroup,
            int subGroup,
            DataInputDeserializer in,
            UnitSchema donorSchema,
            TimerInstaller timers)
            throws IOException {
        checkUnit(keyGroup, subGroup);
        if (donorSchema.receiver() != this) {
            throw new IllegalArgumentException(
                    "The schema was read by another backend than " + owner);
        }
        if (!isEmpty(keyGroup, subGroup)) {
            throw new IllegalStateException(
                    owner + " has entries in " + name(keyGroup, subGroup) + " already");
        }
        checkHeader(keyGroup, subGroup, in, donorSchema);
        StagedUnit staged = new StagedUnit();
        for (int index = in.readShort(); index != END; index = in.readShort()) {
            if (index < 0 || index >= donorSchema.size()) {
                throw new IOException(
                        "No state " + index + " in the schema of " + name(keyGroup, subGroup));
            }
            UnitSchema.Slot slot = donorSchema.slot(index);
            UnitCodec codec = UnitCodec.of(in.readByte());
            if (codec == UnitCodec.NONE) {
                readSection(slot, donorSchema, keyGroup, subGroup, in, staged);
            } else {
                DataInputDeserializer raw = decompress(codec, in);
                readSection(slot, donorSchema, keyGroup, subGroup, raw, staged);
                if (raw.available() > 0) {
                    throw new IOException(
                            raw.available() + " bytes too many of state '" + slot.name() + "'");
                }
            }
        }
        keyContext.own(keyGroup, subGroup);
        staged.entries.forEach((table, unit) -> table.keyGroup(keyGroup).addUnit(subGroup, unit));
        boolean complete = false;
        try {
            staged.timers.forEach(
                    (queue, elements) -> elements.forEach(timer -> timers.install(queue, timer)));
            complete = true;
        } finally {
            if (!complete) {
                dropEntries(keyGroup, subGroup);
                dropTimers(keyGroup, subGroup);
                keyContext.disown(keyGroup, subGroup);
            }
        }
    }

    private DataInputDeserializer decompress(UnitCodec codec, DataInputDeserializer in)
            throws IOException {
        Decompressor decompressor =
                decompressors.computeIfAbsent(codec, UnitCodec::newDecompressor);
        return new DataInputDeserializer(UnitCodec.read(in, decompressor));
    }

    private void readSection(
            UnitSchema.Slot slot,
            UnitSchema donorSchema,
            int keyGroup,
            int subGroup,
            DataInputView in,
            StagedUnit staged)
            throws IOException {
        boolean repeated;
        if (slot.isTimerQueue()) {
            repeated =
                    staged.timers.put(slot.name(), readTimers(slot, keyGroup, subGroup, in))
                            != null;
        } else {
            UnitStateTable<K, ?, ?> table = unitTable(states.get(slot.name()));
            repeated =
                    staged.entries.put(
                                    table,
                                    readEntries(
                                            table,
                                            slot,
                                            donorSchema.keySerializer(),
                                            keyGroup,
                                            subGroup,
                                            in))
                            != null;
        }
        if (repeated) {
            throw new IOException(
                    "State '" + slot.name() + "' twice in " + name(keyGroup, subGroup));
        }
    }

    /** Adds timers to the queues of this backend and does nothing else. */
    public TimerInstaller direct() {
        return (queueName, timer) -> {
            HeapPriorityQueueSnapshotRestoreWrapper queue = queues.get(queueName);
            if (queue == null) {
                throw new IllegalArgumentException(owner + " has no timer queue " + queueName);
            }
            queue.getPriorityQueue().add((HeapPriorityQueueElement) timer);
        };
    }

    // ------------------------------------------------------------------------
    //  entries
    // ------------------------------------------------------------------------

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

    private <N, S> Buckets<?> readEntries(
            UnitStateTable<K, N, S> table,
            UnitSchema.Slot slot,
            TypeSerializer<?> donorKeySerializer,
            int keyGroup,
            int subGroup,
            DataInputView in)
            throws IOException {
        TypeSerializer<K> keys = (TypeSerializer<K>) donorKeySerializer;
        TypeSerializer<N> namespaces = (TypeSerializer<N>) slot.namespaceSerializer();
        TypeSerializer<S> values = (TypeSerializer<S>) slot.valueSerializer();
        UnitHash unitHash = keyContext.unitHash();
        int count = readCount(slot, in);
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

    private void dropEntries(int keyGroup, int subGroup) {
        for (StateTable<K, ?, ?> table : states.values()) {
            unitTable(table).keyGroup(keyGroup).drop(subGroup);
        }
    }

    private static <K, N, S> UnitStateTable<K, N, S> unitTable(StateTable<K, N, S> table) {
        return (UnitStateTable<K, N, S>) table;
    }

    // ------------------------------------------------------------------------
    //  timers
    // ------------------------------------------------------------------------

    private static TimerSet<HeapPriorityQueueElement> timerSet(
            HeapPriorityQueueSnapshotRestoreWrapper queue, int keyGroup) {
        return TimerSet.of(queue.getPriorityQueue(), keyGroup);
    }

    private static List<HeapPriorityQueueElement> timers(
            HeapPriorityQueueSnapshotRestoreWrapper queue, int keyGroup, int subGroup) {
        List<HeapPriorityQueueElement> timers = new ArrayList<>();
        timerSet(queue, keyGroup).forEach(subGroup, timers::add);
        return timers;
    }

    private static void writeTimers(
            int index,
            HeapPriorityQueueSnapshotRestoreWrapper queue,
            int keyGroup,
            int subGroup,
            DataOutputView out)
            throws IOException {
        List<HeapPriorityQueueElement> timers = timers(queue, keyGroup, subGroup);
        if (timers.isEmpty()) {
            return;
        }
        TypeSerializer serializer = queue.getMetaInfo().getElementSerializer();
        out.writeShort(index);
        out.writeByte(UnitCodec.NONE.ordinal());
        out.writeInt(timers.size());
        for (HeapPriorityQueueElement timer : timers) {
            serializer.serialize(timer, out);
        }
    }

    private List<Object> readTimers(
            UnitSchema.Slot slot, int keyGroup, int subGroup, DataInputView in) throws IOException {
        TypeSerializer<?> serializer = slot.valueSerializer();
        int count = readCount(slot, in);
        List<Object> timers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Object timer = serializer.deserialize(in);
            Object key = ((Keyed<?>) timer).getKey();
            checkKey(key, key.hashCode(), slot, keyGroup, subGroup);
            timers.add(timer);
        }
        return timers;
    }

    private void dropTimers(int keyGroup, int subGroup) {
        for (HeapPriorityQueueSnapshotRestoreWrapper queue : queues.values()) {
            timers(queue, keyGroup, subGroup).forEach(queue.getPriorityQueue()::remove);
        }
    }

    // ------------------------------------------------------------------------
    //  checks
    // ------------------------------------------------------------------------

    private void checkUnit(int keyGroup, int subGroup) {
        if (!keyContext.getKeyGroupRange().contains(keyGroup)
                || subGroup < 0
                || subGroup >= keyContext.subGroups()) {
            throw new IllegalArgumentException(
                    owner
                            + " with "
                            + keyContext.getKeyGroupRange()
                            + " and "
                            + keyContext.subGroups()
                            + " sub-groups has no "
                            + name(keyGroup, subGroup));
        }
    }

    private static void checkHeader(
            int keyGroup, int subGroup, DataInputView in, UnitSchema donorSchema)
            throws IOException {
        int version = in.readInt();
        if (version != donorSchema.version()) {
            throw new IllegalStateException(
                    name(keyGroup, subGroup)
                            + " was extracted at schema version "
                            + version
                            + ", but the schema given has version "
                            + donorSchema.version());
        }
        int writtenKeyGroup = in.readInt();
        int writtenSubGroup = in.readInt();
        if (writtenKeyGroup != keyGroup || writtenSubGroup != subGroup) {
            throw new IOException(
                    "Expected "
                            + name(keyGroup, subGroup)
                            + " but found "
                            + name(writtenKeyGroup, writtenSubGroup));
        }
    }

    private static int readCount(UnitSchema.Slot slot, DataInputView in) throws IOException {
        int count = in.readInt();
        if (count <= 0) {
            throw new IOException("State '" + slot.name() + "' with " + count + " entries");
        }
        return count;
    }

    /** A key that does not belong here could never be found again, nor be extracted. */
    private void checkKey(Object key, int keyHash, UnitSchema.Slot slot, int keyGroup, int subGroup)
            throws IOException {
        int actualSubGroup = keyContext.unitHash().subGroup(keyHash);
        int actualKeyGroup =
                KeyGroupRangeAssignment.computeKeyGroupForKeyHash(
                        keyHash, keyContext.getNumberOfKeyGroups());
        if (actualSubGroup != subGroup || actualKeyGroup != keyGroup) {
            throw new IOException(
                    "State '"
                            + slot.name()
                            + "' in "
                            + name(keyGroup, subGroup)
                            + " has a key of "
                            + name(actualKeyGroup, actualSubGroup)
                            + ". Do donor and receiver divide key-groups into equally many"
                            + " sub-groups? "
                            + UnitKeyContext.unstableHash(key));
        }
    }

    private static String name(int keyGroup, int subGroup) {
        return "unit (key-group " + keyGroup + ", sub-group " + subGroup + ")";
    }

    /** What was read of a unit before any of it is added. */
    private final class StagedUnit {

        private final Map<UnitStateTable<K, ?, ?>, Buckets> entries = new LinkedHashMap<>();
        private final Map<String, List<Object>> timers = new LinkedHashMap<>();
    }

    private static final class Counter implements Consumer<Object> {

        private int count;

        @Override
        public void accept(Object entry) {
            count++;
        }
    }
}
