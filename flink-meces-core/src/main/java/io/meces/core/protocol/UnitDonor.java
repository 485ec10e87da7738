// SPDX-License-Identifier: Apache-2.0
package io.meces.core.protocol;

import static io.meces.core.exchange.MigrationProtocolException.checkState;
import static io.meces.core.protocol.StepUnits.HELD;

import io.meces.core.command.ReadAheadUse;
import io.meces.core.command.RecordWaits;
import io.meces.core.command.StepMoves;
import io.meces.core.command.StepStatistics;
import io.meces.core.exchange.MigrationProtocolException;
import io.meces.core.waiting.Line;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import javax.annotation.Nullable;

/**
 * The donor's side of {@link SubtaskMigration}, which says when units may leave: which unit goes
 * when, what is forwarded of it, and what receivers are told of markers.
 *
 * <p>Owned by the task thread.
 *
 * @param <E> an element of the input
 */
final class UnitDonor<E extends MigratingElement> {

    private final int subtask;
    private final int subGroups;
    private final MigrationOrder order;
    private final InputChannels channels;
    private final StepUnits units;
    private final MigrationPort<E> port;

    /** Per unit: when it was last used, on a clock that ticks with each record. */
    private final int[] lastUsed;

    private int useClock;
    private long watermark;
    private long watermarkOfReceivers;
    private final BitSet receivers = new BitSet();
    private boolean releasable;
    private final BitSet requestedEarly = new BitSet();

    /** Per receiver: the units that are left when all markers have come, in the order to push. */
    private final Map<Integer, ArrayDeque<Integer>> toPush = new TreeMap<>();

    private int unitsSent;
    private int unitsOnDemand;
    private long bytesSent;
    private long recordsForwarded;

    UnitDonor(
            MigrationSettings settings,
            InputChannels channels,
            StepUnits units,
            MigrationPort<E> port,
            long watermark) {
        this.subtask = settings.subtask;
        this.subGroups = settings.subGroups;
        this.order = settings.order;
        this.channels = channels;
        this.units = units;
        this.port = port;
        this.watermark = watermark;
        this.lastUsed = new int[settings.units()];
    }

    /**
     * @param newWatermarkOfReceivers the highest watermark at which a receiver of this donor stands
     */
    void startStep(StepMoves step, long newWatermarkOfReceivers) {
        watermarkOfReceivers = newWatermarkOfReceivers;
        releasable = false;
        step.forEachFrom(subtask, (keyGroup, to) -> receivers.set(to));
    }

    /** Returns what was done in the step. */
    StepStatistics endStep(RecordWaits waits, ReadAheadUse readAhead) {
        StepStatistics statistics =
                new StepStatistics(
                        unitsSent, unitsOnDemand, bytesSent, recordsForwarded, waits, readAhead);
        receivers.clear();
        toPush.clear();
        requestedEarly.clear();
        unitsSent = 0;
        unitsOnDemand = 0;
        bytesSent = 0;
        recordsForwarded = 0;
        return statistics;
    }

    /** Whether this subtask gives units in this step. */
    boolean isDonor() {
        return !receivers.isEmpty();
    }

    void onWatermark(long newWatermark) {
        watermark = newWatermark;
    }

    /** Whether this subtask is as far in event time as those that it gives units to. */
    boolean hasCaughtUp() {
        return watermark >= watermarkOfReceivers;
    }

    /** A unit is used now. */
    void onUse(int unit) {
        lastUsed[unit] = ++useClock;
    }

    // ------------------------------------------------------------------------
    //  Markers
    // ------------------------------------------------------------------------

    void onPassed(int channel) throws Exception {
        for (int r = receivers.nextSetBit(0); r >= 0; r = receivers.nextSetBit(r + 1)) {
            port.sendPassed(r, channel);
        }
    }

    /** All markers have come: what is left is to be pushed. */
    void onAligned() throws Exception {
        for (int r = receivers.nextSetBit(0); r >= 0; r = receivers.nextSetBit(r + 1)) {
            port.sendAligned(r);
        }
        List<Integer> left = new ArrayList<>();
        units.step()
                .forEachFrom(
                        subtask,
                        (keyGroup, to) -> {
                            int first = keyGroup * subGroups;
                            for (int u = first; u < first + subGroups; u++) {
                                if (units.state(u) == HELD) {
                                    left.add(u);
                                }
                            }
                        });
        left.sort((a, b) -> Integer.compare(rank(b), rank(a)));
        for (int u : left) {
            toPush.computeIfAbsent(units.peer(u), r -> new ArrayDeque<>()).add(u);
        }
    }

