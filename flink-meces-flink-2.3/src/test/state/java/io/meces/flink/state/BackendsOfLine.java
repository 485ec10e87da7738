// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.state;

import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
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
import org.apache.flink.runtime.state.metrics.SizeTrackingStateConfig;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;

/** What tests do with backends otherwise in this line of Flink. */
final class BackendsOfLine {

    private BackendsOfLine() {}

    static Set<String> notChangedByKryo() {
        return new HashSet<>(
                Arrays.asList(
                        "ZONE_OFFSET",
                        "OFFSET_TIME",
                        "OFFSET_DATE_TIME",
                        "ZONED_DATE_TIME",
                        "CLOCK",
                        "URL_OF_A_PAGE"));
    }

    static boolean haveStorage() {
        return false;
    }

    /** Flink's own backend on the heap. */
    static <K> HeapKeyedStateBackendBuilder<K> of(
            TypeSerializer<K> keySerializer,
            int numberOfKeyGroups,
            KeyGroupRange range,
            TtlTimeProvider time,
            Collection<KeyedStateHandle> handles) {
        return new HeapKeyedStateBackendBuilder<>(
                null,
                keySerializer,
                BackendsOfLine.class.getClassLoader(),
                numberOfKeyGroups,
                range,
                new ExecutionConfig(),
                time,
                LatencyTrackingStateConfig.disabled(),
                SizeTrackingStateConfig.disabled(),
                handles,
                UncompressedStreamCompressionDecorator.INSTANCE,
                TestLocalRecoveryConfig.disabled(),
                new HeapPriorityQueueSetFactory(range, numberOfKeyGroups, 128),
                true,
                new CloseableRegistry());
    }
}
