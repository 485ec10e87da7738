// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import io.meces.core.exchange.TaskThread;
import io.meces.core.store.DeferredData;
import io.meces.core.store.DeferredKey;
import io.meces.core.store.DeferredStore;
import io.meces.flink.state.BackendEnvironment;
import io.meces.state.AbstractUnitStore;
import io.meces.state.SchemaCheck;
import io.meces.state.TimerInstaller;
import io.meces.state.UnitCompression;
import io.meces.state.UnitKeyContext;
import io.meces.state.UnitSchema;
import io.meces.state.UnitTimers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.contrib.streaming.state.RocksDBKeyedStateBackend.RocksDbKvStateInfo;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.Keyed;
import org.apache.flink.runtime.state.RegisteredKeyValueStateBackendMetaInfo;
import org.apache.flink.runtime.state.RegisteredStateMetaInfoBase;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.apache.flink.util.StateMigrationException;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;
import org.rocksdb.WriteBatch;

/**
 * The units of a RocksDB backend: whole key-groups, as they stand in the database. Owned by the
 * task thread.
 *
 * <p>Entries are in the units, or come apart from them ({@link #defer}): then a key-group that has
 * left stays here, frozen, until its data has been read.
 *
 * <p>Entries are {@code [int length] [key] [int length] [value]}, behind the number of bytes of all
 * of them. Nothing of them is deserialized.
 *
 * @param <K> type of key
 */
