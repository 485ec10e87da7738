// SPDX-License-Identifier: Apache-2.0
package io.meces.core.protocol;

import io.meces.core.command.StepMoves;
import io.meces.core.exchange.ExtractedUnit;
import io.meces.core.exchange.HeldUnits;
import io.meces.core.exchange.MigrationProtocolException;
import io.meces.core.exchange.PeerExchange;
import io.meces.core.exchange.PeerLink;
import io.meces.core.exchange.TaskThread;
import io.meces.core.store.DeferredData;
import io.meces.core.store.DeferredKey;
import io.meces.core.store.KeyCodec;
import io.meces.core.store.UnitState;
import java.io.IOException;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import javax.annotation.Nullable;

/**
 * Gives what leaves a donor, on demand or, as the flow control allows, in the background.
 *
 * <p><b>Units</b> leave as {@link SubtaskMigration} decides: they are taken out of the state, and
 * wait for a drain where results are held back.
 *
 * <p><b>Data that follows them</b>, where units do not bring all: receivers ask for keys of a unit
 * that has been sent. When all units of a key-group have been, it is streamed; it is dropped when
 * the receiver has put it in. To each receiver one key-group is streamed at a time, so that few are
 * read at once. A receiver that cannot keep up says so, and is passed over until it can.
 *
 * <p>Owned by the task thread.
 */
final class UnitSender {

    /** Rows on disk are small, and a chunk at a time is on its way while records wait. */
    private static final long LEAST_CHUNK_BYTES = 64 << 10;

    private final int subtask;
    private final int subGroups;
    private final long chunkBytes;
    private final TaskThread thread;
    private final SubtaskMigration<?> migration;
    private final UnitState state;

    /** Null if units bring all: then nothing is given behind them. */
    @Nullable private final DeferredData data;

    private final ResultDrain drain;
    private final PeerExchange exchange;
    private final PeerLink link;
    private final ActiveRescale.Host host;
    private final TaskThread.Mail dropped;

    /** Units that wait for a drain. */
    private final HeldUnits<ExtractedUnit> held = new HeldUnits<>();

    /** What is still to be given, or to be put in by whoever got it, by key-group. */
    private final Map<Integer, Giving> giving = new TreeMap<>();

    /** Key-groups that have been given, and are not gone yet. */
    private final BitSet dropping = new BitSet();

    /** Receivers that want nothing more in the background for now. */
    private final BitSet paused = new BitSet();

    /**
     * @param data what follows the units; null if they bring all
     * @param dropped is told when what has been given of a key-group is gone
     */
    UnitSender(
            MigrationSettings settings,
            MigrationEnvironment<?> environment,
            SubtaskMigration<?> migration,
            UnitState state,
            @Nullable DeferredData data,
            PeerExchange exchange,
            ActiveRescale.Host host,
            TaskThread.Mail dropped) {
        this.subtask = settings.subtask;
        this.subGroups = settings.subGroups;
        this.chunkBytes = Math.max(LEAST_CHUNK_BYTES, settings.flowControl.chunkBytes);
        this.thread = environment.thread();
        this.migration = migration;
        this.state = state;
        this.data = data;
        this.drain = environment.openDrain();
        this.exchange = exchange;
        this.link = environment.link();
        this.host = host;
        this.dropped = dropped;
    }

    /** A step begins in which data follows the units. */
    void startStep(StepMoves step) {
        if (!isDataGone()) {
            throw new MigrationProtocolException(
                    "a step begins before the data of the last one has been given: "
                            + giving
                            + ", or deleted: "
                            + dropping);
        }
        paused.clear();
        step.forEachFrom(subtask, (keyGroup, to) -> giving.put(keyGroup, new Giving(keyGroup, to)));
    }

    /** Whether data is still to be given, or to be put in by whoever got it. */
    boolean givesData() {
        return !giving.isEmpty();
    }

    /** Whether nothing is left of the data that was to be given. */
    boolean isDataGone() {
        return giving.isEmpty() && dropping.isEmpty();
    }

    // ------------------------------------------------------------------------
    //  On demand
    // ------------------------------------------------------------------------

