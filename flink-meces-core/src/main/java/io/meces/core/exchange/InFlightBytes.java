// SPDX-License-Identifier: Apache-2.0
package io.meces.core.exchange;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/**
 * Bytes of units that the tasks of a TaskManager have sent and that are not confirmed. A full one
 * holds back what is migrated in the background, never what a record waits for. Thread-safe.
 */
public final class InFlightBytes {

    private final long limit;
    private final LongConsumer onChange;
    private final AtomicLong bytes = new AtomicLong();
    private final Set<Runnable> waiting = ConcurrentHashMap.newKeySet();

    /**
     * @param limit bytes, one at least, from which on nothing more is sent in the background
     * @param onChange told by how much they have changed
     */
    public InFlightBytes(long limit, LongConsumer onChange) {
        this.limit = Math.max(1, limit);
        this.onChange = onChange;
    }

    /** Whether more may be sent in the background. */
    public boolean hasRoom() {
        return bytes.get() < limit;
    }

    public void add(long more) {
        bytes.addAndGet(more);
        onChange.accept(more);
    }

    /** Also wakes those who wait for room, if there is some now. */
    public void remove(long fewer) {
        long left = bytes.addAndGet(-fewer);
        onChange.accept(-fewer);
        if (left < limit) {
            for (Runnable wakeUp : waiting) {
                if (waiting.remove(wakeUp)) {
                    wakeUp.run();
                }
            }
        }
    }

    /**
     * Has the action run once when there is room, soon if there is room already.
     *
     * @param wakeUp must not block; run by any thread
     */
    public void whenRoom(Runnable wakeUp) {
        waiting.add(wakeUp);
        if (hasRoom() && waiting.remove(wakeUp)) {
            wakeUp.run();
        }
    }

    /** Takes back {@link #whenRoom}. */
    public void forget(Runnable wakeUp) {
        waiting.remove(wakeUp);
    }
}
