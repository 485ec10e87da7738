// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.nexmark;

import javax.annotation.Nullable;
import org.apache.flink.streaming.connectors.kafka.KafkaSerializationSchema;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Writes {@link Result}s to a topic. */
final class ResultSchema implements KafkaSerializationSchema<Result> {
    private static final long serialVersionUID = 1L;

    private final String topic;

    ResultSchema(String topic) {
        this.topic = topic;
    }

    @Override
    public ProducerRecord<byte[], byte[]> serialize(Result result, @Nullable Long timestamp) {
        return new ProducerRecord<>(topic, result.toBytes());
    }
}