    /** See {@link MigrationPort#sendUnit}. */
    long sendUnit(int receiver, int unit, boolean onDemand) throws Exception {
        state.flush();
        byte[] schema = state.schema();
        byte[] bytes = state.extract(unit);
        link.metrics().extracted();
        ExtractedUnit extracted = new ExtractedUnit(receiver, unit, bytes, schema, onDemand);
        if (drain.holdsBack()) {
            // results of its records are not outside yet: those of its receiver must not overtake
            held.hold(extracted);
            link.inFlight().add(bytes.length);
        } else {
            send(extracted);
        }
        return bytes.length;
    }

    private void send(ExtractedUnit unit) throws IOException {
        exchange.send(unit);
        Giving of = giving.get(unit.unit / subGroups);
        if (of != null) {
            // its receiver will ask for its keys
            of.sent.set(unit.unit % subGroups);
        }
    }

    /** A receiver needs a unit now, which may have left the state already. */
    void onRequest(int receiver, int unit) throws Exception {
        byte[] schema = state.schema();
        byte[] bytes = exchange.takeBack(receiver, unit, schema);
        if (bytes != null) {
            send(new ExtractedUnit(receiver, unit, bytes, schema, true));
            return;
        }
        ExtractedUnit waiting = held.find(u -> u.unit == unit && u.receiver == receiver);
        if (waiting == null) {
            migration.onRequest(receiver, unit);
        } else {
            // sent by sendDrained() when it is drained
            waiting.onDemand = true;
        }
    }

    /**
     * A receiver needs keys of a unit. It may do so when all of the key-group has been sent: until
     * that is put in takes as long as its disk takes.
     */
    void onKeyRequest(int receiver, int unit, List<DeferredKey> keys) throws IOException {
        int keyGroup = unit / subGroups;
        Giving of = giving.get(keyGroup);
        if (of == null || of.receiver != receiver) {
            return;
        }
        if (!of.sent.get(unit % subGroups)) {
            throw new MigrationProtocolException(
                    "keys of unit " + unit + " are asked for, which has not left");
        }
        Request request = new Request(receiver, unit, keys.size());
        for (DeferredKey key : keys) {
            data.fetch(keyGroup, key, read -> request.onRead(key, read));
        }
    }

    // ------------------------------------------------------------------------
    //  Units that wait for a drain
    // ------------------------------------------------------------------------

    /** Sends what is asked for and has been drained, and has the operators drained if need be. */
    void sendDrained() throws Exception {
        sendHeld(unit -> unit.onDemand);
        if (held.needsDrain()) {
            held.beginDrain();
            drain.drain(this::drained);
        }
    }

    /** What was taken out of the state before the drain began may be sent. */
    private void drained() throws Exception {
        held.endDrain();
        sendHeld(unit -> unit.onDemand);
        // in a mail of its own: it may be called by sendDrained()
        host.wakeUp().run();
    }

    private void sendHeld(Predicate<ExtractedUnit> condition) throws Exception {
        ExtractedUnit unit = held.pollSendable(condition);
        while (unit != null) {
            link.inFlight().remove(unit.state.length);
            send(unit);
            unit = held.pollSendable(condition);
        }
    }

    private boolean maySend(ExtractedUnit unit) {
        return unit.onDemand || exchange.mayPushTo(unit.receiver);
    }

    // ------------------------------------------------------------------------
    //  In the background
    // ------------------------------------------------------------------------

    /** Whether {@link #push} has something to do. */
    boolean hasToPush() {
        return nextPushReceiver() >= 0
                || held.hasSendable(this::maySend)
                || mustFlush()
                || nextToStream() != null;
    }

    /** Sends units and data in the background as long as there is time for it. */
    void push(BooleanSupplier inTime) throws Exception {
        sendHeld(this::maySend);
        int receiver = nextPushReceiver();
        while (receiver >= 0 && inTime.getAsBoolean()) {
            migration.push(receiver);
            receiver = nextPushReceiver();
        }
        exchange.flush(!migration.canPush(), receiver >= 0);
        Giving next = nextToStream();
        while (next != null && inTime.getAsBoolean()) {
            stream(next);
            next = nextToStream();
        }
    }

    /** Who gets the next unit in the background; -1 if there is none, or flow control forbids. */
    private int nextPushReceiver() {
        return migration.canPush() && hasRoom()
                ? migration.nextPushReceiver(exchange::mayPushTo)
                : -1;
    }

