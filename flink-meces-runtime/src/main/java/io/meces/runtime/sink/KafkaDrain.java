// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.sink;

import java.util.Arrays;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.util.function.ThrowingRunnable;

/**
 * Flink's Kafka sink, of the DataStream and of the Table API: has its producer send all that waits,
 * and awaits the answers.
 *
 * <p>So does for exactly-once. A consumer of committed records reads a partition in the order of
 * its log, up to the first record of a transaction that is still open. Whichever of two
 * transactions is committed first, what was appended before is read before.
 */
final class KafkaDrain implements SinkDrain {

    private static final String CONNECTOR = "org.apache.flink.streaming.connectors.kafka.";
    private static final String SINK = CONNECTOR + "FlinkKafkaProducer";
    private static final String TRANSACTION = SINK + "$KafkaTransactionState";
    private static final String PRODUCER = CONNECTOR + "internals.FlinkKafkaInternalProducer";
    private static final String FIXED = CONNECTOR + "partitioner.FlinkFixedPartitioner";

    /** Schemas that choose the partition. */
    private static final List<String> PARTITIONING =
            Arrays.asList(
                    CONNECTOR + "internals.KafkaSerializationSchemaWrapper",
                    CONNECTOR + "table.DynamicKafkaSerializationSchema");

    private static final String TWO_PHASES =
            "org.apache.flink.streaming.api.functions.sink.TwoPhaseCommitSinkFunction";

    @Override
    public boolean knows(Object sink) {
        return ConnectorReflection.superclass(sink, SINK) != null;
    }

    @Override
    @Nullable
    public ThrowingRunnable<Exception> workToDrain(Object sink) throws Exception {
        Object pending = ConnectorReflection.get(sink, SINK, "pendingRecords");
        if (((Number) pending).longValue() == 0) {
            return null;
        }
        Object transaction = ConnectorReflection.call(sink, TWO_PHASES, "currentTransaction");
        Object producer = ConnectorReflection.get(transaction, TRANSACTION, "producer");
        // Kafka's own: Flink's also tells the coordinator of new partitions, which must not happen
        // while another thread sends
        Object kafka = ConnectorReflection.get(producer, PRODUCER, "kafkaProducer");
        return () -> {
            ConnectorReflection.flush(kafka);
            ConnectorReflection.rethrow(
                    ConnectorReflection.get(sink, SINK, "asyncException"),
                    "Cannot send records to Kafka");
        };
    }

    @Override
    @Nullable
    public String warning(Object sink) {
        Object partitioner = ConnectorReflection.get(sink, SINK, "flinkKafkaPartitioner");
        Object schema = ConnectorReflection.get(sink, SINK, "kafkaSchema");
        for (String partitioning : PARTITIONING) {
            if (ConnectorReflection.superclass(schema, partitioning) != null) {
                partitioner = ConnectorReflection.get(schema, partitioning, "partitioner");
            }
        }
        return warningOf(partitioner);
    }

    /** What users should know of one that chooses partitions, which may be null. */
    @Nullable
    static String warningOf(@Nullable Object partitioner) {
        return ConnectorReflection.superclass(partitioner, FIXED) == null
                ? null
                : "chooses the partition by the index of its subtask"
                        + " (FlinkFixedPartitioner, the default for records without a key). After a"
                        + " rescale results of a key that has moved go to another partition, as"
                        + " after a restart at another parallelism. Write records with keys, or"
                        + " give the sink a partitioner that goes by the key, if readers need the"
                        + " order of a key.";
    }
}
