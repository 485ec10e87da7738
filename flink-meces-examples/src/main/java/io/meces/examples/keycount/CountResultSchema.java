// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.keycount;

import java.nio.ByteBuffer;
import javax.annotation.Nullable;
import org.apache.flink.streaming.connectors.kafka.KafkaSerializationSchema;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Writes {@link CountResult}s to a topic, those of a key to one partition. */
public final class CountResultSchema implements KafkaSerializationSchema<CountResult> {
    private static final long serialVersionUID = 1L;

    private final String topic;

    public CountResultSchema(String topic) {
        this.topic = topic;
    }

    @Override
    public ProducerRecord<byte[], byte[]> serialize(CountResult result, @Nullable Long timestamp) {
        byte[] key = ByteBuffer.allocate(Long.BYTES).putLong(result.key).array();
        return new ProducerRecord<>(topic, key, result.toBytes());
    }
}
