// SPDX-License-Identifier: Apache-2.0
package io.meces.core.waiting;

import io.meces.core.store.DeferredKey;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import javax.annotation.Nullable;

/**
 * Records that have waited for the data of their key, which is here now, in the order in which they
 * are to be processed; and those of their keys that come meanwhile.
 *
 * <p>Owned by the task thread.
 *
 * @param <E> an element of an input
 */
public final class ReadyRecords<E> {

    private final ArrayDeque<E> records = new ArrayDeque<>();
    private final ArrayDeque<DeferredKey> keys = new ArrayDeque<>();

    /** How many records of each key there are. */
    private final Map<DeferredKey, Integer> byKey = new HashMap<>();

    private long added;

    public boolean isEmpty() {
        return records.isEmpty();
    }

    public int size() {
        return records.size();
    }

    /** Whether records of a key are here, which another one must not overtake. */
    public boolean holds(DeferredKey key) {
        return byKey.containsKey(key);
    }

    public void add(DeferredKey key, E record) {
        added++;
        records.add(record);
        keys.add(key);
        byKey.merge(key, 1, Integer::sum);
    }

    /** Takes the oldest one; null if there is none. */
    @Nullable
    public E poll() {
        if (!records.isEmpty()) {
            byKey.computeIfPresent(keys.poll(), (key, n) -> n == 1 ? null : n - 1);
        }
        return records.poll();
    }

    /** How many have been added so far. */
    public long mark() {
        return added;
    }

    /** How many have been taken so far. */
    public long taken() {
        return added - records.size();
    }

    /** Whether all that had been added by then have been taken. */
    public boolean areTaken(long mark) {
        return taken() >= mark;
    }
}
