// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import java.lang.reflect.Field;
import java.util.HashMap;
import java.util.function.IntFunction;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueElement;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSet;

/**
 * The maps with which a {@link HeapPriorityQueueSet} finds its elements, one per key-group.
 *
 * <p>They are private, and to the queue they are {@link HashMap}s; the field is opened once, when
 * this class is initialized, and a Flink without it fails there and not at the first record.
 */
final class DeduplicationMaps {

    private static final Field FIELD = field();

    private DeduplicationMaps() {}

    /**
     * Gives an empty queue other maps, which must have what it calls: {@code putIfAbsent}, {@code
     * remove}, {@code clear} and {@code keySet}.
     *
     * @param newMap makes the map of the key-group with that index in the range of the queue
     */
    static <T extends HeapPriorityQueueElement> void replace(
            HeapPriorityQueueSet<T> queue, IntFunction<? extends HashMap<T, T>> newMap) {
        if (!queue.isEmpty()) {
            throw new IllegalArgumentException("The queue has elements already");
        }
        HashMap<?, ?>[] maps;
        try {
            maps = (HashMap<?, ?>[]) FIELD.get(queue);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("Cannot access the maps of a timer queue", e);
        }
        for (int i = 0; i < maps.length; i++) {
            maps[i] = newMap.apply(i);
        }
    }

    private static Field field() {
        try {
            Field field =
                    HeapPriorityQueueSet.class.getDeclaredField("deduplicationMapsByKeyGroup");
            if (field.getType() != HashMap[].class) {
                throw new IllegalStateException("This Flink has other maps in its timer queues");
            }
            field.setAccessible(true);
            return field;
        } catch (NoSuchFieldException e) {
            throw new IllegalStateException(
                    "This Flink has no HeapPriorityQueueSet.deduplicationMapsByKeyGroup", e);
        }
    }
}
