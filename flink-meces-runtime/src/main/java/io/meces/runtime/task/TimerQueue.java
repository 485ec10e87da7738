// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import java.util.Collection;
import java.util.Set;
import javax.annotation.Nonnull;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.util.CloseableIterator;

/**
 * A queue of timers that is made later than the service that has it. Owned by the task thread.
 *
 * @param <K> type of key
 * @param <N> type of namespace
 */
final class TimerQueue<K, N>
        implements KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<K, N>> {

    private KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<K, N>> queue;

    boolean isMade() {
        return queue != null;
    }

    void is(KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<K, N>> made) {
        queue = made;
    }

    @Override
    @Nullable
    public TimerHeapInternalTimer<K, N> poll() {
        return queue.poll();
    }

    @Override
    @Nullable
    public TimerHeapInternalTimer<K, N> peek() {
        return queue.peek();
    }

    @Override
    public boolean add(@Nonnull TimerHeapInternalTimer<K, N> timer) {
        return queue.add(timer);
    }

    @Override
    public boolean remove(@Nonnull TimerHeapInternalTimer<K, N> timer) {
        return queue.remove(timer);
    }

    @Override
    public boolean isEmpty() {
        return queue.isEmpty();
    }

    @Override
    public int size() {
        return queue.size();
    }

    @Override
    public void addAll(@Nullable Collection<? extends TimerHeapInternalTimer<K, N>> timers) {
        queue.addAll(timers);
    }

    @Override
    @Nonnull
    public CloseableIterator<TimerHeapInternalTimer<K, N>> iterator() {
        return queue.iterator();
    }

    @Override
    @Nonnull
    public Set<TimerHeapInternalTimer<K, N>> getSubsetForKeyGroup(int keyGroup) {
        return queue.getSubsetForKeyGroup(keyGroup);
    }
}
