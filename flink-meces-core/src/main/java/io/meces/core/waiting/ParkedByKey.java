// SPDX-License-Identifier: Apache-2.0
package io.meces.core.waiting;

import io.meces.core.command.RecordWaits;
import io.meces.core.store.DeferredKey;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Records that wait for the data of their key. When it has come they are <em>ready</em>, and are
 * processed in the order in which they became so; none of the same key that comes meanwhile may
 * overtake them. It measures how long they wait for data.
 *
 * <p>Owned by the task thread.
 */
public final class ParkedByKey<E> {

    private final WaitMeter meter;

    /** By key whose data is missing; the one whose records have waited for longest comes first. */
    private final LinkedHashMap<DeferredKey, Bay<E>> bays = new LinkedHashMap<>();

    private int missing;
    private long parkedSoFar;

    private final ArrayDeque<Ready<E>> ready = new ArrayDeque<>();

    /** How many records of each key are ready. */
    private final Map<DeferredKey, Integer> readyByKey = new HashMap<>();

    private long readySoFar;

    ParkedByKey(WaitMeter meter) {
        this.meter = meter;
    }

    /** How many records wait, ready or not. */
    public int size() {
        return missing + ready.size();
    }

    /** How long records have waited for data since the last call. */
    public RecordWaits takeWaits() {
        return meter.take();
    }

    // ------------------------------------------------------------------------
    //  Records whose data is missing
    // ------------------------------------------------------------------------

    /** Whether records wait for data. */
    public boolean awaitsData() {
        return !bays.isEmpty();
    }

    /** Whether records wait for the data of a key. */
    public boolean awaits(DeferredKey key) {
        return bays.containsKey(key);
    }

    public void park(int keyGroup, DeferredKey key, E record) {
        Bay<E> bay = bays.computeIfAbsent(key, k -> new Bay<>(keyGroup, parkedSoFar));
        bay.records.add(new Parked<>(record, meter.now()));
        parkedSoFar++;
        missing++;
    }

    /** The data of a key has come: its records are ready, in the order in which they came. */
    public void unpark(DeferredKey key) {
        Bay<E> bay = bays.remove(key);
        if (bay == null) {
            return;
        }
        missing -= bay.records.size();
        long now = meter.now();
        for (Parked<E> parked : bay.records) {
            meter.add(now - parked.sinceNanos);
            addReady(key, parked.record);
        }
    }

    /** The same for all keys of a key-group. */
    public void unparkAll(int keyGroup) {
        List<DeferredKey> keys = new ArrayList<>();
        bays.forEach(
                (key, bay) -> {
                    if (bay.keyGroup == keyGroup) {
                        keys.add(key);
                    }
                });
        keys.forEach(this::unpark);
    }

    // ------------------------------------------------------------------------
    //  Records that are ready
    // ------------------------------------------------------------------------

    public boolean hasReady() {
        return !ready.isEmpty();
    }

    /** Whether records of a key are ready, which another one must not overtake. */
    public boolean isReady(DeferredKey key) {
        return readyByKey.containsKey(key);
    }

    public void addReady(DeferredKey key, E record) {
        readySoFar++;
        ready.add(new Ready<>(key, record));
        readyByKey.merge(key, 1, Integer::sum);
    }

    /** Takes the oldest one that is ready; there must be one. */
    public E takeReady() {
        Ready<E> oldest = ready.remove();
        readyByKey.computeIfPresent(oldest.key, (key, n) -> n == 1 ? null : n - 1);
        return oldest.record;
    }

    /** How many that were ready have been taken so far. */
    public long takenSoFar() {
        return readySoFar - ready.size();
    }

    // ------------------------------------------------------------------------
    //  What has come by when
    // ------------------------------------------------------------------------

    /** Marks what waits now. */
    public Mark mark() {
        return new Mark(parkedSoFar);
    }

    /** Whether all that waited when it was marked have been taken; it may take some more. */
    public boolean isPassed(Mark mark) {
        if (!bays.isEmpty() && bays.values().iterator().next().number < mark.parked) {
            return false;
        }
        if (mark.ready < 0) {
            mark.ready = readySoFar;
        }
        return takenSoFar() >= mark.ready;
    }

    /** A moment, after which others have been parked. */
    public static final class Mark {

        /** How many records had been parked by then. */
        private final long parked;

        /** How many had become ready when all those had; -1: they have not yet. */
        private long ready = -1;

        private Mark(long parked) {
            this.parked = parked;
        }
    }

    /** Records that wait for the data of the same key. */
    private static final class Bay<E> {
        final int keyGroup;

        /** How many records had been parked before the first of these. */
        final long number;

        final List<Parked<E>> records = new ArrayList<>();

        Bay(int keyGroup, long number) {
            this.keyGroup = keyGroup;
            this.number = number;
        }
    }

    private static final class Ready<E> {
        final DeferredKey key;
        final E record;

        Ready(DeferredKey key, E record) {
            this.key = key;
            this.record = record;
        }
    }
}
