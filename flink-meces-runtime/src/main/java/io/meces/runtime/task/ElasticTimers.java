// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import io.meces.state.UnitStore;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorV2;
import org.apache.flink.streaming.api.operators.InternalTimeServiceManager;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.streaming.api.operators.InternalTimerServiceImpl;
import org.apache.flink.streaming.api.operators.KeyContext;
import org.apache.flink.streaming.api.operators.OperatorAccess;
import org.apache.flink.streaming.api.operators.StreamOperator;

/**
 * Keyed state and processing-time timers of an operator. Owned by the task thread.
 *
 * <p>A processing-time timer that arrives with its unit must be registered with the timer service,
 * or nothing would wake it up.
 */
final class ElasticTimers {

    private final KeyContext operator;
    @Nullable private final InternalTimeServiceManager<?> manager;

    private ElasticTimers(KeyContext operator, @Nullable InternalTimeServiceManager<?> manager) {
        this.operator = operator;
        this.manager = manager;
    }

    /** The keyed state backend of an operator; null if it has none. */
    @Nullable
    static KeyedStateBackend<?> keyedStateBackend(StreamOperator<?> operator) {
        if (operator instanceof AbstractStreamOperator) {
            return ((AbstractStreamOperator<?>) operator).getKeyedStateBackend();
        }
        return operator instanceof AbstractStreamOperatorV2
                ? ((AbstractStreamOperatorV2<?>) operator).getKeyedStateBackend()
                : null;
    }

    /**
     * @param operator one that has a keyed state backend
     */
    static ElasticTimers of(StreamOperator<?> operator) {
        return new ElasticTimers(operator, OperatorAccess.timerServices(operator));
    }

    /** When the first event-time timer is to fire; {@link Long#MAX_VALUE} if there is none. */
    static long nextEventTime(UnitStore store) {
        long next = Long.MAX_VALUE;
        for (String queue : store.timerQueues()) {
            if (queue.startsWith(OperatorAccess.EVENT_TIMERS)) {
                Object first = store.firstTimer(queue);
                if (first != null) {
                    next = Math.min(next, ((InternalTimer<?, ?>) first).getTimestamp());
                }
            }
        }
        return next;
    }

    /**
     * Registers a processing-time timer.
     *
     * @return false if it is an event-time timer or its timer service does not exist yet: then it
     *     only needs to be put into its queue
     */
    boolean schedule(String queue, Object timer) {
        if (!queue.startsWith(OperatorAccess.PROCESSING_TIMERS)) {
            return false;
        }
        InternalTimerServiceImpl<?, ?> service =
                OperatorAccess.timerService(
                        manager, queue.substring(OperatorAccess.PROCESSING_TIMERS.length()));
        if (service == null) {
            return false;
        }
        register(service, (InternalTimer<?, ?>) timer);
        return true;
    }

    @SuppressWarnings("unchecked")
    private <N> void register(InternalTimerServiceImpl<?, N> service, InternalTimer<?, ?> timer) {
        operator.setCurrentKey(timer.getKey());
        service.registerProcessingTimeTimer((N) timer.getNamespace(), timer.getTimestamp());
    }
}
