// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.examples;

import javax.annotation.Nullable;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.kafka.clients.producer.ProducerRecord;

/** What a record becomes in a topic. Immutable. */
public abstract class TopicSchema<T> implements KafkaRecordSerializationSchema<T> {
    private static final long serialVersionUID = 1L;

    protected abstract ProducerRecord<byte[], byte[]> of(T record);

    @Override
    public final ProducerRecord<byte[], byte[]> serialize(
            T record, KafkaSinkContext context, @Nullable Long timestamp) {
        return of(record);
    }
}
