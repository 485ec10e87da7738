// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import io.meces.core.store.DeferredData.Sleeper;
import io.meces.core.store.DeferredKey;
import io.meces.state.TimerInstaller;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import javax.annotation.Nullable;
import org.apache.flink.streaming.api.operators.InternalTimer;

/**
 * Timers that have come with their units and may not fire before the data of their key is here.
 * Owned by the task thread.
 */
final class SleepingTimers {

    /** With what Flink begins the names of queues with timers of event time. */
    private static final String EVENT_TIME = "_timer_state/event_";

    /** By key-group and key. */
    private final Map<Integer, Map<DeferredKey, TimersOfKey>> asleep = new HashMap<>();

    /**
     * Of each key the earliest timer, and maybe later ones that came before it. Those that were
     * woken meanwhile are still in.
     */
    private final PriorityQueue<Timer> byEventTime = new PriorityQueue<>(Timer.BY_TIME);

    private final PriorityQueue<Timer> byProcessingTime = new PriorityQueue<>(Timer.BY_TIME);

    /** A timer comes. */
    void add(int keyGroup, DeferredKey key, String queue, InternalTimer<?, ?> element) {
        Timer timer = new Timer(keyGroup, key, queue, element);
        TimersOfKey ofKey =
                asleep.computeIfAbsent(keyGroup, g -> new HashMap<>())
                        .computeIfAbsent(key, k -> new TimersOfKey());
        ofKey.all.add(timer);
        if (queue.startsWith(EVENT_TIME)) {
            ofKey.firstEvent = addIfFirst(timer, ofKey.firstEvent, byEventTime);
        } else {
            ofKey.firstProcessing = addIfFirst(timer, ofKey.firstProcessing, byProcessingTime);
        }
    }

    /** The first one of the key then. */
    private static Timer addIfFirst(
            Timer timer, @Nullable Timer first, PriorityQueue<Timer> byTime) {
        if (first != null && first.time() <= timer.time()) {
            return first;
        }
        byTime.add(timer);
        return timer;
    }

    /** The data of a key is here. */
    void wake(int keyGroup, DeferredKey key, TimerInstaller installer) {
        Map<DeferredKey, TimersOfKey> keys = asleep.get(keyGroup);
        TimersOfKey timers = keys == null ? null : keys.remove(key);
        if (timers != null) {
            wake(timers.all, installer);
        }
    }

    /**
     * The data of a key-group is here. Wakes some of its timers, all of a key or none.
     *
     * @param number so many at least, if there are as many
     * @return whether there are more
     */
    boolean wakeSome(int keyGroup, int number, TimerInstaller installer) {
        Map<DeferredKey, TimersOfKey> keys = asleep.getOrDefault(keyGroup, Collections.emptyMap());
        Iterator<TimersOfKey> all = keys.values().iterator();
        for (int woken = 0; woken < number && all.hasNext(); ) {
            List<Timer> timers = all.next().all;
            all.remove();
            wake(timers, installer);
            woken += timers.size();
        }
        if (all.hasNext()) {
            return true;
        }
        asleep.remove(keyGroup);
        return false;
    }

    private static void wake(List<Timer> timers, TimerInstaller installer) {
        for (Timer timer : timers) {
            timer.awake = true;
            installer.install(timer.queue, timer.element);
        }
    }

    /** Keys with timers of event time up to a watermark. */
    List<Sleeper> dueAt(long watermark, int limit) {
        return due(byEventTime, watermark, limit);
    }

    /** Keys with timers of processing time up to now, in ms since the epoch. */
    List<Sleeper> dueNow(long now, int limit) {
        return due(byProcessingTime, now, limit);
    }

    private static List<Sleeper> due(PriorityQueue<Timer> timers, long time, int limit) {
        Set<DeferredKey> seen = new LinkedHashSet<>();
        List<Sleeper> due = new ArrayList<>();
        List<Timer> taken = new ArrayList<>();
        while (due.size() < limit && !timers.isEmpty() && timers.peek().time() <= time) {
            Timer timer = timers.poll();
            if (timer.awake) {
                continue;
            }
            taken.add(timer);
            if (seen.add(timer.key)) {
                due.add(new Sleeper(timer.keyGroup, timer.key));
            }
        }
        // they sleep until their data is here
        timers.addAll(taken);
        return due;
    }

    private static final class TimersOfKey {

        private final List<Timer> all = new ArrayList<>(2);
        @Nullable private Timer firstEvent;
        @Nullable private Timer firstProcessing;
    }

    private static final class Timer {

        private static final Comparator<Timer> BY_TIME = Comparator.comparingLong(Timer::time);

        private final int keyGroup;
        private final DeferredKey key;
        private final String queue;
        private final InternalTimer<?, ?> element;
        private boolean awake;

        private Timer(int keyGroup, DeferredKey key, String queue, InternalTimer<?, ?> element) {
            this.keyGroup = keyGroup;
            this.key = key;
            this.queue = queue;
            this.element = element;
        }

        private long time() {
            return element.getTimestamp();
        }
    }
}
