// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import io.meces.flink.state.QueueFactory;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueElement;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSet;

/** Makes Flink's timer queues with {@link TimerSet}s in them. Task thread. */
public final class UnitQueueFactory extends QueueFactory {

    /** Initial capacity of a timer queue; the one that Flink's backends use. */
    private static final int CAPACITY = 128;

    private final UnitKeyContext<?> keyContext;

    public UnitQueueFactory(UnitKeyContext<?> keyContext) {
        super(keyContext.getKeyGroupRange(), keyContext.getNumberOfKeyGroups(), CAPACITY);
        this.keyContext = keyContext;
    }

    @Override
    protected <T extends HeapPriorityQueueElement> void prepare(HeapPriorityQueueSet<T> queue) {
        int firstKeyGroup = keyContext.getKeyGroupRange().getStartKeyGroup();
        DeduplicationMaps.replace(
                queue, index -> new TimerSet<>(keyContext, firstKeyGroup + index));
    }
}
