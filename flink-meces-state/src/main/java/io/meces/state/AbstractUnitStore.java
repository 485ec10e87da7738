// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.Keyed;
import org.apache.flink.runtime.state.KeyedBackendSerializationProxy;
import org.apache.flink.runtime.state.RegisteredPriorityQueueStateBackendMetaInfo;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.apache.flink.util.StateMigrationException;

/**
 * What stores of units have in common, wherever their states are: timers on the heap, schemas, the
 * format of a unit. Owned by the task thread.
 *
 * <p>A unit is written as {@code [int schema version] [int key-group] [int sub-group]}, a section
 * for each state and timer queue that has some of it, and {@code [short -1]}. A section is {@code
 * [short index in the schema] [byte codec]} and what the codec makes of {@code [int count]
 * [entries]}.
 *
 * @param <K> type of key
 * @param <P> what has been read of a state and is not added yet
 */
public abstract class AbstractUnitStore<K, P> implements UnitStore {

    /** Instead of the index of a further state: the unit is complete. */
    private static final int END = -1;

    /** Names the backend in messages. */
    protected final String owner;

    protected final TypeSerializer<K> keySerializer;
    protected final UnitKeyContext<K> keyContext;
    private final ClassLoader userCodeClassLoader;
    private final UnitTimers<K> timers;

    /** Those that were needed so far. They are kept, as Zstandard's has more than 100 kB. */
    private final Map<UnitCodec, BlockCodec> decompressors = new EnumMap<>(UnitCodec.class);

    private int schemaVersion;

    /**
     * @param owner names the backend in messages
     * @param states number of states that are registered already
     */
    protected AbstractUnitStore(
            String owner,
            ClassLoader userCodeClassLoader,
            TypeSerializer<K> keySerializer,
            UnitKeyContext<K> keyContext,
            UnitTimers<K> timers,
            int states) {
        this.owner = owner;
        this.userCodeClassLoader = userCodeClassLoader;
        this.keySerializer = keySerializer;
        this.keyContext = keyContext;
        this.timers = timers;
        this.schemaVersion = states + timers.size();
    }

    // ------------------------------------------------------------------------
    //  states, as subclasses have them
    // ------------------------------------------------------------------------

    /** The registered states, in the order of their registration. */
    protected abstract List<StateMetaInfoSnapshot> states();

    /**
     * Checks a state of a donor.
     *
     * @return what is to be done about it if all others can be taken, too
     * @throws StateMigrationException if this backend cannot take its entries
     */
    protected abstract Runnable accept(StateMetaInfoSnapshot donor, SchemaCheck check)
            throws StateMigrationException;

    /** Whether no state has entries of the unit. */
    protected abstract boolean hasNoEntries(int keyGroup, int subGroup) throws IOException;

    /** Number of entries of all states in the key-group, or about that many. */
    protected abstract long stateEntries(int keyGroup);

    /**
     * Writes a section for each state that has entries of the unit, and compresses it.
     *
     * @return number of states
     */
    protected abstract int writeEntries(
            int keyGroup, int subGroup, DataOutputSerializer out, UnitCompression compression)
            throws IOException;

    /** Reads the entries of a state. */
    protected abstract P readEntries(
            UnitSchema donorSchema,
            UnitSchema.Slot slot,
            int count,
            int keyGroup,
            int subGroup,
            DataInputView in)
            throws IOException;

    /** Adds what has been read of a unit, by the name of the state. */
    protected abstract void addEntries(int keyGroup, int subGroup, Map<String, P> entries)
            throws IOException;

    /** Removes the entries of the unit from all states. */
    protected abstract void dropEntries(int keyGroup, int subGroup) throws IOException;

    // ------------------------------------------------------------------------
    //  timers
    // ------------------------------------------------------------------------

    @Override
    public final int subGroups() {
        return keyContext.subGroups();
    }

    @Override
    public final Set<String> timerQueues() {
        return timers.names();
    }

    @Override
    @Nullable
    public final Object firstTimer(String queueName) {
        return timers.first(queueName);
    }

    @Override
    public final TimerInstaller direct() {
        return (queueName, timer) -> {
            if (timers.add(queueName, timer) == null) {
                throw new IllegalArgumentException(owner + " has no timer queue " + queueName);
            }
        };
    }

    protected final UnitTimers<K> timers() {
        return timers;
    }

