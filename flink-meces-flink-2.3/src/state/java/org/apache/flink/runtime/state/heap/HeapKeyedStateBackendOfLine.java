// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.runtime.state.heap;

import io.meces.flink.state.AccessMetrics;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.runtime.query.TaskKvStateRegistry;
import org.apache.flink.runtime.state.SnapshotExecutionType;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;

/**
 * Bridge to the constructor of {@link HeapKeyedStateBackend}, whose classes are package-private.
 */
abstract class HeapKeyedStateBackendOfLine<K> extends HeapKeyedStateBackend<K> {

    HeapKeyedStateBackendOfLine(
            TaskKvStateRegistry kvStateRegistry,
            ClassLoader userCodeClassLoader,
            ExecutionConfig executionConfig,
            TtlTimeProvider ttlTimeProvider,
            AccessMetrics metrics,
            HeapBackendAssembly<K> assembly) {
        super(
                kvStateRegistry,
                assembly.keySerializer(),
                userCodeClassLoader,
                executionConfig,
                ttlTimeProvider,
                metrics.latency(),
                metrics.size(),
                assembly.backendStreams(),
                assembly.compression(),
                assembly.states(),
                assembly.typedQueues(),
                assembly.localRecoveryConfig(),
                assembly.queueFactory(),
                assembly.snapshotStrategy(),
                SnapshotExecutionType.ASYNCHRONOUS,
                assembly.tables(),
                assembly.keyContext());
    }
}
