// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.sink;

import io.meces.flink.runtime.SinkOperators;
import javax.annotation.Nullable;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;

/**
 * The {@code KafkaSink} of the API V2, which always has a committer and state of its writers. At
 * least once, it commits nothing, its state says nothing, and it awaits the answers to all it has
 * sent when it is flushed: so that is enough before keys move.
 *
 * <p>With other guarantees it is not. With none a flush awaits nothing. Exactly once, a subtask
 * that is activated would name its transactions as one that has left, and would begin with one for
 * each checkpoint of the job so far.
 */
public final class KafkaWriters {

    /** In the jar of the job. */
    private static final String SINK = "org.apache.flink.connector.kafka.sink.KafkaSink";

    private static final String SCHEMA =
            "org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchemaBuilder"
                    + "$KafkaRecordSerializationSchemaWrapper";

    private KafkaWriters() {}

    /** Whether it makes the writer or the committer of such a sink, whatever it guarantees. */
    @Nullable
    private static Object sink(StreamOperatorFactory<?> factory) {
        if (!SinkOperators.isWriter(factory) && !SinkOperators.isCommitter(factory)) {
            return null;
        }
        Object sink =
                ConnectorReflection.get(factory, SinkOperators.classWithSink(factory), "sink");
        return ConnectorReflection.superclass(sink, SINK) == null ? null : sink;
    }

    /** Whether it makes the writer or the committer of one that has all outside when flushed. */
    public static boolean areFlushedBy(StreamOperatorFactory<?> factory) {
        return "AT_LEAST_ONCE".equals(guarantee(factory));
    }

    /** What the sink guarantees, of which it makes the writer or committer; null: of none. */
    @Nullable
    public static String guarantee(StreamOperatorFactory<?> factory) {
        Object sink = sink(factory);
        return sink == null
                ? null
                : ((Enum<?>) ConnectorReflection.get(sink, SINK, "deliveryGuarantee")).name();
    }

    /** What users should know, as {@link SinkDrain#warning}; null: nothing. */
    @Nullable
    public static String warning(StreamOperatorFactory<?> factory) {
        Object sink = SinkOperators.isWriter(factory) ? sink(factory) : null;
        if (sink == null) {
            return null;
        }
        Object schema = ConnectorReflection.get(sink, SINK, "recordSerializer");
        return ConnectorReflection.superclass(schema, SCHEMA) == null
                ? null
                : KafkaDrain.warningOf(ConnectorReflection.get(schema, SCHEMA, "partitioner"));
    }
}
