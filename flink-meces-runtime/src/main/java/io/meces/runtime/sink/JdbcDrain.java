// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.sink;

import java.io.Flushable;
import javax.annotation.Nullable;
import org.apache.flink.streaming.api.functions.sink.OutputFormatSinkFunction;
import org.apache.flink.util.function.ThrowingRunnable;

/** Flink's JDBC sinks, of the DataStream and of the Table API: executes the batch. */
final class JdbcDrain implements SinkDrain {

    private static final String CONNECTOR = "org.apache.flink.connector.jdbc.internal.";
    private static final String SINK = CONNECTOR + "GenericJdbcSinkFunction";
    private static final String FORMAT = CONNECTOR + "AbstractJdbcOutputFormat";
    private static final String BATCHING_FORMAT = CONNECTOR + "JdbcBatchingOutputFormat";

    @Override
    public boolean knows(Object sink) {
        return ConnectorReflection.superclass(format(sink), FORMAT) != null;
    }

    @Nullable
    private static Object format(Object sink) {
        if (sink instanceof OutputFormatSinkFunction) {
            return ((OutputFormatSinkFunction<?>) sink).getFormat();
        }
        return ConnectorReflection.superclass(sink, SINK) == null
                ? null
                : ConnectorReflection.get(sink, SINK, "outputFormat");
    }

    @Override
    @Nullable
    public ThrowingRunnable<Exception> workToDrain(Object sink) {
        Object format = format(sink);
        // zero only when the batch has been executed: the task thread is the one that adds to it
        if (ConnectorReflection.superclass(format, BATCHING_FORMAT) != null
                && (int) ConnectorReflection.get(format, BATCHING_FORMAT, "batchCount") == 0) {
            return null;
        }
        // synchronized: its own timer calls it, too
        return ((Flushable) format)::flush;
    }
}
