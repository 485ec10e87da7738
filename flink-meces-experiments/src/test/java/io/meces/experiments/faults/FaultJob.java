// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.faults;

import io.meces.examples.keycount.CountResult;
import io.meces.examples.keycount.CountResultSchema;
import io.meces.examples.keycount.Event;
import io.meces.examples.keycount.EventSchema;
import io.meces.examples.keycount.KeyCounter;
import io.meces.flink.examples.ExampleJobs;
import io.meces.flink.examples.KafkaTopics;
import java.nio.file.Paths;
import java.util.Properties;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.utils.ParameterTool;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * The key-count job with a {@link FaultPoint} in each vertex. Each vertex has slots of its own, so
 * that with one slot per TaskManager each subtask has a process to itself.
 *
 * <p>Arguments: {@code --bootstrap-servers}, {@code --input}, {@code --output}, {@code --switches}
 * (a directory), {@code --parallelism} (of the vertex that counts), {@code --sinks} (parallelism of
 * the last vertex), {@code --checkpoint-interval} (ms) and {@code --payload} (bytes of state that
 * each key has besides its count), and {@code --work-micros} (0; least time per record of the
 * vertex that counts). With {@code --unaligned true} checkpoints are unaligned, and with {@code
 * --rocksdb} (a directory for checkpoints) state is in RocksDB.
 */
public final class FaultJob {
    public static final String SOURCE = "source";
    public static final String COUNT = "count";
    public static final String SINK = "sink";

    private FaultJob() {}

    /** Builds the job and submits it to the environment that Flink provides. */
    public static void main(String[] args) throws Exception {
        ParameterTool parameters = ParameterTool.fromArgs(args);
        Switches switches = new Switches(Paths.get(parameters.getRequired("switches")));
        int parallelism = parameters.getInt("parallelism");
        int sinks = parameters.getInt("sinks");
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setMaxParallelism(128);
        if (parameters.has("rocksdb")) {
            env.configure(rocksDB(parameters.get("rocksdb")), FaultJob.class.getClassLoader());
        }
        if (parameters.has("unaligned")) {
            Configuration unaligned = new Configuration();
            unaligned.setString("execution.checkpointing.unaligned.enabled", "true");
            env.configure(unaligned, FaultJob.class.getClassLoader());
        }
        env.enableCheckpointing(parameters.getLong("checkpoint-interval"));
        env.setBufferTimeout(10);
        ExampleJobs.restart(env, Integer.MAX_VALUE);

        String output = parameters.getRequired("output");
        SingleOutputStreamOperator<Event> source =
                KafkaTopics.read(
                        env,
                        parameters.getRequired("input"),
                        new EventSchema(),
                        kafka(parameters),
                        SOURCE);
        TypeInformation<Event> event = TypeInformation.of(Event.class);
        TypeInformation<CountResult> result = TypeInformation.of(CountResult.class);
        DataStream<CountResult> results =
                source.setParallelism(1)
                        .slotSharingGroup(SOURCE)
                        .transform(
                                SOURCE + "-point",
                                event,
                                new FaultPoint.Factory<>(switches, SOURCE))
                        .setParallelism(1)
                        .slotSharingGroup(SOURCE)
                        .keyBy(e -> e.key, Types.LONG)
                        .process(
                                new KeyCounter<Long>(
                                        parameters.getLong("work-micros", 0),
                                        0,
                                        parameters.getInt("payload")))
                        .setParallelism(parallelism)
                        .slotSharingGroup(COUNT)
                        .name(COUNT)
                        .uid(COUNT)
                        .transform(
                                COUNT + "-point", result, new FaultPoint.Factory<>(switches, COUNT))
                        .setParallelism(parallelism)
                        .slotSharingGroup(COUNT)
                        .rebalance()
                        .transform(SINK, result, new FaultPoint.Factory<>(switches, SINK))
                        .setParallelism(sinks)
                        .slotSharingGroup(SINK)
                        .uid(SINK);
        KafkaTopics.write(results, output, new CountResultSchema(output), kafka(parameters), false)
                .setParallelism(sinks)
                .slotSharingGroup(SINK)
                .uid("results");
        env.execute("faults");
    }

    private static Configuration rocksDB(String checkpoints) {
        Configuration configuration = new Configuration();
        configuration.setString("state.backend", "rocksdb");
        configuration.setString("state.backend.incremental", "true");
        configuration.setString("state.checkpoints.dir", checkpoints);
        return configuration;
    }

    private static Properties kafka(ParameterTool parameters) {
        Properties properties = new Properties();
        properties.setProperty("bootstrap.servers", parameters.getRequired("bootstrap-servers"));
        properties.setProperty("group.id", "faults");
        properties.setProperty("enable.idempotence", "true");
        properties.setProperty("acks", "all");
        return properties;
    }
}