    private int rank(int unit) {
        return order.rank(unit, lastUsed[unit]);
    }

    // ------------------------------------------------------------------------
    //  What leaves
    // ------------------------------------------------------------------------

    /** Whether units may leave. */
    boolean isReleasable() {
        return releasable;
    }

    /**
     * Units may leave from now on; those that have been asked for do.
     *
     * @param backlog what has been read and is not processed; nothing of a unit that may leave
     *     stays there, or it would be overtaken
     */
    void release(Line<E> backlog) throws Exception {
        releasable = true;
        List<E> moved =
                backlog.takeIf(
                        element -> element.unit() >= 0 && units.state(element.unit()) == HELD);
        // Before their units: markers of their channels may have been passed.
        for (E record : moved) {
            recordsForwarded++;
            port.forwardAhead(units.peer(record.unit()), record.unit(), record);
        }
        for (E record : moved) {
            sendIfHeld(record.unit());
        }
        for (int u = requestedEarly.nextSetBit(0); u >= 0; u = requestedEarly.nextSetBit(u + 1)) {
            sendIfHeld(u);
        }
        requestedEarly.clear();
    }

    private void sendIfHeld(int unit) throws Exception {
        if (units.state(unit) == HELD) {
            send(unit, true);
        }
    }

    private void send(int unit, boolean onDemand) throws Exception {
        units.sent(unit);
        unitsSent++;
        if (onDemand) {
            unitsOnDemand++;
        }
        bytesSent += port.sendUnit(units.peer(unit), unit, onDemand);
    }

    /** A record has come that would have to wait here; at the receiver of its unit it may not. */
    void sendWithUnit(E record) throws Exception {
        send(record.unit(), true);
        forward(record);
    }

    /**
     * Whether a record of a unit that leaves is behind the marker, where upstreams send the records
     * of the unit to its receiver. So its sender takes it to be of another unit. That is well if
     * there is no state, as it is on a stock Flink.
     */
    boolean isMisplaced(E record) {
        if (!channels.isPassed(record.channel())) {
            return false;
        }
        if (port.hasState()) {
            throw new MigrationProtocolException(
                    "A record came for key-group "
                            + record.unit() / subGroups
                            + ", which has been moved, so its sender takes it to be of another one."
                            + " The hashCode() of a key must be the same in all processes.");
        }
        return true;
    }

    /** A record has come whose unit has left. */
    void forward(E record) throws Exception {
        recordsForwarded++;
        port.forward(units.peer(record.unit()), record.unit(), record);
    }

    /** A receiver asks for a unit. Repeated or outdated requests do nothing. */
    void onRequest(int receiver, int unit) throws Exception {
        if (units.state(unit) != HELD || units.peer(unit) != receiver) {
            return;
        }
        if (releasable) {
            send(unit, true);
        } else {
            requestedEarly.set(unit);
        }
    }

    /** See {@link SubtaskMigration#nextPushReceiver}. */
    int nextPushReceiver(IntPredicate mayGet) {
        int best = -1;
        int bestRank = 0;
        for (Map.Entry<Integer, ArrayDeque<Integer>> of : toPush.entrySet()) {
            int receiver = of.getKey();
            Integer unit = firstHeld(of.getValue());
            if (unit != null && (best < 0 || rank(unit) > bestRank) && mayGet.test(receiver)) {
                best = receiver;
                bestRank = rank(unit);
            }
        }
        return best;
    }

    @Nullable
    private Integer firstHeld(ArrayDeque<Integer> candidates) {
        while (!candidates.isEmpty() && units.state(candidates.peek()) != HELD) {
            candidates.poll();
        }
        return candidates.peek();
    }

    /** Gives a receiver the first unit in order that is left for it. */
    void push(int receiver) throws Exception {
        ArrayDeque<Integer> candidates = toPush.get(receiver);
        Integer unit = candidates == null ? null : firstHeld(candidates);
        checkState(unit != null, "nothing to push to " + receiver);
        send(unit, false);
    }
}
