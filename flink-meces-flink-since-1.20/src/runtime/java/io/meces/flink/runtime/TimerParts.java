// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.Collections;
import org.apache.flink.runtime.metrics.groups.TaskIOMetricGroup;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupStatePartitionStreamProvider;
import org.apache.flink.runtime.state.PriorityQueueSetFactory;
import org.apache.flink.streaming.api.operators.InternalTimeServiceManagerImpl;
import org.apache.flink.streaming.api.operators.KeyContext;
import org.apache.flink.streaming.runtime.tasks.ProcessingTimeService;
import org.apache.flink.streaming.runtime.tasks.StreamTaskCancellationContext;

/**
 * Of what the timer services of an operator are made. Immutable.
 *
 * @param <K> type of key
 */
public final class TimerParts<K> {

    public final TaskIOMetricGroup metrics;
    public final PriorityQueueSetFactory queues;
    public final KeyGroupRange keyGroups;
    public final ClassLoader userCode;
    public final KeyContext operator;
    public final ProcessingTimeService processingTime;
    public final Iterable<KeyGroupStatePartitionStreamProvider> rawKeyedStates;
    public final StreamTaskCancellationContext cancellation;

    public TimerParts(
            TaskIOMetricGroup metrics,
            PriorityQueueSetFactory queues,
            KeyGroupRange keyGroups,
            ClassLoader userCode,
            KeyContext operator,
            ProcessingTimeService processingTime,
            Iterable<KeyGroupStatePartitionStreamProvider> rawKeyedStates,
            StreamTaskCancellationContext cancellation) {
        this.metrics = metrics;
        this.queues = queues;
        this.keyGroups = keyGroups;
        this.userCode = userCode;
        this.operator = operator;
        this.processingTime = processingTime;
        this.rawKeyedStates = rawKeyedStates;
        this.cancellation = cancellation;
    }

    /** Flink's own, with the timers that are restored. */
    public InternalTimeServiceManagerImpl<K> manager() throws Exception {
        return TimerManagers.create(this, rawKeyedStates);
    }

    /** Flink's own, before timers are restored. */
    public InternalTimeServiceManagerImpl<K> emptyManager() throws Exception {
        return TimerManagers.create(this, Collections.emptyList());
    }
}
