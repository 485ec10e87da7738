// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.state;

import javax.annotation.Nonnull;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.Keyed;
import org.apache.flink.runtime.state.PriorityComparable;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueElement;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSet;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSetFactory;

/** Makes Flink's timer queues and has them prepared. Task thread. */
public abstract class QueueFactory extends HeapPriorityQueueSetFactory {

    protected QueueFactory(
            KeyGroupRange keyGroupRange, int numberOfKeyGroups, int initialCapacity) {
        super(keyGroupRange, numberOfKeyGroups, initialCapacity);
    }

    @Override
    @Nonnull
    public final <T extends HeapPriorityQueueElement & PriorityComparable<? super T> & Keyed<?>>
            HeapPriorityQueueSet<T> create(
                    @Nonnull String name, @Nonnull TypeSerializer<T> elementSerializer) {
        HeapPriorityQueueSet<T> queue = super.create(name, elementSerializer);
        prepare(queue);
        return queue;
    }

    /** Called with each queue, before anything is in it. */
    protected abstract <T extends HeapPriorityQueueElement> void prepare(
            HeapPriorityQueueSet<T> queue);
}
