// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupStatePartitionStreamProvider;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.streaming.api.operators.InternalTimeServiceManager;
import org.apache.flink.streaming.api.operators.KeyContext;
import org.apache.flink.streaming.api.operators.StreamTaskStateInitializer;
import org.apache.flink.streaming.api.operators.StreamTaskStateInitializerImpl;
import org.apache.flink.streaming.runtime.tasks.ProcessingTimeService;

/** What restores the operators of a task, with timer services of ours. Task thread. */
final class StateInitializers {

    private StateInitializers() {}

    static StreamTaskStateInitializer of(
            Environment environment, StateBackend backend, TimerServices timers) {
        return new StreamTaskStateInitializerImpl(
                environment, backend, TtlTimeProvider.DEFAULT, new Provider(timers));
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
                CheckpointableKeyedStateBackend<K> backend,
                ClassLoader userCode,
                KeyContext operator,
                ProcessingTimeService processingTime,
                Iterable<KeyGroupStatePartitionStreamProvider> rawKeyedStates)
                throws Exception {
            return timers.create(
                    new TimerParts<>(backend, userCode, operator, processingTime, rawKeyedStates));
        }
    }
}
