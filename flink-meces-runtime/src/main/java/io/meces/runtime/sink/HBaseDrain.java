// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.sink;

import java.util.concurrent.atomic.AtomicReference;
import org.apache.flink.util.function.ThrowingRunnable;

/** Flink's HBase sinks: has the buffer of mutations, which is thread-safe, written. */
final class HBaseDrain implements SinkDrain {

    private static final String SINK = "org.apache.flink.connector.hbase.sink.HBaseSinkFunction";

    @Override
    public boolean knows(Object sink) {
        return Hidden.superclass(sink, SINK) != null;
    }

    @Override
    public ThrowingRunnable<Exception> workToDrain(Object sink) {
        // not the sink's own flush: it resets a count of what comes meanwhile
        Object mutator = Hidden.get(sink, SINK, "mutator");
        return () -> {
            Hidden.flush(mutator);
            AtomicReference<?> failure =
                    (AtomicReference<?>) Hidden.get(sink, SINK, "failureThrowable");
            Hidden.rethrow(failure.get(), "Cannot write to HBase");
        };
    }
}
