// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.KeyExtractorFunction;
import org.apache.flink.runtime.state.Keyed;
import org.apache.flink.runtime.state.PriorityComparable;
import org.apache.flink.runtime.state.RegisteredPriorityQueueStateBackendMetaInfo;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueElement;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSet;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSetFactory;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSnapshotRestoreWrapper;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.apache.flink.util.FlinkRuntimeException;
import org.apache.flink.util.StateMigrationException;

/**
 * The timer queues of a backend, on the heap, by unit. Owned by the task thread.
 *
 * @param <K> type of key
 */
@SuppressWarnings({"rawtypes", "unchecked"})
public final class UnitTimers<K> {

    private final UnitKeyContext<K> keyContext;
    private final HeapPriorityQueueSetFactory queueFactory;
    private final Map<String, HeapPriorityQueueSnapshotRestoreWrapper> queues;

    /**
     * A view of the queues of a backend.
     *
     * @param queueFactory makes the queues, with {@link TimerSet}s in them
     * @param queues the registered ones, in the order of their registration; may be changed by
     *     others
     */
    public UnitTimers(
            UnitKeyContext<K> keyContext,
            HeapPriorityQueueSetFactory queueFactory,
            Map<String, HeapPriorityQueueSnapshotRestoreWrapper> queues) {
        this.keyContext = keyContext;
        this.queueFactory = queueFactory;
        this.queues = queues;
    }

    int size() {
        return queues.size();
    }

    Set<String> names() {
        return Collections.unmodifiableSet(new LinkedHashSet<>(queues.keySet()));
    }

    @Nullable
    Object first(String queueName) {
        return queues.get(queueName).getPriorityQueue().peek();
    }

    /** Adds a timer to its queue; null if there is no such queue. */
    @Nullable
    Boolean add(String queueName, Object timer) {
        HeapPriorityQueueSnapshotRestoreWrapper queue = queues.get(queueName);
        return queue == null
                ? null
                : (Boolean) queue.getPriorityQueue().add((HeapPriorityQueueElement) timer);
    }

    // ------------------------------------------------------------------------
    //  schema
    // ------------------------------------------------------------------------

    List<StateMetaInfoSnapshot> metaInfos() {
        List<StateMetaInfoSnapshot> metaInfos = new ArrayList<>();
        queues.values().forEach(queue -> metaInfos.add(queue.getMetaInfo().snapshot()));
        return metaInfos;
    }

    /** What this backend knows of a queue; null if it does not know it. */
    @Nullable
    RegisteredPriorityQueueStateBackendMetaInfo<?> metaInfo(String queueName) {
        HeapPriorityQueueSnapshotRestoreWrapper queue = queues.get(queueName);
        return queue == null ? null : queue.getMetaInfo();
    }

    /** Makes a queue that is not known yet. */
    public <T extends HeapPriorityQueueElement & PriorityComparable<? super T> & Keyed<?>>
            HeapPriorityQueueSet<T> register(
                    RegisteredPriorityQueueStateBackendMetaInfo<?> metaInfo) {
        RegisteredPriorityQueueStateBackendMetaInfo<T> typed =
                (RegisteredPriorityQueueStateBackendMetaInfo<T>) metaInfo;
        HeapPriorityQueueSet<T> queue =
                queueFactory.create(typed.getName(), typed.getElementSerializer());
        queues.put(typed.getName(), wrapper(queue, typed));
        return queue;
    }

    /**
     * The queue of that name: the one that is known, from now on with that serializer, or a new
     * one.
     */
    public <T extends HeapPriorityQueueElement & PriorityComparable<? super T> & Keyed<?>>
            HeapPriorityQueueSet<T> registerOrUpdate(String name, TypeSerializer<T> serializer) {
        RegisteredPriorityQueueStateBackendMetaInfo<T> metaInfo =
                new RegisteredPriorityQueueStateBackendMetaInfo<>(name, serializer);
        HeapPriorityQueueSnapshotRestoreWrapper known = queues.get(name);
        if (known == null) {
            return register(metaInfo);
        }
        if (known.getMetaInfo().updateElementSerializer(serializer).isIncompatible()) {
            throw new FlinkRuntimeException(
                    new StateMigrationException(
                            "The new serializer of timers '" + name + "' is incompatible"));
        }
        HeapPriorityQueueSet<T> queue = (HeapPriorityQueueSet<T>) known.getPriorityQueue();
        queues.put(name, wrapper(queue, metaInfo));
        return queue;
    }

    private <T extends HeapPriorityQueueElement & PriorityComparable<? super T> & Keyed<?>>
            HeapPriorityQueueSnapshotRestoreWrapper<T> wrapper(
                    HeapPriorityQueueSet<T> queue,
                    RegisteredPriorityQueueStateBackendMetaInfo<T> metaInfo) {
        return new HeapPriorityQueueSnapshotRestoreWrapper<>(
                queue,
                metaInfo,
                KeyExtractorFunction.forKeyedObjects(),
                keyContext.getKeyGroupRange(),
                keyContext.getNumberOfKeyGroups());
    }

    // ------------------------------------------------------------------------
    //  units
    // ------------------------------------------------------------------------

    boolean isEmpty(int keyGroup, int subGroup) {
        for (HeapPriorityQueueSnapshotRestoreWrapper queue : queues.values()) {
            if (!timerSet(queue, keyGroup).isEmpty(subGroup)) {
                return false;
            }
        }
        return true;
    }

    long entries(int keyGroup) {
        long entries = 0;
        for (HeapPriorityQueueSnapshotRestoreWrapper queue : queues.values()) {
            entries += timerSet(queue, keyGroup).size();
        }
        return entries;
    }

    void forEach(int keyGroup, int subGroup, Consumer<Object> action) {
        for (HeapPriorityQueueSnapshotRestoreWrapper queue : queues.values()) {
            timerSet(queue, keyGroup).forEach(subGroup, action);
        }
    }

    /**
     * Writes the timers of a unit, a section per queue that has some.
     *
     * @param index of the first queue in the schema
     */
    void write(
            int index,
            int keyGroup,
            int subGroup,
            DataOutputSerializer out,
            UnitCompression compression)
            throws IOException {
        for (HeapPriorityQueueSnapshotRestoreWrapper queue : queues.values()) {
            int start = out.length();
            List<HeapPriorityQueueElement> timers = timers(queue, keyGroup, subGroup);
            if (!timers.isEmpty()) {
                TypeSerializer serializer = queue.getMetaInfo().getElementSerializer();
                out.writeShort(index);
                out.writeByte(UnitCodec.NONE.ordinal());
                out.writeInt(timers.size());
                for (HeapPriorityQueueElement timer : timers) {
                    serializer.serialize(timer, out);
                }
            }
            compression.compress(index++, out, start);
        }
    }

    void drop(int keyGroup, int subGroup) {
        for (HeapPriorityQueueSnapshotRestoreWrapper queue : queues.values()) {
            timers(queue, keyGroup, subGroup).forEach(queue.getPriorityQueue()::remove);
        }
    }

    private static TimerSet<HeapPriorityQueueElement> timerSet(
            HeapPriorityQueueSnapshotRestoreWrapper queue, int keyGroup) {
        return TimerSet.of(queue.getPriorityQueue(), keyGroup);
    }

    private static List<HeapPriorityQueueElement> timers(
            HeapPriorityQueueSnapshotRestoreWrapper queue, int keyGroup, int subGroup) {
        List<HeapPriorityQueueElement> timers = new ArrayList<>();
        timerSet(queue, keyGroup).forEach(subGroup, timers::add);
        return timers;
    }
}
