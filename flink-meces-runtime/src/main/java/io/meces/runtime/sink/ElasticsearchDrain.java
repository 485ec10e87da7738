// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.sink;

import java.util.concurrent.atomic.AtomicReference;
import org.apache.flink.util.function.ThrowingRunnable;

/**
 * Flink's Elasticsearch sinks: sends the bulk request.
 *
 * <p>The sink has its bulk processor send one request at a time, in the thread that adds or
 * flushes, under a lock where that is a timer. So whoever flushes has also awaited a request that
 * was on its way.
 */
final class ElasticsearchDrain implements SinkDrain {

    private static final String SINK =
            "org.apache.flink.streaming.connectors.elasticsearch.ElasticsearchSinkBase";

    @Override
    public boolean knows(Object sink) {
        return ConnectorReflection.superclass(sink, SINK) != null;
    }

    @Override
    public ThrowingRunnable<Exception> workToDrain(Object sink) {
        Object bulk = ConnectorReflection.get(sink, SINK, "bulkProcessor");
        return () -> {
            ConnectorReflection.flush(bulk);
            AtomicReference<?> failure =
                    (AtomicReference<?>) ConnectorReflection.get(sink, SINK, "failureThrowable");
            ConnectorReflection.rethrow(failure.get(), "Cannot send requests to Elasticsearch");
        };
    }
}
