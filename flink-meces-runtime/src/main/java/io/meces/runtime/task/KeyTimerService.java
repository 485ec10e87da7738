// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import io.meces.flink.runtime.TimerParts;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.PriorityQueueSetFactory;
import org.apache.flink.streaming.api.operators.InternalTimersSnapshot;
import org.apache.flink.streaming.api.operators.OperatorAccess;
import org.apache.flink.streaming.api.operators.TimerSerializer;
import org.apache.flink.streaming.api.operators.Triggerable;

/**
 * Flink's timer service, whose watermark is that of the current key. Owned by the task thread.
 *
 * <p>Flink's manager of services makes the queues before the service. This one is there first, so
 * it makes them when the serializers are known.
 *
 * @param <K> type of key
 * @param <N> type of namespace
 */
final class KeyTimerService<K, N> extends OperatorAccess.TimerService<K, N> {

    private final String name;
    private final PriorityQueueSetFactory queues;
    private final KeyTimerServices.Port port;
    private final TimerQueue<K, N> processingTimers;
    private final TimerQueue<K, N> eventTimers;

    KeyTimerService(String name, TimerParts<K> parts, KeyTimerServices.Port port) {
        this(name, parts, port, new TimerQueue<>(), new TimerQueue<>());
    }

    private KeyTimerService(
            String name,
            TimerParts<K> parts,
            KeyTimerServices.Port port,
            TimerQueue<K, N> processingTimers,
            TimerQueue<K, N> eventTimers) {
        super(parts, processingTimers, eventTimers);
        this.name = name;
        this.queues = parts.queues;
        this.port = port;
        this.processingTimers = processingTimers;
        this.eventTimers = eventTimers;
    }

    @Override
    public long currentWatermark() {
        long watermark = super.currentWatermark();
        return port.isWatermarkForAll() ? watermark : Math.max(watermark, port.timeOfKey());
    }

    @Override
    public void advanceWatermark(long time) throws Exception {
        port.onWatermark(time);
        super.advanceWatermark(time);
    }

    @Override
    public void startTimerService(
            TypeSerializer<K> keySerializer,
            TypeSerializer<N> namespaceSerializer,
            Triggerable<K, N> triggerTarget) {
        makeQueues(keySerializer, namespaceSerializer);
        super.startTimerService(keySerializer, namespaceSerializer, triggerTarget);
    }

    @Override
    @SuppressWarnings("unchecked")
    public void restoreTimersForKeyGroup(InternalTimersSnapshot<?, ?> restored, int keyGroup) {
        makeQueues(
                (TypeSerializer<K>) restored.getKeySerializerSnapshot().restoreSerializer(),
                (TypeSerializer<N>) restored.getNamespaceSerializerSnapshot().restoreSerializer());
        super.restoreTimersForKeyGroup(restored, keyGroup);
    }

    private void makeQueues(TypeSerializer<K> keys, TypeSerializer<N> namespaces) {
        if (!eventTimers.isMade()) {
            TimerSerializer<K, N> serializer = new TimerSerializer<>(keys, namespaces);
            processingTimers.is(queues.create(OperatorAccess.PROCESSING_TIMERS + name, serializer));
            eventTimers.is(queues.create(OperatorAccess.EVENT_TIMERS + name, serializer));
        }
    }
}
