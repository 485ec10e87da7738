// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.state;

import java.util.Collection;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.TestLocalRecoveryConfig;
import org.apache.flink.runtime.state.UncompressedStreamCompressionDecorator;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackendBuilder;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueSetFactory;
import org.apache.flink.runtime.state.metrics.LatencyTrackingStateConfig;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;

/** How Flink's own backend on the heap is made. */
final class HeapBackends {

    private HeapBackends() {}

    static <K> HeapKeyedStateBackendBuilder<K> of(
            TypeSerializer<K> keySerializer,
            int numberOfKeyGroups,
            KeyGroupRange range,
            TtlTimeProvider time,
            Collection<KeyedStateHandle> handles) {
        return new HeapKeyedStateBackendBuilder<>(
                null,
                keySerializer,
                HeapBackends.class.getClassLoader(),
                numberOfKeyGroups,
                range,
                new ExecutionConfig(),
                time,
                LatencyTrackingStateConfig.disabled(),
                handles,
                UncompressedStreamCompressionDecorator.INSTANCE,
                TestLocalRecoveryConfig.disabled(),
                new HeapPriorityQueueSetFactory(range, numberOfKeyGroups, 128),
                true,
                new CloseableRegistry());
    }
}
