// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.runtime.checkpoint.SubTaskInitializationMetricsBuilder;
import org.apache.flink.runtime.metrics.groups.TaskIOMetricGroup;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupStatePartitionStreamProvider;
import org.apache.flink.runtime.state.PriorityQueueSetFactory;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.streaming.api.operators.InternalTimeServiceManager;
import org.apache.flink.streaming.api.operators.KeyContext;
import org.apache.flink.streaming.api.operators.StreamTaskStateInitializer;
import org.apache.flink.streaming.api.operators.StreamTaskStateInitializerImpl;
import org.apache.flink.streaming.runtime.tasks.ProcessingTimeService;
import org.apache.flink.streaming.runtime.tasks.StreamTask;
import org.apache.flink.streaming.runtime.tasks.StreamTaskCancellationContext;

/** What restores the operators of a task, with timer services of ours. Task thread. */
final class StateInitializers {

    private StateInitializers() {}

    static StreamTaskStateInitializer of(
            StreamTask<?, ?> task,
            StateBackend backend,
            SubTaskInitializationMetricsBuilder metrics,
            TimerServices timers) {
        return new StreamTaskStateInitializerImpl(
                task.getEnvironment(),
                backend,
                metrics,
                TtlTimeProvider.DEFAULT,
                new Provider(timers),
                task::isCanceled);
    }

    /** Flink never serializes it. */
    private static final class Provider implements InternalTimeServiceManager.Provider {
        private static final long serialVersionUID = 1L;

        private final transient TimerServices timers;

        Provider(TimerServices timers) {
            this.timers = timers;
        }

        @Override
        public <K> InternalTimeServiceManager<K> create(
                TaskIOMetricGroup metrics,
                PriorityQueueSetFactory queues,
                KeyGroupRange keyGroups,
                ClassLoader userCode,
                KeyContext operator,
                ProcessingTimeService processingTime,
                Iterable<KeyGroupStatePartitionStreamProvider> rawKeyedStates,
                StreamTaskCancellationContext cancellation)
                throws Exception {
            return timers.create(
                    new TimerParts<>(
                            metrics,
                            queues,
                            keyGroups,
                            userCode,
                            operator,
                            processingTime,
                            rawKeyedStates,
                            cancellation));
        }
    }
}
