// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.sink;

import java.util.concurrent.atomic.AtomicReference;
import org.apache.flink.util.function.ThrowingRunnable;

/** Flink's HBase sinks: has the buffer of mutations, which is thread-safe, written. */
final class HBaseDrain implements SinkDrain {

    private static final String SINK = "org.apache.flink.connector.hbase.sink.HBaseSinkFunction";

    @Override
    public boolean knows(Object sink) {
        return ConnectorReflection.superclass(sink, SINK) != null;
    }

    @Override
    public ThrowingRunnable<Exception> workToDrain(Object sink) {
        // not the sink's own flush: it resets a count of what comes meanwhile
        Object mutator = ConnectorReflection.get(sink, SINK, "mutator");
        return () -> {
            ConnectorReflection.flush(mutator);
            AtomicReference<?> failure =
                    (AtomicReference<?>) ConnectorReflection.get(sink, SINK, "failureThrowable");
            ConnectorReflection.rethrow(failure.get(), "Cannot write to HBase");
        };
    }
}
