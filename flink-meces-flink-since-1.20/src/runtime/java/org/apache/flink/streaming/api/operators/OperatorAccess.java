// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.streaming.api.operators;

import io.meces.flink.runtime.TimerParts;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;

/** Bridge: what operators and their timer services keep to themselves. */
public final class OperatorAccess {

    /** What the names of the queues of event-time timers begin with. */
    public static final String EVENT_TIMERS = InternalTimeServiceManagerImpl.EVENT_TIMER_PREFIX;

    /** What the names of the queues of processing-time timers begin with. */
    public static final String PROCESSING_TIMERS =
            InternalTimeServiceManagerImpl.PROCESSING_TIMER_PREFIX;

    private OperatorAccess() {}

    /** Whether an operator writes raw keyed state of its own, besides Flink's timers. */
    public static boolean usesRawKeyedState(StreamOperator<?> operator) {
        if (operator instanceof AbstractStreamOperator) {
            return ((AbstractStreamOperator<?>) operator).isUsingCustomRawKeyedState();
        }
        return operator instanceof AbstractStreamOperatorV2
                && ((AbstractStreamOperatorV2<?>) operator).isUsingCustomRawKeyedState();
    }

    /** The timer services of an operator; null if it has none. */
    @Nullable
    public static InternalTimeServiceManager<?> timerServices(StreamOperator<?> operator) {
        return operator instanceof AbstractStreamOperator
                ? ((AbstractStreamOperator<?>) operator).getTimeServiceManager().orElse(null)
                : ((AbstractStreamOperatorV2<?>) operator).getTimeServiceManager().orElse(null);
    }

    /** The timer service of that name; null if it does not exist (yet). */
    @Nullable
    public static InternalTimerServiceImpl<?, ?> timerService(
            @Nullable InternalTimeServiceManager<?> services, String name) {
        if (!(services instanceof InternalTimeServiceManagerImpl)) {
            return null;
        }
        Map<String, ? extends InternalTimerServiceImpl<?, ?>> registered =
                ((InternalTimeServiceManagerImpl<?>) services).getRegisteredTimerServices();
        // to get one may make it
        return registered.containsKey(name) ? registered.get(name) : null;
    }

    /**
     * Flink's timer service, to be extended.
     *
     * @param <K> type of key
     * @param <N> type of namespace
     */
    public abstract static class TimerService<K, N> extends InternalTimerServiceImpl<K, N> {

        protected TimerService(
                TimerParts<K> parts,
                KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<K, N>> processingTimers,
                KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<K, N>> eventTimers) {
            super(
                    parts.metrics,
                    parts.keyGroups,
                    parts.operator,
                    parts.processingTime,
                    processingTimers,
                    eventTimers,
                    parts.cancellation);
        }
    }
}
