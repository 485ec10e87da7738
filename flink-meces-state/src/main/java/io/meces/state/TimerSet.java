// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import java.util.AbstractSet;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Set;
import java.util.function.Consumer;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.Keyed;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueElement;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSet;

/**
 * The timers of one queue in one key-group, ordered by unit.
 *
 * <p>It takes the place of the {@link HashMap} with which Flink's queue finds its timers, and has
 * what that queue calls. Owned by the task thread.
 *
 * @param <T> type of timer
 */
final class TimerSet<T> extends HashMap<T, T> {

    private final transient Timers<T> timers;

    private final transient UnitKeyContext<?> keyContext;
    private final int keyGroup;

    TimerSet(UnitKeyContext<?> keyContext, int keyGroup) {
        super(0);
        this.timers = new Timers<>(keyContext.unitHash());
        this.keyContext = keyContext;
        this.keyGroup = keyGroup;
    }

    /** The timers of a queue in a key-group. */
    @SuppressWarnings("unchecked")
    static <T extends HeapPriorityQueueElement> TimerSet<T> of(
            HeapPriorityQueueSet<T> queue, int keyGroup) {
        return ((View<T>) queue.getSubsetForKeyGroup(keyGroup)).set();
    }

    /**
     * @throws IllegalStateException if the backend does not have the unit
     */
    @Override
    @Nullable
    public T putIfAbsent(T timer, T same) {
        long place = place(timer);
        int subGroup = (int) (place >>> 32);
        if (!keyContext.owns(keyGroup, subGroup)) {
            throw keyContext.notOwned(((Keyed<?>) timer).getKey());
        }
        int hash = timers.unitHash().of(place, timer.hashCode());
        int looked = 0;
        for (Timer<T> e = timers.first(subGroup, hash); e != null; e = e.next) {
            if (e.hash == hash && timer.equals(e.timer)) {
                return e.timer;
            }
            looked++;
        }
        timers.add(subGroup, new Timer<>(hash, same), looked);
        return null;
    }

    @Override
    @Nullable
    public T remove(Object timer) {
        long place = place(timer);
        Timer<T> entry = find(place, timer);
        if (entry == null) {
            return null;
        }
        timers.remove((int) (place >>> 32), entry);
        return entry.timer;
    }

    @Override
    public boolean containsKey(Object timer) {
        return find(place(timer), timer) != null;
    }

    @Override
    public void clear() {
        timers.clear();
    }

    @Override
    public int size() {
        return timers.entries();
    }

    @Override
    public boolean isEmpty() {
        return size() == 0;
    }

    @Override
    public Set<T> keySet() {
        return new View<>(this);
    }

    boolean isEmpty(int subGroup) {
        return timers.isEmpty(subGroup);
    }

    /** Visits the timers of a unit. None may be added or removed meanwhile. */
    void forEach(int subGroup, Consumer<? super T> action) {
        timers.forEach(subGroup, entry -> action.accept(entry.timer));
    }

    @Nullable
    private Timer<T> find(long place, Object timer) {
        int subGroup = (int) (place >>> 32);
        int hash = timers.unitHash().of(place, timer.hashCode());
        for (Timer<T> e = timers.first(subGroup, hash); e != null; e = e.next) {
            if (e.hash == hash && timer.equals(e.timer)) {
                return e;
            }
        }
        return null;
    }

    private long place(Object timer) {
        return timers.unitHash().place(((Keyed<?>) timer).getKey().hashCode());
    }

    private static final class Timers<T> extends UnitTable<Timer<T>> {

        Timers(UnitHash unitHash) {
            super(unitHash);
        }

        // A snapshot of a queue copies its heap, not this.
        @Override
        Timer<T> changeable(Timer<T> entry) {
            return entry;
        }
    }

    private static final class Timer<T> extends Buckets.Node<Timer<T>> {

        final T timer;

        Timer(int hash, T timer) {
            super(hash);
            this.timer = timer;
        }
    }

    /** What Flink sees of a key-group; read-only. */
    private static final class View<T> extends AbstractSet<T> {

        private final TimerSet<T> set;

        View(TimerSet<T> set) {
            this.set = set;
        }

        TimerSet<T> set() {
            return set;
        }

        @Override
        public boolean contains(Object timer) {
            return set.containsKey(timer);
        }

        @Override
        public int size() {
            return set.size();
        }

        @Override
        public Iterator<T> iterator() {
            Iterator<Timer<T>> entries = set.timers.iterator();
            return new Iterator<T>() {
                @Override
                public boolean hasNext() {
                    return entries.hasNext();
                }

                @Override
                public T next() {
                    return entries.next().timer;
                }
            };
        }
    }
}
