// SPDX-License-Identifier: Apache-2.0
package io.meces.core.protocol;

import io.meces.core.exchange.ExtractedUnit;
import io.meces.core.exchange.HeldUnits;
import io.meces.core.exchange.PeerExchange;
import io.meces.core.exchange.PeerLink;
import io.meces.core.store.UnitState;
import java.io.IOException;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * Carries out for a donor what {@link SubtaskMigration} decides: takes units out of the state, has
 * them wait for a drain where results are held back, and sends them on demand or, as the flow
 * control allows, in the background.
 *
 * <p>Owned by the task thread.
 */
final class UnitSender {

    private final SubtaskMigration<?> migration;
    private final UnitState state;
    private final ResultDrain drain;
    private final PeerExchange exchange;
    private final PeerLink link;
    private final DeferredDonor data;
    private final Runnable wakeUp;
    private final HeldUnits<ExtractedUnit> held = new HeldUnits<>();

    /**
     * @param data gives what follows the units
     * @param wakeUp has the driver look for what there is to do, in a mail of its own; any thread
     */
    UnitSender(
            MigrationEnvironment<?> environment,
            SubtaskMigration<?> migration,
            UnitState state,
            PeerExchange exchange,
            DeferredDonor data,
            Runnable wakeUp) {
        this.migration = migration;
        this.state = state;
        this.drain = environment.openDrain();
        this.exchange = exchange;
        this.link = environment.link();
        this.data = data;
        this.wakeUp = wakeUp;
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
        data.onUnitSent(unit.unit);
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
        wakeUp.run();
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
                || canPushData();
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
        while (canPushData() && inTime.getAsBoolean()) {
            data.push(exchange::mayPushTo);
        }
    }

    /** Who gets the next unit in the background; -1 if there is none, or flow control forbids. */
    private int nextPushReceiver() {
        return migration.canPush() && hasRoom()
                ? migration.nextPushReceiver(exchange::mayPushTo)
                : -1;
    }

    /** Whether there may be data to be sent that comes apart from the units. */
    private boolean canPushData() {
        return data.canPush(exchange::mayPushTo) && hasRoom();
    }

    private boolean hasRoom() {
        if (link.inFlight().hasRoom()) {
            return true;
        }
        // asked once only: another task may take the room between two questions
        link.inFlight().whenRoom(wakeUp);
        return false;
    }

    /**
     * Whether a chunk waits that nothing would fill, if nothing can be pushed: for units that have
     * left on demand meanwhile, or while those that are left are for others.
     */
    private boolean mustFlush() {
        return migration.canPush() ? exchange.hasChunkWithNothingAhead() : exchange.hasChunks();
    }

    void close() {
        held.all().forEach(unit -> link.inFlight().remove(unit.state.length));
        link.inFlight().forget(wakeUp);
        drain.close();
    }
}
