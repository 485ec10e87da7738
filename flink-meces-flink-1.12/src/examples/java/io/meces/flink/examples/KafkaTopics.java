// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.examples;

import java.util.Properties;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamSink;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.connectors.kafka.FlinkKafkaConsumer;
import org.apache.flink.streaming.connectors.kafka.FlinkKafkaProducer;

/** How example jobs read and write topics: by the connector that was there first. Pure. */
public final class KafkaTopics {

    private KafkaTopics() {}

    /** The records of a topic, from the first one on. */
    public static <T> SingleOutputStreamOperator<T> read(
            StreamExecutionEnvironment environment,
            String topic,
            DeserializationSchema<T> schema,
            Properties consumer,
            String name) {
        FlinkKafkaConsumer<T> source = new FlinkKafkaConsumer<>(topic, schema, consumer);
        source.setStartFromEarliest();
        return environment.addSource(source).name(name).uid(name);
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
        return records.addSink(
                new FlinkKafkaProducer<>(
                        topic,
                        schema,
                        producer,
                        exactlyOnce
                                ? FlinkKafkaProducer.Semantic.EXACTLY_ONCE
                                : FlinkKafkaProducer.Semantic.AT_LEAST_ONCE));
    }
}
