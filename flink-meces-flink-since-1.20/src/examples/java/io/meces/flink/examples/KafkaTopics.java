// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.examples;

import java.util.Properties;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamSink;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * How example jobs read and write topics: by the connector that is left since 2.0. (On 1.20 the one
 * before does not store how far it has read when a job is stopped with a savepoint.) Pure.
 */
public final class KafkaTopics {

    private KafkaTopics() {}

    /** The records of a topic, from the first one on. */
    public static <T> SingleOutputStreamOperator<T> read(
            StreamExecutionEnvironment environment,
            String topic,
            DeserializationSchema<T> schema,
            Properties consumer,
            String name) {
        KafkaSource<T> source =
                KafkaSource.<T>builder()
                        .setTopics(topic)
                        .setProperties(consumer)
                        .setStartingOffsets(OffsetsInitializer.earliest())
                        .setValueOnlyDeserializer(schema)
                        .build();
        return environment.fromSource(source, WatermarkStrategy.noWatermarks(), name).uid(name);
    }

    /**
     * Writes records to topics.
     *
     * @param exactlyOnce in transactions that end with the next checkpoint
     */
    public static <T> DataStreamSink<T> write(
            DataStream<T> records,
            String topic,
            TopicSchema<T> schema,
            Properties producer,
            boolean exactlyOnce) {
        return records.sinkTo(
                KafkaSink.<T>builder()
                        .setBootstrapServers(producer.getProperty("bootstrap.servers"))
                        .setKafkaProducerConfig(producer)
                        .setRecordSerializer(schema)
                        .setDeliveryGuarantee(
                                exactlyOnce
                                        ? DeliveryGuarantee.EXACTLY_ONCE
                                        : DeliveryGuarantee.AT_LEAST_ONCE)
                        .setTransactionalIdPrefix(topic)
                        .build());
    }
}
