/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package org.apache.flink.runtime.state.heap;

import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.runtime.query.TaskKvStateRegistry;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;

/**
 * Bridge to the constructor of {@link HeapKeyedStateBackend}, which takes the package-private
 * snapshot strategy.
 */
public abstract class AssembledHeapKeyedStateBackend<K> extends HeapKeyedStateBackend<K> {

    /** A backend over the tables and queues of the assembly. */
    protected AssembledHeapKeyedStateBackend(
            TaskKvStateRegistry kvStateRegistry,
            ClassLoader userCodeClassLoader,
            ExecutionConfig executionConfig,
            TtlTimeProvider ttlTimeProvider,
            HeapBackendAssembly<K> assembly) {
        super(
                kvStateRegistry,
                assembly.keySerializer(),
                userCodeClassLoader,
                executionConfig,
                ttlTimeProvider,
                assembly.backendStreams(),
                assembly.compression(),
                assembly.states(),
                assembly.queues(),
                assembly.localRecoveryConfig(),
                assembly.queueFactory(),
                assembly.snapshotStrategy(),
                assembly.keyContext());
    }
}