    // ------------------------------------------------------------------------
    //  schema
    // ------------------------------------------------------------------------

    @Override
    public final int schemaVersion() {
        return schemaVersion;
    }

    /** A state or queue was registered, or registered anew after it had been restored. */
    public final void schemaChanged() {
        schemaVersion++;
    }

    @Override
    public final void writeSchema(DataOutputView out) throws IOException {
        String obstacle = obstacle();
        if (obstacle != null) {
            throw new IllegalStateException(owner + ": " + obstacle);
        }
        List<StateMetaInfoSnapshot> metaInfos = new ArrayList<>(states());
        metaInfos.addAll(timers.metaInfos());
        out.writeInt(schemaVersion);
        new KeyedBackendSerializationProxy<>(keySerializer, metaInfos, false).write(out);
    }

    /** Without timer queues: their serializer is never reconfigured. */
    @Override
    public final void writeFormat(DataOutputView out) throws IOException {
        new KeyedBackendSerializationProxy<>(keySerializer, states(), false).write(out);
    }

    @Override
    @Nullable
    public final String obstacle(DataInputView format) throws IOException {
        KeyedBackendSerializationProxy<K> proxy =
                new KeyedBackendSerializationProxy<>(userCodeClassLoader);
        proxy.read(format);
        SchemaCheck check = new SchemaCheck(owner);
        try {
            check.keys(proxy.getKeySerializerSnapshot(), keySerializer);
            for (StateMetaInfoSnapshot state : proxy.getStateMetaInfoSnapshots()) {
                accept(state, check);
            }
            return null;
        } catch (StateMigrationException e) {
            return e.getMessage();
        }
    }

    @Override
    public final UnitSchema readSchema(DataInputView in)
            throws IOException, StateMigrationException {
        int version = in.readInt();
        KeyedBackendSerializationProxy<K> proxy =
                new KeyedBackendSerializationProxy<>(userCodeClassLoader);
        proxy.read(in);

        SchemaCheck check = new SchemaCheck(owner);
        check.keys(proxy.getKeySerializerSnapshot(), keySerializer);
        List<UnitSchema.Slot> slots = new ArrayList<>();
        List<Runnable> changes = new ArrayList<>();
        for (StateMetaInfoSnapshot metaInfo : proxy.getStateMetaInfoSnapshots()) {
            switch (metaInfo.getBackendStateType()) {
                case KEY_VALUE:
                    changes.add(accept(metaInfo, check));
                    break;
                case PRIORITY_QUEUE:
                    changes.add(acceptQueue(metaInfo, check));
                    break;
                default:
                    throw new IOException(
                            "A keyed backend has no state of type "
                                    + metaInfo.getBackendStateType());
            }
            slots.add(new UnitSchema.Slot(metaInfo));
        }
        changes.forEach(Runnable::run);
        return new UnitSchema(
                this, version, proxy.getKeySerializerSnapshot().restoreSerializer(), slots);
    }

    /** For entries taken as bytes: whether a state can still be taken, or was migrated since. */
    protected final void checkAgain(UnitSchema.Slot slot) throws IOException {
        try {
            accept(slot.metaInfo, new SchemaCheck(owner));
        } catch (StateMigrationException e) {
            throw new IOException(e);
        }
    }

    private Runnable acceptQueue(StateMetaInfoSnapshot donor, SchemaCheck check)
            throws StateMigrationException {
        RegisteredPriorityQueueStateBackendMetaInfo<?> known = timers.metaInfo(donor.getName());
        if (known != null) {
            check.queue(donor, known);
            return () -> {};
        }
        return () -> {
            timers.register(new RegisteredPriorityQueueStateBackendMetaInfo<>(donor));
            schemaChanged();
        };
    }

    // ------------------------------------------------------------------------
    //  units
    // ------------------------------------------------------------------------

    @Override
    public final long selections(int keyGroup) {
        return keyContext.selections(keyGroup);
    }

    @Override
    public final int currentUnit() {
        return keyContext.unit();
    }

    @Override
    public final void leaveKey() {
        keyContext.leaveKey();
    }

    @Override
    public final long entries(int keyGroup) {
        checkUnit(keyGroup, 0);
        return stateEntries(keyGroup) + timers.entries(keyGroup);
    }

