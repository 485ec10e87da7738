// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.runtime.state.heap;

import io.meces.flink.state.BackendEnvironment;
import org.apache.flink.runtime.state.SnapshotExecutionType;

/**
 * Bridge to the constructor of {@link HeapKeyedStateBackend}, whose classes are package-private.
 */
abstract class HeapKeyedStateBackendOfLine<K> extends HeapKeyedStateBackend<K> {

    HeapKeyedStateBackendOfLine(BackendEnvironment environment, HeapBackendAssembly<K> assembly) {
        super(
                environment.kvStateRegistry,
                assembly.keySerializer(),
                environment.userCode,
                environment.executionConfig,
                environment.ttlTime,
                environment.metrics.latency(),
                environment.metrics.size(),
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