    /** The key-group of which data may be sent next; null if none, or flow control forbids. */
    @Nullable
    private Giving nextToStream() {
        BitSet seen = new BitSet();
        for (Giving of : giving.values()) {
            if (of.sent.cardinality() == subGroups && !of.ended && !seen.get(of.receiver)) {
                seen.set(of.receiver);
                if (of.mayHaveMore && !paused.get(of.receiver) && exchange.mayPushTo(of.receiver)) {
                    return hasRoom() ? of : null;
                }
            }
        }
        return null;
    }

    private boolean hasRoom() {
        if (link.inFlight().hasRoom()) {
            return true;
        }
        // asked once only: another task may take the room between two questions
        link.inFlight().whenRoom(host.wakeUp());
        return false;
    }

    /**
     * Whether a chunk waits that nothing would fill, if nothing can be pushed: for units that have
     * left on demand meanwhile, or while those that are left are for others.
     */
    private boolean mustFlush() {
        return migration.canPush() ? exchange.hasChunkWithNothingAhead() : exchange.hasChunks();
    }

    /** Sends a chunk of a key-group, if one has been read. */
    private void stream(Giving of) throws Exception {
        if (of.stream == null) {
            of.stream = data.stream(of.keyGroup, chunkBytes, () -> wakeUp(of));
        }
        byte[] chunk = of.stream.poll();
        if (chunk != null) {
            exchange.sendData(of.receiver, of.keyGroup, chunk);
        } else if (!of.stream.isAtEnd()) {
            of.mayHaveMore = false;
        }
        if (of.stream.isAtEnd()) {
            of.ended = true;
            of.stream.close();
            of.stream = null;
            exchange.sendDataEnd(of.receiver, of.keyGroup);
        }
    }

    /** More of a key-group may have been read. Any thread. */
    private void wakeUp(Giving of) {
        thread.execute(
                () -> {
                    of.mayHaveMore = true;
                    host.afterProgress();
                },
                "Data to give");
    }

    /** Tells whether a receiver wants more data in the background. */
    void onPace(int receiver, boolean more) {
        paused.set(receiver, !more);
    }

    /** A receiver has all data of a key-group, so nobody needs it here any more. */
    void onDataInstalled(int keyGroup) throws Exception {
        Giving of = giving.remove(keyGroup);
        if (of == null || !of.ended) {
            throw new MigrationProtocolException(
                    "key-group " + keyGroup + " is put in, which has not been sent");
        }
        dropping.set(keyGroup);
        data.drop(keyGroup, () -> onDropped(keyGroup));
    }

    private void onDropped(int keyGroup) throws Exception {
        if (dropping.get(keyGroup)) {
            dropping.clear(keyGroup);
            dropped.run();
        }
    }

    void close() {
        held.all().forEach(unit -> link.inFlight().remove(unit.state.length));
        link.inFlight().forget(host.wakeUp());
        drain.close();
        for (Giving of : giving.values()) {
            if (of.stream != null) {
                of.stream.close();
            }
        }
        giving.clear();
        dropping.clear();
    }

    /** A key-group whose data is to be given. */
    private static final class Giving {
        final int keyGroup;
        final int receiver;

        /** By sub-group: whether the unit has been sent. */
        final BitSet sent = new BitSet();

        @Nullable DeferredData.Stream stream;
        boolean mayHaveMore = true;

        /** Whether all of it has been sent. */
        boolean ended;

        Giving(int keyGroup, int receiver) {
            this.keyGroup = keyGroup;
            this.receiver = receiver;
        }

        @Override
        public String toString() {
            return "key-group " + keyGroup + " to " + receiver;
        }
    }

    /** Keys that were asked for together and are answered together, unless that is too much. */
    private final class Request {
        private final int receiver;
        private final int unit;
        private final KeyCodec.Answer answer = new KeyCodec.Answer();
        private int toRead;

        Request(int receiver, int unit, int keys) {
            this.receiver = receiver;
            this.unit = unit;
            this.toRead = keys;
        }

        void onRead(DeferredKey key, byte[] read) {
            answer.add(key, read);
            toRead--;
            if (toRead == 0 || answer.bytes() >= chunkBytes) {
                exchange.sendKeys(receiver, unit, answer.take());
            }
        }
    }
}
