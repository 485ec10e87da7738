// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.saturation;

import io.meces.flink.examples.ExampleJobs;
import io.meces.flink.examples.KeyedFunction;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.utils.ParameterTool;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.DiscardingSink;
import org.apache.flink.streaming.api.functions.source.RichParallelSourceFunction;
import org.apache.flink.util.Collector;

/**
 * Counts random keys as fast as it can, from memory to nowhere. A plain job of Flink: nothing in it
 * knows of flink-meces.
 *
 * <p>Arguments, all optional: {@code --parallelism} (2), {@code --max-parallelism} (128), {@code
 * --checkpoint-interval} (5000 ms), {@code --keys} (100000) and {@code --seed} (1).
 */
public final class SaturatedCountJob {

    /** The name of the operator that counts. */
    public static final String COUNTER = "count";

    /** The gauge of that operator that has a {@link CountReading}. */
    public static final String READING = "counted";

    private SaturatedCountJob() {}

    /** Builds the job and submits it to the environment that Flink provides. */
    public static void main(String[] args) throws Exception {
        ParameterTool parameters = ParameterTool.fromArgs(args);
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(parameters.getInt("parallelism", 2));
        env.setMaxParallelism(parameters.getInt("max-parallelism", 128));
        env.enableCheckpointing(parameters.getLong("checkpoint-interval", 5_000L));
        env.addSource(
                        new RandomKeys(
                                parameters.getInt("keys", 100_000), parameters.getLong("seed", 1L)))
                .returns(Types.LONG)
                .name("random-keys")
                .uid("random-keys")
                .keyBy(key -> key, Types.LONG)
                .process(new Counter())
                .returns(Types.LONG)
                .name(COUNTER)
                .uid(COUNTER)
                .addSink(new DiscardingSink<>())
                .name("nowhere")
                .uid("nowhere");
        env.execute("saturated-count");
    }

    /** Uniform keys from 0, without end. */
    static final class RandomKeys extends RichParallelSourceFunction<Long> {
        private static final long serialVersionUID = 1L;

        /** How many records go out under one lock: the lock is not what is to be measured. */
        private static final int BATCH = 100;

        private final int keys;
        private final long seed;
        private volatile boolean running = true;

        RandomKeys(int keys, long seed) {
            this.keys = keys;
            this.seed = seed;
        }

        @Override
        public void run(SourceContext<Long> context) {
            SplittableRandom random =
                    new SplittableRandom(seed + ExampleJobs.subtask(getRuntimeContext()));
            while (running) {
                synchronized (context.getCheckpointLock()) {
                    for (int i = 0; i < BATCH; i++) {
                        context.collect((long) random.nextInt(keys));
                    }
                }
            }
        }

        @Override
        public void cancel() {
            running = false;
        }
    }

    /** Counts the records of each key in state, and all of this subtask in a gauge. */
    static final class Counter extends KeyedFunction<Long, Long, Long> {
        private static final long serialVersionUID = 1L;

        private transient ValueState<Long> count;
        private transient AtomicLong counted;
        private transient long records;

        @Override
        protected void opened() {
            count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Long.class));
            AtomicLong total = new AtomicLong();
            counted = total;
            getRuntimeContext()
                    .getMetricGroup()
                    .gauge(READING, (Gauge<String>) () -> CountReading.now(total.get()).toString());
        }

        @Override
        public void processElement(Long key, Context context, Collector<Long> out)
                throws Exception {
            Long before = count.value();
            long after = before == null ? 1 : before + 1;
            count.update(after);
            records++;
            // As cheap as a field that is not volatile; the gauge sees it a moment later.
            counted.lazySet(records);
            out.collect(after);
        }
    }
}
