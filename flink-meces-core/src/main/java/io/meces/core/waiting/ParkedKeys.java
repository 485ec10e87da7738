// SPDX-License-Identifier: Apache-2.0
package io.meces.core.waiting;

import io.meces.core.store.DeferredKey;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;

/**
 * Records that wait for the data of their key, by key; the one that has waited for longest comes
 * first.
 *
 * <p>Owned by the task thread.
 *
 * @param <E> an element of an input
 */
public final class ParkedKeys<E> {

    private final WaitMeter meter;
    private final LinkedHashMap<DeferredKey, Parked<E>> parked = new LinkedHashMap<>();
    private int size;

    /** Counts the records that are parked. */
    private long clock;

    public ParkedKeys(WaitMeter meter) {
        this.meter = meter;
    }

    public boolean isEmpty() {
        return parked.isEmpty();
    }

    /** How many records wait. */
    public int size() {
        return size;
    }

    /** Whether records of a key wait. */
    public boolean holds(DeferredKey key) {
        return parked.containsKey(key);
    }

    public void park(int keyGroup, DeferredKey key, E record) {
        Parked<E> waiting = parked.computeIfAbsent(key, k -> new Parked<>(keyGroup, clock));
        clock++;
        size++;
        waiting.records.add(record);
        waiting.since.add(meter.now());
    }

    /** Takes the records of a key, in the order in which they came. */
    public List<E> take(DeferredKey key) {
        Parked<E> waiting = parked.remove(key);
        if (waiting == null) {
            return new ArrayList<>();
        }
        size -= waiting.records.size();
        long now = meter.now();
        waiting.since.forEach(since -> meter.add(now - since));
        return waiting.records;
    }

    /** The keys of a key-group for which records wait. */
    public List<DeferredKey> keysOf(int keyGroup) {
        List<DeferredKey> keys = new ArrayList<>();
        parked.forEach(
                (key, waiting) -> {
                    if (waiting.keyGroup == keyGroup) {
                        keys.add(key);
                    }
                });
        return keys;
    }

    /** How many records have been parked so far. */
    public long mark() {
        return clock;
    }

    /** Whether all that had been parked by then have been taken, or those before them of a key. */
    public boolean areTaken(long mark) {
        return parked.isEmpty() || parked.values().iterator().next().number >= mark;
    }

    private static final class Parked<E> {
        final int keyGroup;

        /** How many records had been parked before the first of these. */
        final long number;

        final List<E> records = new ArrayList<>();
        final ArrayDeque<Long> since = new ArrayDeque<>();

        Parked(int keyGroup, long number) {
            this.keyGroup = keyGroup;
            this.number = number;
        }
    }
}
