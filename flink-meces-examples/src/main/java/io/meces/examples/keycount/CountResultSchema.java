// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.keycount;

import io.meces.flink.examples.TopicSchema;
import java.nio.ByteBuffer;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Writes {@link CountResult}s to a topic, those of a key to one partition. */
public final class CountResultSchema extends TopicSchema<CountResult> {
    private static final long serialVersionUID = 1L;

    private final String topic;

    public CountResultSchema(String topic) {
        this.topic = topic;
    }

    @Override
    protected ProducerRecord<byte[], byte[]> of(CountResult result) {
        byte[] key = ByteBuffer.allocate(Long.BYTES).putLong(result.key).array();
        return new ProducerRecord<>(topic, key, result.toBytes());
    }
}
