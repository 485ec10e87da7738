// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.sinks;

import io.meces.api.RescaleDetails;
import io.meces.api.RescaleStatus;
import io.meces.runtime.testing.MecesMiniCluster;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.restartstrategy.RestartStrategies;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.source.RichParallelSourceFunction;

/**
 * A job that counts records per key, and emits (key, count) for each: its results of a key are 1,
 * 2, 3 and so on. What its source shares with the test is found by its name. Any thread.
 */
final class CountRun {
    static final int KEYS = 1_000;

    private static final int RECORDS_PER_SECOND = 20_000;
    private static final int LIMIT_SECONDS = 90;
    private static final ConcurrentMap<String, CountRun> ALL = new ConcurrentHashMap<>();
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    final String name = "count-" + NUMBERS.incrementAndGet();
    private final AtomicLong emitted = new AtomicLong();
    private final AtomicLong counted = new AtomicLong();
    private volatile boolean stopped;

    CountRun() {
        ALL.put(name, this);
    }

    static StreamExecutionEnvironment environment(long checkpointInterval) {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(2);
        env.setMaxParallelism(32);
        env.setBufferTimeout(5);
        env.enableCheckpointing(checkpointInterval);
        env.setRestartStrategy(RestartStrategies.noRestart());
        return env;
    }

    /** The stream of counts; what is chained to it is in the elastic vertex. */
    SingleOutputStreamOperator<Tuple2<Integer, Long>> counts(StreamExecutionEnvironment env) {
        return env.addSource(new Source(name), Types.INT)
                .setParallelism(1)
                .name("keys")
                .uid("keys")
                .keyBy(key -> key, Types.INT)
                .map(new Count(name))
                .returns(Types.TUPLE(Types.INT, Types.LONG))
                .name("count")
                .uid("count");
    }

    /** Rescales at random to another parallelism of 1 to 4, again and again. */
    void rescale(MecesMiniCluster cluster, JobID job, long seed, int times) throws Exception {
        Random random = new Random(seed);
        int parallelism = 2;
        for (int i = 0; i < times; i++) {
            awaitCounts(5 * KEYS);
            parallelism = 1 + (parallelism + random.nextInt(3)) % 4;
            RescaleDetails status =
                    cluster.rescale(job, "count", parallelism).get(LIMIT_SECONDS, TimeUnit.SECONDS);
            if (status.status() != RescaleStatus.FINISHED || status.unitsMigrated() == 0) {
                throw new AssertionError(status.status() + ": " + status.failure());
            }
        }
    }

    void awaitCounts(int more) throws TimeoutException {
        long before = counted.get();
        await("records", () -> counted.get() > before + more);
    }

    /** Ends the input; returns when all records have been counted. */
    void stop() throws Exception {
        stopped = true;
        long deadlineOfRest = System.nanoTime() + 500_000_000;
        await(
                "the last record",
                () -> counted.get() == emitted.get() && System.nanoTime() > deadlineOfRest);
    }

    /** How many records of a key there are, after {@link #stop}. */
    long expected(int key) {
        return (emitted.get() + KEYS - 1 - key) / KEYS;
    }

    long emitted() {
        return emitted.get();
    }

    static void await(String what, BooleanSupplier condition) throws TimeoutException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new TimeoutException("There is no " + what + ".");
            }
            LockSupport.parkNanos(5_000_000);
        }
    }

    private static final class Source extends RichParallelSourceFunction<Integer> {
        private static final long serialVersionUID = 1L;
        private final String name;
        private volatile boolean running = true;

        private Source(String name) {
            this.name = name;
        }

        @Override
        public void run(SourceContext<Integer> out) {
            CountRun run = ALL.get(name);
            long start = System.nanoTime();
            long position = 0;
            while (running) {
                if (!run.stopped) {
                    synchronized (out.getCheckpointLock()) {
                        for (int i = 0; i < 20; i++) {
                            out.collect((int) (position++ % KEYS));
                        }
                        run.emitted.set(position);
                    }
                }
                long due = start + position * 1_000_000_000L / RECORDS_PER_SECOND;
                LockSupport.parkNanos(run.stopped ? 5_000_000 : due - System.nanoTime());
            }
        }

        @Override
        public void cancel() {
            running = false;
        }
    }

    private static final class Count extends RichMapFunction<Integer, Tuple2<Integer, Long>> {
        private static final long serialVersionUID = 1L;
        private final String name;
        private transient CountRun run;
        private transient ValueState<Long> count;

        private Count(String name) {
            this.name = name;
        }

        @Override
        public void open(Configuration parameters) {
            run = ALL.get(name);
            count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Types.LONG));
        }

        @Override
        public Tuple2<Integer, Long> map(Integer key) throws Exception {
            Long before = count.value();
            long now = before == null ? 1 : before + 1;
            count.update(now);
            run.counted.incrementAndGet();
            return Tuple2.of(key, now);
        }
    }
}