final class RocksDBUnitStore<K> extends AbstractUnitStore<K, byte[]>
        implements DeferredStore<TimerInstaller> {

    /** Index of the state and codec, before the number of entries. */
    private static final int HEADER = Short.BYTES + Byte.BYTES;

    private static final int NOT_COMPRESSED = 0;

    private static final long BATCH_BYTES = 64 << 10;

    private final DataOutputSerializer keyBuffer = new DataOutputSerializer(64);
    private final BackendDatabase database;
    private final Consumer<RegisteredStateMetaInfoBase> registration;
    private final StaleKeyGroups stale;
    private final PostponedCompactions postponed;

    /** Those that have left, and whose data is still to be read. */
    private final BitSet frozen = new BitSet();

    /** How many have begun in which data comes and goes apart from its units. */
    private int rescales;

    private boolean closed;

    private final StoredMoves moves = new StoredMoves();

    /** Null: entries travel with their units. */
    @Nullable private RocksDBDeferredData deferred;

    /**
     * @param registration registers a state as if it had been restored
     */
    RocksDBUnitStore(
            BackendEnvironment environment,
            TypeSerializer<K> keySerializer,
            UnitKeyContext<K> keyContext,
            UnitTimers<K> timers,
            BackendDatabase database,
            Consumer<RegisteredStateMetaInfoBase> registration,
            StaleKeyGroups stale,
            PostponedCompactions postponed) {
        super(
                MecesRocksDBKeyedStateBackend.nameOf(environment),
                environment.userCode,
                keySerializer,
                keyContext,
                timers,
                database.states.size());
        this.database = database;
        this.registration = registration;
        this.stale = stale;
        this.postponed = postponed;
    }

    // ------------------------------------------------------------------------
    //  deferred data
    // ------------------------------------------------------------------------

    @Override
    public DeferredData defer(TaskThread thread, TimerInstaller installer) {
        return defer(thread, installer, movedRows(database.leastFileBytes, thread::nanoTime));
    }

    /** See {@link MovedRows}. */
    MovedRows movedRows(long fileBytes, LongSupplier nanoTime) {
        return new MovedRows(
                database.db,
                database.writeOptions,
                database.prefixLength,
                database.directory,
                nanoTime,
                fileBytes,
                postponed::onTakenOver);
    }

    DeferredData defer(TaskThread thread, TimerInstaller installer, MovedRows rows) {
        rescales++;
        moves.begin();
        deferred =
                new RocksDBDeferredData(
                        database,
                        new RocksDBDeferredData.Owner() {
                            @Override
                            public CompletableFuture<Void> dropped(int keyGroup) {
                                frozen.clear(keyGroup);
                                return stale.addLeft(keyGroup);
                            }

                            @Override
                            public void closed() {
                                deferred = null;
                                postponed.end(thread.nanoTime());
                            }
                        },
                        installer,
                        thread,
                        rows,
                        postponed);
        postponed.begin(thread.nanoTime());
        lookAtCompactionsAfter(PostponedCompactions.FIRST_LOOK_NANOS, thread, rescales);
        return deferred;
    }

    private void lookAtCompactionsAfter(long nanos, TaskThread thread, int rescale) {
        thread.executeAfter(
                nanos,
                () -> {
                    if (closed || rescale != rescales) {
                        return;
                    }
                    boolean waited = !postponed.haveGoneOn();
                    if (postponed.look(thread.nanoTime())) {
                        lookAtCompactionsAfter(PostponedCompactions.LOOK_NANOS, thread, rescale);
                    }
                    if (waited && postponed.haveGoneOn()) {
                        // no checkpoint may have waited for it
                        if (!stale.areBeingDeleted()) {
                            stale.deleteAll();
                        }
                        compactWhatHasLeft();
                    }
                },
                "Look at files in level 0");
    }

    /** The database has been restored with more than belongs here, which is being deleted. */
    void holdsMore() {
        moves.begin();
    }

    /**
     * Called when a checkpoint is complete, not while one is taken, which this would delay. After a
     * rescale it is called when other compactions go on.
     */
    private void compactWhatHasLeft() {
        // a subtask that has nothing is about to leave
        if (keyContext.owned() > 0) {
            stale.compact();
        }
    }

    /** A checkpoint is complete. */
    void onCheckpointComplete(long checkpoint) {
        if (!isDeferring()) {
            postponed.onCheckpointComplete();
            if (postponed.haveGoneOn()) {
                moves.onComplete(checkpoint);
                compactWhatHasLeft();
            }
        }
    }

    /** A checkpoint begins. See {@link StoredMoves}. */
    boolean storesWhatMoved(long checkpoint, boolean isSavepoint) {
        return moves.mayBeIn(
                checkpoint,
                isSavepoint,
                () ->
                        keyContext.owned() > 0 && stale.haveToBeCompacted()
                                || postponed.mayBeMadeUp());
    }

    @Override
    @SuppressWarnings("unchecked")
    public DeferredKey keyOf(Object key) throws IOException {
        keyBuffer.clear();
        keySerializer.serialize((K) key, keyBuffer);
        return new DeferredKey(keyBuffer.getCopyOfBuffer());
    }

    @Override
    public void install(
            int keyGroup,
            int subGroup,
            DataInputDeserializer in,
            UnitSchema donorSchema,
            TimerInstaller installer)
            throws IOException {
        super.install(
                keyGroup,
                subGroup,
                in,
                donorSchema,
                deferred == null
                        ? installer
                        : (queue, timer) ->
                                deferred.sleep(keyGroup, keyOfTimer(timer), queue, timer));
    }

    private DeferredKey keyOfTimer(Object timer) {
        try {
            return keyOf(((Keyed<?>) timer).getKey());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public boolean isClearing() {
        return stale.areBeingDeleted();
    }

    /** Whether a rescale runs in which data comes and goes apart from its units. */
    boolean isDeferring() {
        return deferred != null;
    }

    /** Whether a key-group has left whose data is not a part of this backend any more. */
    boolean hasFrozen() {
        return !frozen.isEmpty();
    }

    /** Nothing is read any more. */
    void close() {
        closed = true;
        if (deferred != null) {
            deferred.close();
        }
    }

    // ------------------------------------------------------------------------
    //  schema
    // ------------------------------------------------------------------------

    @Override
    protected List<StateMetaInfoSnapshot> states() {
        List<StateMetaInfoSnapshot> metaInfos = new ArrayList<>(database.states.size());
        for (RocksDbKvStateInfo info : database.states.values()) {
            if (isKeyValue(info)) {
                metaInfos.add(
                        RowSchema.of((RegisteredKeyValueStateBackendMetaInfo<?, ?>) info.metaInfo));
            }
        }
        return metaInfos;
    }

    /** Timers in RocksDB, which are taken over as soon as the operator asks for them. */
    @Override
    @Nullable
    public String obstacle() {
        for (Map.Entry<String, RocksDbKvStateInfo> state : database.states.entrySet()) {
            if (!isKeyValue(state.getValue())) {
                return "its timers '"
                        + state.getKey()
                        + "' were restored from RocksDB, and it has not asked for them. Have it ask"
                        + " for a timer service of that name in open(), or give it another uid() and"
                        + " start it without that state.";
            }
        }
        return null;
    }

    private static boolean isKeyValue(RocksDbKvStateInfo info) {
        return info.metaInfo instanceof RegisteredKeyValueStateBackendMetaInfo;
    }

    @Override
    protected Runnable accept(StateMetaInfoSnapshot donor, SchemaCheck check)
            throws StateMigrationException {
        RocksDbKvStateInfo known = database.states.get(donor.getName());
        if (known == null) {
            return () -> {
                registration.accept(new RegisteredKeyValueStateBackendMetaInfo<>(donor));
                schemaChanged();
            };
        }
        RowSchema.check(
                owner, check, donor, (RegisteredKeyValueStateBackendMetaInfo<?, ?>) known.metaInfo);
        return () -> {};
    }

    /**
     * Called before Flink writes all rows of a state anew.
     *
     * @throws StateMigrationException if rows of it come or go as they are. The job restarts then
     */
    void checkMayBeMigrated(String state) throws StateMigrationException {
        if (deferred != null) {
            throw new StateMigrationException(
                    owner
                            + " cannot write state '"
                            + state
                            + "' anew, as its new serializer needs, while it is being rescaled.");
        }
    }

    // ------------------------------------------------------------------------
    //  units
    // ------------------------------------------------------------------------

    /** RocksDB tells for all key-groups together only. */
    @Override
    protected long stateEntries(int keyGroup) {
        if (!keyContext.owns(keyGroup, 0)) {
            return 0;
        }
        long entries = 0;
        try {
            for (RocksDbKvStateInfo info : database.states.values()) {
                entries +=
                        database.db.getLongProperty(
                                info.columnFamilyHandle, "rocksdb.estimate-num-keys");
            }
        } catch (RocksDBException e) {
            throw new IllegalStateException(owner + " cannot tell the number of its entries", e);
        }
        return entries / Math.max(1, keyContext.owned());
    }

    /** What is not owned has been deleted, or is now. */
    @Override
    protected boolean hasNoEntries(int keyGroup, int subGroup) throws IOException {
        if (keyContext.owns(keyGroup, subGroup)) {
            return false;
        }
        stale.delete(keyGroup);
        return true;
    }

    @Override
    protected int writeEntries(
            int keyGroup, int subGroup, DataOutputSerializer out, UnitCompression compression)
            throws IOException {
        if (deferred != null) {
            return database.states.size();
        }
        byte[] first = KeyGroupPrefix.of(keyGroup, database.prefixLength);
        int index = 0;
        try (Slice end = new Slice(KeyGroupPrefix.of(keyGroup + 1, database.prefixLength));
                ReadOptions options =
                        new ReadOptions()
                                .setTotalOrderSeek(true)
                                .setFillCache(false)
                                .setIterateUpperBound(end)) {
            for (Map.Entry<String, RocksDbKvStateInfo> state : database.states.entrySet()) {
                int start = out.length();
                try (RocksIterator entries =
                        database.db.newIterator(state.getValue().columnFamilyHandle, options)) {
                    write(index, entries, first, out);
                } catch (RocksDBException | OutOfMemoryError e) {
                    throw new IOException(
                            owner
                                    + " cannot read state '"
                                    + state.getKey()
                                    + "' of "
                                    + name(keyGroup, subGroup),
                            e);
                }
                database.metrics.extracted(out.length() - start);
                compression.compress(index++, out, start);
            }
        }
        return index;
    }

    private static void write(
            int index, RocksIterator entries, byte[] first, DataOutputSerializer out)
            throws IOException, RocksDBException {
        int start = out.length();
        int bytesAt = start + HEADER + Integer.BYTES;
        int count = 0;
        for (entries.seek(first); entries.isValid(); entries.next()) {
            if (count == 0) {
                out.writeShort(index);
                out.writeByte(NOT_COMPRESSED);
                out.writeInt(0);
                out.writeInt(0);
            }
            byte[] key = entries.key();
            byte[] value = entries.value();
            out.writeInt(key.length);
            out.write(key);
            out.writeInt(value.length);
            out.write(value);
            count++;
        }
        entries.status();
        if (count > 0) {
            ByteBuffer.wrap(out.getSharedBuffer())
                    .putInt(bytesAt - Integer.BYTES, count)
                    .putInt(bytesAt, out.length() - bytesAt - Integer.BYTES);
        }
    }

    @Override
    protected byte[] readEntries(
            UnitSchema donorSchema,
            UnitSchema.Slot slot,
            int count,
            int keyGroup,
            int subGroup,
            DataInputView in)
            throws IOException {
        checkAgain(slot);
        int length = in.readInt();
        if (length <= 0 || length > ((DataInputDeserializer) in).available()) {
            throw new IOException(
                    length
                            + " bytes of state '"
                            + slot.name()
                            + "', of which "
                            + ((DataInputDeserializer) in).available()
                            + " came");
        }
        byte[] entries = new byte[length];
        in.readFully(entries);
        check(entries, count, slot, keyGroup, subGroup);
        return entries;
    }

    /** All of it, before any is added. */
    private void check(byte[] entries, int count, UnitSchema.Slot slot, int keyGroup, int subGroup)
            throws IOException {
        byte[] prefix = KeyGroupPrefix.of(keyGroup, database.prefixLength);
        DataInputDeserializer in = new DataInputDeserializer(entries);
        for (int i = 0; i < count; i++) {
            if (!KeyGroupPrefix.isAt(read(in), prefix)) {
                throw new IOException(
                        "State '"
                                + slot.name()
                                + "' in "
                                + name(keyGroup, subGroup)
                                + " has a key of another key-group");
            }
            int length = in.readInt();
            if (length < 0 || in.skipBytes(length) != length) {
                throw new IOException("A value of " + length + " bytes is cut off");
            }
        }
        if (in.available() > 0) {
            throw new IOException(
                    in.available() + " bytes too many of state '" + slot.name() + "'");
        }
    }

    @Override
    protected void addEntries(int keyGroup, int subGroup, Map<String, byte[]> entries)
            throws IOException {
        try (WriteBatch batch = new WriteBatch()) {
            for (Map.Entry<String, byte[]> state : entries.entrySet()) {
                ColumnFamilyHandle family = database.states.get(state.getKey()).columnFamilyHandle;
                DataInputDeserializer in = new DataInputDeserializer(state.getValue());
                while (in.available() > 0) {
                    byte[] key = read(in);
                    batch.put(family, key, read(in));
                    if (batch.getDataSize() >= BATCH_BYTES) {
                        database.db.write(database.writeOptions, batch);
                        batch.clear();
                    }
                }
                database.metrics.installed(state.getValue().length);
            }
            database.db.write(database.writeOptions, batch);
        } catch (RocksDBException e) {
            throw new IOException(
                    owner + " cannot write " + name(keyGroup, subGroup) + " to RocksDB", e);
        }
    }

    private static byte[] read(DataInputDeserializer in) throws IOException {
        int length = in.readInt();
        if (length < 0 || length > in.available()) {
            throw new IOException(
                    length + " bytes of an entry, of which " + in.available() + " came");
        }
        byte[] bytes = new byte[length];
        in.readFully(bytes);
        return bytes;
    }

    @Override
    protected void dropEntries(int keyGroup, int subGroup) throws IOException {
        if (deferred == null) {
            stale.addLeft(keyGroup);
        } else {
            frozen.set(keyGroup);
        }
    }
}