    @Override
    public final void extract(
            int keyGroup, int subGroup, DataOutputSerializer out, UnitCompression compression)
            throws IOException {
        checkUnit(keyGroup, subGroup);
        out.writeInt(schemaVersion);
        out.writeInt(keyGroup);
        out.writeInt(subGroup);
        int states = writeEntries(keyGroup, subGroup, out, compression);
        timers.write(states, keyGroup, subGroup, out, compression);
        out.writeShort(END);

        dropEntries(keyGroup, subGroup);
        timers.drop(keyGroup, subGroup);
        keyContext.disown(keyGroup, subGroup);
    }

    @Override
    public void install(
            int keyGroup,
            int subGroup,
            DataInputDeserializer in,
            UnitSchema donorSchema,
            TimerInstaller installer)
            throws IOException {
        checkUnit(keyGroup, subGroup);
        if (donorSchema.receiver() != this) {
            throw new IllegalArgumentException(
                    "The schema was read by another backend than " + owner);
        }
        if (!hasNoEntries(keyGroup, subGroup) || !timers.isEmpty(keyGroup, subGroup)) {
            throw new IllegalStateException(
                    owner + " has entries in " + name(keyGroup, subGroup) + " already");
        }
        checkHeader(keyGroup, subGroup, in, donorSchema);
        Map<String, P> entries = new LinkedHashMap<>();
        Map<String, List<Object>> elements = new LinkedHashMap<>();
        for (int index = in.readShort(); index != END; index = in.readShort()) {
            if (index < 0 || index >= donorSchema.size()) {
                throw new IOException(
                        "No state " + index + " in the schema of " + name(keyGroup, subGroup));
            }
            UnitSchema.Slot slot = donorSchema.slot(index);
            UnitCodec codec = UnitCodec.of(in.readByte());
            DataInputDeserializer raw = codec == UnitCodec.NONE ? in : decompress(codec, in);
            int count = readCount(slot, raw);
            boolean repeated =
                    slot.isTimerQueue()
                            ? elements.put(
                                            slot.name(),
                                            readTimers(slot, count, keyGroup, subGroup, raw))
                                    != null
                            : entries.put(
                                            slot.name(),
                                            readEntries(
                                                    donorSchema,
                                                    slot,
                                                    count,
                                                    keyGroup,
                                                    subGroup,
                                                    raw))
                                    != null;
            if (repeated) {
                throw new IOException(
                        "State '" + slot.name() + "' twice in " + name(keyGroup, subGroup));
            }
            if (raw != in && raw.available() > 0) {
                throw new IOException(
                        raw.available() + " bytes too many of state '" + slot.name() + "'");
            }
        }
        keyContext.own(keyGroup, subGroup);
        boolean complete = false;
        try {
            addEntries(keyGroup, subGroup, entries);
            elements.forEach(
                    (queue, list) -> list.forEach(timer -> installer.install(queue, timer)));
            complete = true;
        } finally {
            if (!complete) {
                dropEntries(keyGroup, subGroup);
                timers.drop(keyGroup, subGroup);
                keyContext.disown(keyGroup, subGroup);
            }
        }
    }

    private DataInputDeserializer decompress(UnitCodec codec, DataInputDeserializer in)
            throws IOException {
        BlockCodec decompressor = decompressors.computeIfAbsent(codec, UnitCodec::newBlockCodec);
        return new DataInputDeserializer(UnitCodec.read(in, decompressor));
    }

    private List<Object> readTimers(
            UnitSchema.Slot slot, int count, int keyGroup, int subGroup, DataInputView in)
            throws IOException {
        TypeSerializer<?> serializer = slot.valueSerializer();
        List<Object> read = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Object timer = serializer.deserialize(in);
            Object key = ((Keyed<?>) timer).getKey();
            checkKey(key, key.hashCode(), slot, keyGroup, subGroup);
            read.add(timer);
        }
        return read;
    }

    // ------------------------------------------------------------------------
    //  checks
    // ------------------------------------------------------------------------

    /**
     * @throws IllegalArgumentException if the backend has no such unit
     */
    protected final void checkUnit(int keyGroup, int subGroup) {
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
    protected final void checkKey(
            Object key, int keyHash, UnitSchema.Slot slot, int keyGroup, int subGroup)
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

    protected static String name(int keyGroup, int subGroup) {
        return "unit (key-group " + keyGroup + ", sub-group " + subGroup + ")";
    }
}
