// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.keycount;

import io.meces.flink.examples.ExampleJobs;
import io.meces.flink.examples.KafkaTopics;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.utils.ParameterTool;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Counts records per key, from a topic to a topic. A plain job of Flink: nothing in it knows of
 * flink-meces.
 *
 * <p>Arguments: {@code --bootstrap-servers}, {@code --input}, {@code --output}; optional {@code
 * --parallelism} (2), {@code --stages} (1; with 2 another keyed vertex checks that the counts of
 * each key rise), {@code --max-parallelism} (128), {@code --checkpoint-interval} (5000 ms), {@code
 * --work-micros} (0; least time per record, in the last stage), {@code --work-from} (0; ordinal of
 * the first record that takes so long), {@code --payload} (0; bytes of state that each key has
 * besides), {@code --keyed-parallelism} (that of all; of the counter and the sink only), {@code
 * --buffer-timeout} (100 ms), {@code --key-type} (long or string), {@code --semantic} of the sink
 * (at-least-once or exactly-once), {@code --transaction-timeout} (600000 ms) and {@code
 * --restart-attempts} (3).
 */
public final class KeyCountJob {

    /** How the name of the vertex that counts begins; Flink appends what is chained to it. */
    public static final String COUNTER = "count";

    /** As {@link #COUNTER}, for the vertex of the second stage. */
    public static final String CHECKER = "check";

    private KeyCountJob() {}

    /** Builds the job and submits it to the environment that Flink provides. */
    public static void main(String[] args) throws Exception {
        ParameterTool parameters = ParameterTool.fromArgs(args);
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(parameters.getInt("parallelism", 2));
        env.setMaxParallelism(parameters.getInt("max-parallelism", 128));
        env.enableCheckpointing(parameters.getLong("checkpoint-interval", 5_000L));
        env.setBufferTimeout(parameters.getLong("buffer-timeout", 100L));
        ExampleJobs.restart(env, parameters.getInt("restart-attempts", 3));

        DataStream<Event> events =
                KafkaTopics.read(
                        env,
                        parameters.getRequired("input"),
                        new EventSchema(),
                        KafkaArguments.consumer(parameters, "key-count"),
                        "events");

        int keyed = parameters.getInt("keyed-parallelism", env.getParallelism());
        String output = parameters.getRequired("output");
        SingleOutputStreamOperator<CountResult> counts =
                count(events, parameters).setParallelism(keyed).name(COUNTER).uid(COUNTER);
        KafkaTopics.write(
                        hasSecondStage(parameters) ? check(counts, parameters, keyed) : counts,
                        output,
                        new CountResultSchema(output),
                        KafkaArguments.producer(parameters),
                        isExactlyOnce(parameters))
                .setParallelism(keyed)
                .name("results")
                .uid("results");
        env.execute("key-count");
    }

    private static boolean hasSecondStage(ParameterTool parameters) {
        return parameters.getInt("stages", 1) == 2;
    }

    private static SingleOutputStreamOperator<CountResult> check(
            DataStream<CountResult> counts, ParameterTool parameters, int parallelism) {
        return counts.keyBy(result -> result.key, Types.LONG)
                .process(new CountChecker(parameters.getLong("work-micros", 0L)))
                .setParallelism(parallelism)
                .name(CHECKER)
                .uid(CHECKER);
    }

    private static SingleOutputStreamOperator<CountResult> count(
            DataStream<Event> events, ParameterTool parameters) {
        long workMicros = hasSecondStage(parameters) ? 0L : parameters.getLong("work-micros", 0L);
        long workFrom = parameters.getLong("work-from", 0L);
        int payload = parameters.getInt("payload", 0);
        String keyType = parameters.get("key-type", "long");
        switch (keyType) {
            case "long":
                return events.keyBy(event -> event.key, Types.LONG)
                        .process(new KeyCounter<Long>(workMicros, workFrom, payload));
            case "string":
                return events.keyBy(event -> "key-" + event.key, Types.STRING)
                        .process(new KeyCounter<String>(workMicros, workFrom, payload));
            default:
                throw new IllegalArgumentException(
                        "--key-type is long or string, not " + keyType + ".");
        }
    }

    private static boolean isExactlyOnce(ParameterTool parameters) {
        String semantic = parameters.get("semantic", "at-least-once");
        switch (semantic) {
            case "at-least-once":
                return false;
            case "exactly-once":
                return true;
            default:
                throw new IllegalArgumentException(
                        "--semantic is at-least-once or exactly-once, not " + semantic + ".");
        }
    }
}
