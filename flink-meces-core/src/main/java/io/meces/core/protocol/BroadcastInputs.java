// SPDX-License-Identifier: Apache-2.0
package io.meces.core.protocol;

import static io.meces.core.exchange.MigrationProtocolException.checkState;

import io.meces.core.waiting.Line;

/**
 * Elements of broadcast inputs, and the state that their records leave behind. A record concerns
 * all units, so each must be processed once for each unit, at the donor or at the receiver. The
 * markers are a <em>cut</em>: the records before it are processed before units leave or are
 * installed, those behind it when all units have moved. The state that they leave behind is the
 * same at all subtasks; a new one is given that of the cut of a step in which nothing moves ({@link
 * StepMoves#handover}), and until then ignores the records before it.
 *
 * <p>Owned by the task thread.
 *
 * @param <E> an element of the input
 */
final class BroadcastInputs<E extends MigratingElement> {

    private final InputChannels channels;
    private final StepUnits units;
    private final MigrationPort<E> port;
    private final SubtaskMigration.Output<E> output;

    /** What is behind the cut is held back until all units have moved. */
    private final Line<E> line;

    /** Whether the state of records up to the cut has not been handed over yet. */
    private boolean stateMissing;

    /** Whether records before the cut are to be ignored: they are in the state handed over. */
    private boolean isNew;

    /** Whether this subtask is the one that hands over the state, and has not yet. */
    private boolean stateToSend;

    /**
     * @param isNew whether the state is to be handed over to this subtask
     */
    BroadcastInputs(
            InputChannels channels,
            StepUnits units,
            MigrationPort<E> port,
            SubtaskMigration.Output<E> output,
            Line<E> line,
            boolean isNew) {
        this.channels = channels;
        this.units = units;
        this.port = port;
        this.output = output;
        this.line = line;
        this.stateMissing = isNew;
        this.isNew = isNew;
    }

    /**
     * @param handsOver whether this subtask hands over the state in this step
     */
    void startStep(boolean handsOver) {
        stateToSend = handsOver;
    }

    void endStep() {
        isNew = false;
    }

    // ------------------------------------------------------------------------
    //  Elements
    // ------------------------------------------------------------------------

    /** A record has been read. */
    void onRecord(E record) throws Exception {
        if (!isNew || channels.isPassed(record.channel())) {
            onElement(record);
        }
    }

    /** A record, or something else on one of these channels. */
    void onElement(E element) throws Exception {
        if (channels.isPassed(element.channel()) && waitsBehindCut()) {
            line.holdBack(element);
        } else if (line.isEmpty()) {
            output.process(element);
        } else {
            line.add(element);
        }
    }

    /** Whether something is still to move that belongs to the cut. */
    private boolean waitsBehindCut() {
        return units.areToLeave() || units.areToCome() || isHandover();
    }

    /** Has what is behind the cut processed next, if nothing is to move any more. */
    void maybeGoOn() {
        if (!waitsBehindCut()) {
            line.goOn();
        }
    }

    // ------------------------------------------------------------------------
    //  State
    // ------------------------------------------------------------------------

    /** Whether all that came before the marker, on the channels where it is a cut, is processed. */
    boolean isAtCut() {
        return units.step() != null && line.isEmpty() && channels.isCutPassed();
    }

    /** Whether the state is still to be handed over to this subtask, or by it. */
    boolean isHandover() {
        return stateToSend || stateMissing;
    }

    void maybeHandOver() throws Exception {
        if (stateToSend && isAtCut()) {
            stateToSend = false;
            port.sendBroadcastState(units.step().takers());
            maybeGoOn();
        }
    }

    /** Fails if the state of that subtask is not awaited. */
    void checkAwaited(int donor) {
        checkState(
                units.step() != null && units.step().donor() == donor && stateMissing,
                "broadcast state came that is not awaited");
    }

    /** The state of another subtask is now in place, as of the cut of this step. */
    void onState(int donor) {
        checkAwaited(donor);
        stateMissing = false;
        maybeGoOn();
    }
}
