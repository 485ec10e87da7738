// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import java.io.IOException;
import java.util.Set;
import javax.annotation.Nullable;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.util.StateMigrationException;

/**
 * Takes units out of a keyed state backend and puts them in.
 *
 * <p>A unit is a (key-group, sub-group): all entries of all states in all namespaces, and all
 * timers, of the keys that fall into it. The donor writes its schema, the receiver reads it, and
 * from then on any number of units can follow, until the donor's {@link #schemaVersion()} has grown
 * and it has to write its schema anew. Donor and receiver are of the same kind.
 *
 * <p>Owned by the task thread of the operator; no method may be called by another thread, nor while
 * a key of the unit is being processed. An asynchronous snapshot may be running.
 */
public interface UnitStore {

    /** Number of sub-groups per key-group. */
    int subGroups();

    /** Names of the timer queues that are registered by now. */
    Set<String> timerQueues();

    /**
     * The timer of a queue that is to fire first; null if there is none. Constant time.
     *
     * @param queueName one of {@link #timerQueues}
     */
    @Nullable
    Object firstTimer(String queueName);

    /**
     * Grows whenever a state or timer queue is registered or gets another serializer. Units that
     * are extracted at one version can be installed only with the schema of that version.
     */
    int schemaVersion();

    /**
     * Writes version, key serializer, and name, kind and serializers of all registered states and
     * timer queues, in the order in which units refer to them.
     */
    void writeSchema(DataOutputView out) throws IOException;

    /**
     * Writes key serializer, and name, kind and serializers of all registered states, as the head
     * of a full snapshot has them: who restores that writes state as this backend does.
     */
    void writeFormat(DataOutputView out) throws IOException;

    /** Why no unit can leave, and the remedy, in sentences about the operator; null: they can. */
    @Nullable
    default String obstacle() {
        return null;
    }

    /**
     * Why no unit of a donor can come, as {@link #obstacle()}; null: they can.
     *
     * @param format what the donor has written by {@link #writeFormat}
     */
    @Nullable
    String obstacle(DataInputView format) throws IOException;

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
    UnitSchema readSchema(DataInputView in) throws IOException, StateMigrationException;

    /**
     * How often a key of the key-group has been made the current one since this backend was made:
     * once for each record and each timer.
     */
    long selections(int keyGroup);

    /**
     * The number of the unit of the current key, {@code key-group * sub-groups + sub-group}; -1 if
     * there is none, or it is not here.
     */
    int currentUnit();

    /** No key is processed from now on, until one is made the current one. */
    void leaveKey();

    /**
     * Number of entries and timers of the key-group, or about that many. Costs little per state.
     *
     * @throws IllegalArgumentException if the backend has no such key-group
     */
    long entries(int keyGroup);

    /**
     * Writes all entries and timers of the unit and removes them.
     *
     * <p>The cost is proportional to the unit. Entries are written with the current serializers,
     * expired ones too. A running snapshot still has the unit as it was when the snapshot was
     * taken. Nothing is removed if writing fails.
     *
     * @param compression of this store
     * @throws IllegalArgumentException if the backend has no such unit
     * @throws IOException if {@code out} throws it, or the state cannot be read
     */
    void extract(int keyGroup, int subGroup, DataOutputSerializer out, UnitCompression compression)
            throws IOException;

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
     * @throws IOException if {@code in} throws it or holds something else than this unit, or the
     *     state cannot be written
     */
    void install(
            int keyGroup,
            int subGroup,
            DataInputDeserializer in,
            UnitSchema donorSchema,
            TimerInstaller timers)
            throws IOException;

    /**
     * Whether what has come with a restored checkpoint, but belongs to other subtasks, is still
     * being deleted. A checkpoint has to wait for that, and would do so in the task thread.
     */
    boolean isClearing();

    /** Adds timers to the queues of this backend and does nothing else. */
    TimerInstaller direct();
}
