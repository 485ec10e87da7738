// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.nexmark;

import io.meces.examples.keycount.KafkaArguments;
import java.util.Locale;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.restartstrategy.RestartStrategies;
import org.apache.flink.api.java.utils.ParameterTool;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.connectors.kafka.FlinkKafkaConsumer;
import org.apache.flink.streaming.connectors.kafka.FlinkKafkaProducer;

/**
 * Runs a query of NEXMark, from a topic of {@link Event}s to one of {@link Result}s. A plain job of
 * Flink: nothing in it knows of flink-meces.
 *
 * <p>Arguments: {@code --query} (Q1 to Q8), {@code --bootstrap-servers}, {@code --input}, {@code
 * --output}; optional {@code --window} and {@code --slide} (ms; those of the query), {@code
 * --parallelism} (2), {@code --keyed-parallelism} (that of all; of all but the source and its
 * filters only), {@code --max-parallelism} (128), {@code --checkpoint-interval} (5000 ms), {@code
 * --watermark-interval} (50 ms) and {@code --buffer-timeout} (100 ms). How many markers there are
 * is a matter of the events: {@link NexmarkLoad}.
 */
public final class NexmarkJob {

    private NexmarkJob() {}

    /** Builds the job and submits it to the environment that Flink provides. */
    public static void main(String[] args) throws Exception {
        ParameterTool parameters = ParameterTool.fromArgs(args);
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        NexmarkQuery query = build(env, parameters);
        env.execute("nexmark-" + query);
    }

    /** Adds the job to an environment. */
    static NexmarkQuery build(StreamExecutionEnvironment env, ParameterTool parameters) {
        NexmarkQuery query =
                NexmarkQuery.valueOf(parameters.getRequired("query").toUpperCase(Locale.ROOT));
        env.setParallelism(parameters.getInt("parallelism", 2));
        env.setMaxParallelism(parameters.getInt("max-parallelism", 128));
        env.enableCheckpointing(parameters.getLong("checkpoint-interval", 5_000L));
        env.setBufferTimeout(parameters.getLong("buffer-timeout", 100L));
        env.getConfig().setAutoWatermarkInterval(parameters.getLong("watermark-interval", 50L));
        env.setRestartStrategy(RestartStrategies.fixedDelayRestart(3, 1_000L));

        FlinkKafkaConsumer<Event> source =
                new FlinkKafkaConsumer<>(
                        parameters.getRequired("input"),
                        new EventSchema(),
                        KafkaArguments.consumer(parameters, "nexmark"));
        source.setStartFromEarliest();
        source.assignTimestampsAndWatermarks(
                WatermarkStrategy.<Event>forMonotonousTimestamps()
                        .withTimestampAssigner((event, inKafka) -> event.time()));
        DataStream<Event> events = env.addSource(source).name("events").uid("events");
        env.setParallelism(parameters.getInt("keyed-parallelism", env.getParallelism()));

        String output = parameters.getRequired("output");
        Queries.add(query, events, windows(query, parameters))
                .addSink(
                        new FlinkKafkaProducer<>(
                                output,
                                new ResultSchema(output),
                                KafkaArguments.producer(parameters),
                                FlinkKafkaProducer.Semantic.AT_LEAST_ONCE))
                .name("results")
                .uid("results");
        return query;
    }

    private static WindowLengths windows(NexmarkQuery query, ParameterTool parameters) {
        WindowLengths defaults = query.windows();
        return defaults.with(
                parameters.getLong("window", defaults.sizeMillis),
                parameters.getLong("slide", defaults.slideMillis));
    }
}
