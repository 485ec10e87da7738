/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

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
