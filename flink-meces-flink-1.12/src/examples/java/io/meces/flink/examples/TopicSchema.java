// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.examples;

import javax.annotation.Nullable;
import org.apache.flink.streaming.connectors.kafka.KafkaSerializationSchema;
import org.apache.kafka.clients.producer.ProducerRecord;

/** What a record becomes in a topic. Immutable. */
public abstract class TopicSchema<T> implements KafkaSerializationSchema<T> {
    private static final long serialVersionUID = 1L;

    protected abstract ProducerRecord<byte[], byte[]> of(T record);

    @Override
    public final ProducerRecord<byte[], byte[]> serialize(T record, @Nullable Long timestamp) {
        return of(record);
    }
}
