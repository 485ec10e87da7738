// SPDX-License-Identifier: Apache-2.0
package io.meces.core.waiting;

import java.util.ArrayDeque;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * All elements that a subtask has read and not processed, by what they wait for. When one may go on
 * is for the protocol to say; what comes before what is said here.
 *
 * <p>First they wait for their place in the order of the input:
 *
 * <ul>
 *   <li>{@link #inOrder}: what is to be processed in the order in which it was read. What came
 *       behind the marker of its channel may have to wait until units have left or come.
 *   <li>{@link #broadcasts}: the same of broadcast inputs, behind the cut. No order is promised
 *       between inputs, so neither line waits for the other.
 *   <li>{@link #units}: records whose unit is not here, or still has records to come from its
 *       donor. They go from there to the end of {@link #inOrder}.
 * </ul>
 *
 * <p>What may be processed then, may have to wait for data that follows its unit. It has left a
 * line before all that still stands there, and is processed first:
 *
 * <ul>
 *   <li>{@link #keys}: records that wait for the data of their key; others overtake them.
 *   <li>{@link #behindWatermark}: with a single upstream subtask, what came behind a watermark that
 *       waits.
 *   <li>{@link #forAllData}: broadcast records, which concern all keys, and what came behind them
 *       on their channels.
 * </ul>
 *
 * <p>Owned by the task thread.
 *
 * @param <E> an element of an input
 */
public final class Waiting<E> {

    public final Line<E> inOrder = new Line<>();
    public final Line<E> broadcasts = new Line<>();
    public final ParkedByUnit<E> units;
    public final ParkedByKey<E> keys;
    public final ArrayDeque<E> behindWatermark = new ArrayDeque<>();
    public final ArrayDeque<E> forAllData = new ArrayDeque<>();

    /**
     * @param waited is told of each record that was parked how long it has waited, in ns
     */
    public Waiting(LongSupplier nanoTime, LongConsumer waited) {
        this.units = new ParkedByUnit<>(new WaitMeter(nanoTime, waited));
        this.keys = new ParkedByKey<>(new WaitMeter(nanoTime, waited));
    }

    /**
     * Takes over what an earlier rescale has left to be processed; nothing is held back of that.
     */
    public void adopt(Waiting<E> previous) {
        inOrder.adopt(previous.inOrder);
        broadcasts.adopt(previous.broadcasts);
    }

    /** How many elements wait, whatever for. */
    public int size() {
        return backlog() + units.size() + forData();
    }

    /** How many wait in a line. */
    public int backlog() {
        return inOrder.size() + broadcasts.size();
    }

    /** How many records wait for their unit, or for the data of their key. */
    public int parked() {
        return units.size() + keys.size();
    }

    /** How many wait for data that follows its unit. */
    public int forData() {
        return keys.size() + behindWatermark.size() + forAllData.size();
    }
}
