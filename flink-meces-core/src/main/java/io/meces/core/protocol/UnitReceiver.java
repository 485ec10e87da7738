// SPDX-License-Identifier: Apache-2.0
package io.meces.core.protocol;

import static io.meces.core.exchange.MigrationProtocolException.checkState;
import static io.meces.core.protocol.StepUnits.INSTALLED;
import static io.meces.core.protocol.StepUnits.MISSING;

import io.meces.core.command.StepMoves;
import io.meces.core.waiting.Waiting;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * The receiver's side of {@link SubtaskMigration}: which units have come, which channels their
 * donors have passed, and which records wait for that.
 *
 * <p>Owned by the task thread.
 *
 * @param <E> an element of the input
 */
final class UnitReceiver<E extends MigratingElement> {

    private final int subtask;
    private final boolean demands;
    private final boolean singleUpstream;
    private final StepUnits units;
    private final MigrationPort<E> port;
    private final Waiting<E> waiting;

    /** Per donor that aligns: the channels of which nothing more will come from it. */
    private final Map<Integer, BitSet> passedAtDonor = new HashMap<>();

    UnitReceiver(
            MigrationSettings settings,
            boolean singleUpstream,
            StepUnits units,
            MigrationPort<E> port,
            Waiting<E> waiting) {
        this.subtask = settings.subtask;
        this.demands = settings.order == MigrationOrder.DEMAND;
        this.singleUpstream = singleUpstream;
        this.units = units;
        this.port = port;
        this.waiting = waiting;
    }

    void startStep(StepMoves step) {
        step.forEachTo(subtask, (keyGroup, from) -> passedAtDonor.put(from, new BitSet()));
    }

    /** Whether no record waits, and no more are forwarded here. */
    boolean isDone() {
        return waiting.units.isEmpty() && passedAtDonor.isEmpty();
    }

    /**
     * A record of a unit that comes here has been read.
     *
     * @return whether it may be processed; otherwise it waits
     */
    boolean onRecord(E record) throws Exception {
        int unit = record.unit();
        int donor = units.peer(unit);
        if (units.state(unit) == INSTALLED
                && passedAt(donor, record)
                && !waiting.units.holds(unit)) {
            return true;
        }
        waiting.units.park(unit, record);
        if (units.state(unit) == MISSING && demands) {
            units.requested(unit);
            port.sendRequest(donor, unit);
        }
        return false;
    }

    /** A unit has been installed. */
    void onUnitInstalled(int donor, int unit) {
        units.installed(unit);
        unpark(donor, unit);
    }

    /** A record that a donor got before the marker and after its unit had left. */
    void onForwarded(int donor, int unit, E record) {
        checkForwarded(donor, unit);
        if (units.state(unit) == INSTALLED) {
            waiting.inOrder.add(record);
        } else {
            waiting.units.parkForwarded(unit, record);
        }
    }

    /** The donor has forwarded a record ahead of its unit. */
    void onForwardedAhead(int donor, int unit, E record) {
        checkForwarded(donor, unit);
        checkState(
                units.state(unit) != INSTALLED,
                "a record came behind its unit, not ahead: " + unit);
        waiting.units.parkAhead(unit, record);
    }

    private void checkForwarded(int donor, int unit) {
        checkState(
                units.peer(unit) == donor && units.state(unit) >= MISSING,
                "a record of a unit was forwarded that does not come here: " + unit);
    }

    /** A donor has passed the marker of a channel. */
    void onPassed(int donor, int channel) {
        checkAligning(donor);
        passedAtDonor.get(donor).set(channel);
        unparkAll(donor);
    }

    /** A donor has passed the markers of all its channels. */
    void onAligned(int donor) {
        checkAligning(donor);
        passedAtDonor.remove(donor);
        unparkAll(donor);
    }

    private void checkAligning(int donor) {
        checkState(
                passedAtDonor.containsKey(donor),
                "a subtask that is not an aligning donor passed a marker: " + donor);
    }

    private void unparkAll(int donor) {
        for (int unit : waiting.units.units()) {
            if (units.peer(unit) == donor) {
                unpark(donor, unit);
            }
        }
    }

    private boolean passedAt(int donor, E record) {
        // behind a cut in event time nothing is forwarded
        BitSet passed = passedAtDonor.get(donor);
        return singleUpstream || passed == null || passed.get(record.channel());
    }

    /** Has what may be processed now go on, in order. */
    private void unpark(int donor, int unit) {
        if (units.state(unit) == INSTALLED) {
            waiting.units.unpark(unit, record -> passedAt(donor, record), waiting.inOrder::add);
        }
    }
}
