// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.runtime.state.KeyGroupStatePartitionStreamProvider;
import org.apache.flink.streaming.api.operators.InternalTimeServiceManagerImpl;

/** Makes Flink's timer services. Task thread. */
final class TimerManagers {

    private TimerManagers() {}

    static <K> InternalTimeServiceManagerImpl<K> create(
            TimerParts<K> parts, Iterable<KeyGroupStatePartitionStreamProvider> restored)
            throws Exception {
        return InternalTimeServiceManagerImpl.create(
                parts.metrics,
                parts.queues,
                parts.keyGroups,
                parts.userCode,
                parts.operator,
                parts.processingTime,
                restored,
                parts.cancellation);
    }
}
