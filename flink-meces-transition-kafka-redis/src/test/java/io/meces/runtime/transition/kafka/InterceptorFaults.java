// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition.kafka;

import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;

/** Has Kafka's clients throw an {@link Error} in the threads that use them. Thread-safe. */
public final class InterceptorFaults
        implements ConsumerInterceptor<byte[], byte[]>, ProducerInterceptor<byte[], byte[]> {

    /** How many polls that bring something are still to fail. */
    static final AtomicInteger POLLS = new AtomicInteger();

    /** How many sends are still to fail. */
    static final AtomicInteger SENDS = new AtomicInteger();

    private static void maybeThrow(AtomicInteger left) {
        if (left.getAndUpdate(number -> Math.max(0, number - 1)) > 0) {
            throw new NoClassDefFoundError("injected/Fault");
        }
    }

    @Override
    public ConsumerRecords<byte[], byte[]> onConsume(ConsumerRecords<byte[], byte[]> records) {
        if (!records.isEmpty()) {
            maybeThrow(POLLS);
        }
        return records;
    }

    @Override
    public ProducerRecord<byte[], byte[]> onSend(ProducerRecord<byte[], byte[]> record) {
        maybeThrow(SENDS);
        return record;
    }

    @Override
    public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {}

    @Override
    public void onAcknowledgement(RecordMetadata metadata, Exception exception) {}

    @Override
    public void configure(Map<String, ?> configs) {}

    @Override
    public void close() {}
}
