// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.state;

import javax.annotation.Nullable;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.runtime.query.TaskKvStateRegistry;
import org.apache.flink.runtime.state.StreamCompressionDecorator;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;

/** What a keyed backend has from its task, whatever its keys and state. An immutable value. */
public final class BackendEnvironment {

    /** Names the operator in messages. */
    public final String operator;

    @Nullable public final TaskKvStateRegistry kvStateRegistry;
    public final ClassLoader userCode;
    public final ExecutionConfig executionConfig;
    public final TtlTimeProvider ttlTime;
    public final StreamCompressionDecorator compression;
    public final AccessMetrics metrics;

    /**
     * @param kvStateRegistry null where nobody can ask for state from outside
     * @param compression of checkpoints
     * @param metrics of accesses to state
     */
    public BackendEnvironment(
            String operator,
            @Nullable TaskKvStateRegistry kvStateRegistry,
            ClassLoader userCode,
            ExecutionConfig executionConfig,
            TtlTimeProvider ttlTime,
            StreamCompressionDecorator compression,
            AccessMetrics metrics) {
        this.operator = operator;
        this.kvStateRegistry = kvStateRegistry;
        this.userCode = userCode;
        this.executionConfig = executionConfig;
        this.ttlTime = ttlTime;
        this.compression = compression;
        this.metrics = metrics;
    }

    /** That of a backend which Flink has made. */
    public static BackendEnvironment of(
            KeyedBackendParameters<?> parameters,
            StreamCompressionDecorator compression,
            AccessMetrics metrics) {
        return new BackendEnvironment(
                parameters.operatorIdentifier(),
                parameters.kvStateRegistry(),
                parameters.environment().getUserCodeClassLoader().asClassLoader(),
                parameters.environment().getExecutionConfig(),
                parameters.ttlTimeProvider(),
                compression,
                metrics);
    }
}
