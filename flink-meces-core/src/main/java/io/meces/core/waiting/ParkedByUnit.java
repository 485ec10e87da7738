// SPDX-License-Identifier: Apache-2.0
package io.meces.core.waiting;

import io.meces.core.command.RecordWaits;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Records at a receiver that wait for their unit, or for a channel to be passed at the donor. Per
 * unit, those that the donor forwarded come before those of the receiver's own input. It measures
 * how long they wait.
 *
 * <p>Owned by the task thread.
 */
public final class ParkedByUnit<E> {

    private final WaitMeter meter;
    private final Map<Integer, Bay<E>> bays = new HashMap<>();
    private int size;

    ParkedByUnit(WaitMeter meter) {
        this.meter = meter;
    }

    public boolean isEmpty() {
        return bays.isEmpty();
    }

    /** How many records wait. */
    public int size() {
        return size;
    }

    /** How long records have waited since the last call. */
    public RecordWaits takeWaits() {
        return meter.take();
    }

    public boolean holds(int unit) {
        return bays.containsKey(unit);
    }

    public List<Integer> units() {
        return new ArrayList<>(bays.keySet());
    }

    public void park(int unit, E record) {
        bay(unit).own.add(parked(record));
    }

    /** For a record that was forwarded before its unit, and before all others forwarded of it. */
    public void parkAhead(int unit, E record) {
        bay(unit).ahead.add(parked(record));
    }

    public void parkForwarded(int unit, E record) {
        bay(unit).forwarded.add(parked(record));
    }

    private Bay<E> bay(int unit) {
        return bays.computeIfAbsent(unit, u -> new Bay<>());
    }

    private Parked<E> parked(E record) {
        size++;
        return new Parked<>(record, meter.now());
    }

    /** Hands out, in order, all forwarded records of the unit and the own ones that may go. */
    public void unpark(int unit, Predicate<E> mayGo, Consumer<E> out) {
        Bay<E> bay = bays.get(unit);
        if (bay == null) {
            return;
        }
        long now = meter.now();
        drain(bay.ahead, now, out);
        drain(bay.forwarded, now, out);
        // Once round: taking one out from the middle would move all others.
        for (int i = bay.own.size(); i > 0; i--) {
            Parked<E> parked = bay.own.poll();
            if (mayGo.test(parked.record)) {
                release(parked, now, out);
            } else {
                bay.own.add(parked);
            }
        }
        if (bay.own.isEmpty()) {
            bays.remove(unit);
        }
    }

    private void drain(ArrayDeque<Parked<E>> queue, long now, Consumer<E> out) {
        for (Parked<E> parked = queue.poll(); parked != null; parked = queue.poll()) {
            release(parked, now, out);
        }
    }

    private void release(Parked<E> parked, long now, Consumer<E> out) {
        size--;
        meter.add(now - parked.sinceNanos);
        out.accept(parked.record);
    }

    /** Records that wait for the same unit. */
    private static final class Bay<E> {
        final ArrayDeque<Parked<E>> ahead = new ArrayDeque<>(0);
        final ArrayDeque<Parked<E>> forwarded = new ArrayDeque<>();
        final ArrayDeque<Parked<E>> own = new ArrayDeque<>();
    }
}
