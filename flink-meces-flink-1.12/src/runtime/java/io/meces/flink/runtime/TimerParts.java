// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.Collections;
import org.apache.flink.runtime.state.CheckpointableKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupStatePartitionStreamProvider;
import org.apache.flink.streaming.api.operators.InternalTimeServiceManagerImpl;
import org.apache.flink.streaming.api.operators.KeyContext;
import org.apache.flink.streaming.runtime.tasks.ProcessingTimeService;

/**
 * Of what the timer services of an operator are made. Immutable.
 *
 * @param <K> type of key
 */
public final class TimerParts<K> {

    public final CheckpointableKeyedStateBackend<K> queues;
    public final ClassLoader userCode;
    public final KeyContext operator;
    public final ProcessingTimeService processingTime;
    public final Iterable<KeyGroupStatePartitionStreamProvider> rawKeyedStates;

    public TimerParts(
            CheckpointableKeyedStateBackend<K> queues,
            ClassLoader userCode,
            KeyContext operator,
            ProcessingTimeService processingTime,
            Iterable<KeyGroupStatePartitionStreamProvider> rawKeyedStates) {
        this.queues = queues;
        this.userCode = userCode;
        this.operator = operator;
        this.processingTime = processingTime;
        this.rawKeyedStates = rawKeyedStates;
    }

    /** Flink's own, with the timers that are restored. */
    public InternalTimeServiceManagerImpl<K> manager() throws Exception {
        return manager(rawKeyedStates);
    }

    /** Flink's own, before timers are restored. */
    public InternalTimeServiceManagerImpl<K> emptyManager() throws Exception {
        return manager(Collections.emptyList());
    }

    private InternalTimeServiceManagerImpl<K> manager(
            Iterable<KeyGroupStatePartitionStreamProvider> restored) throws Exception {
        return InternalTimeServiceManagerImpl.create(
                queues, userCode, operator, processingTime, restored);
    }
}
