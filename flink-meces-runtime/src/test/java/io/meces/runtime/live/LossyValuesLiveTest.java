// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import io.meces.api.RescaleDetails;
import io.meces.flink.runtime.TestGraphs;
import io.meces.flink.runtime.TestSerializers;
import io.meces.runtime.testing.MecesMiniCluster;
import java.time.OffsetTime;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.sink.DiscardingSink;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Values that Kryo changes silently, on the heap: those of keys that a rescale moves. */
@Tag("full")
@Timeout(120)
class LossyValuesLiveTest {

    private static final int KEYS = 200;
    private static final String TIME = "10:15:30-03:00";
    private static final Queue<String> SEEN = new ConcurrentLinkedQueue<>();

    private final Ledger ledger = new Ledger();
    private MecesMiniCluster cluster;

    @BeforeEach
    void start() throws Exception {
        SEEN.clear();
        cluster = Clusters.start(1, 4, new Configuration());
    }

    @AfterEach
    void stop() throws Exception {
        cluster.close();
    }

    private void rescale(StreamExecutionEnvironment env) throws Exception {
        Jobs.source(env, ledger, KEYS, Long.MAX_VALUE)
                .keyBy(r -> r.f0, Types.INT)
                .process(new Keeper())
                .returns(Types.STRING)
                .name("keep")
                .addSink(new DiscardingSink<>());
        JobID job = cluster.submit(TestGraphs.of(env, "times"));
        Ledger.awaitOrFail("a time of each key", () -> SEEN.size() > 4 * KEYS);
        assertThat(SEEN).containsOnly(TIME);
        RescaleDetails end = cluster.rescale(job, "keep", 3).get(60, TimeUnit.SECONDS);
        assertThat(end.failure()).isNull();
        assertThat(end.unitsMigrated()).isPositive();
        SEEN.clear();
        Ledger.awaitOrFail("a time of each key", () -> SEEN.size() > 4 * KEYS);
    }

    @Test
    void kryoLosesTheZoneOfKeysThatMoveAsARestoreDoes() throws Exception {
        rescale(Jobs.environment(0));
        assertThat(SEEN).contains(TIME, "10:15:30null");
    }

    @Test
    void aSerializerThatKeepsItIsTheRemedy() throws Exception {
        StreamExecutionEnvironment env = Jobs.environment(0);
        TestSerializers.addDefault(env.getConfig(), OffsetTime.class, Times.class);
        rescale(env);
        assertThat(SEEN).containsOnly(TIME);
    }

    /** Keeps a time per key. */
    private static final class Keeper
            extends KeyedProcessFunction<Integer, Tuple3<Integer, Integer, Long>, String> {
        private static final long serialVersionUID = 1L;
        private transient ValueState<OffsetTime> time;

        @Override
        public void open(Configuration parameters) {
            time =
                    getRuntimeContext()
                            .getState(new ValueStateDescriptor<>("time", OffsetTime.class));
        }

        @Override
        public void processElement(
                Tuple3<Integer, Integer, Long> record, Context context, Collector<String> out)
                throws Exception {
            if (time.value() == null) {
                time.update(OffsetTime.parse(TIME));
            }
            SEEN.add(time.value().toString());
        }
    }

    /** Of times, as text. */
    @SuppressWarnings({"rawtypes", "unchecked"}) // Kryo's releases differ in the bound of the type
    public static final class Times extends Serializer {

        @Override
        public void write(Kryo kryo, Output output, Object time) {
            output.writeString(time.toString());
        }

        @Override
        public Object read(Kryo kryo, Input input, Class type) {
            return OffsetTime.parse(input.readString());
        }
    }
}
