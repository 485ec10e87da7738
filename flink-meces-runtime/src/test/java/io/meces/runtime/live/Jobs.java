// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import io.meces.flink.runtime.Subtasks;
import io.meces.flink.runtime.TestGraphs;
import io.meces.state.MecesStateBackend;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeHint;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.api.java.tuple.Tuple5;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.co.KeyedCoProcessFunction;
import org.apache.flink.streaming.api.functions.sink.RichSinkFunction;
import org.apache.flink.streaming.api.functions.source.RichParallelSourceFunction;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.util.Collector;

/** The jobs of the live tests and their functions. User code as users write it. */
public final class Jobs {

    static final int MAX_PARALLELISM = 128;

    static final TypeInformation<Tuple3<Integer, Integer, Long>> RECORD =
            TypeInformation.of(new TypeHint<Tuple3<Integer, Integer, Long>>() {});
    static final TypeInformation<Tuple5<Integer, Integer, Long, Long, Integer>> RESULT =
            TypeInformation.of(new TypeHint<Tuple5<Integer, Integer, Long, Long, Integer>>() {});

    private Jobs() {}

    static StreamExecutionEnvironment environment(long checkpointInterval) {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(2);
        env.setMaxParallelism(MAX_PARALLELISM);
        env.setBufferTimeout(5);
        if (checkpointInterval > 0) {
            env.enableCheckpointing(checkpointInterval);
        }
        TestGraphs.restart(env, 10, 50);
        TestGraphs.setStateBackend(env, new MecesStateBackend());
        return env;
    }

    /** Two sources, a counter, two sinks. */
    public static StreamExecutionEnvironment counting(
            Ledger ledger, int keys, long recordsPerSource, long checkpointInterval) {
        StreamExecutionEnvironment env = environment(checkpointInterval);
        count(source(env, ledger, keys, recordsPerSource), ledger, env.getParallelism());
        return env;
    }

    /** Counts records per key, in a vertex of that parallelism, and books the results. */
    static void count(
            DataStream<Tuple3<Integer, Integer, Long>> records, Ledger ledger, int parallelism) {
        records.keyBy(r -> r.f0, Types.INT)
                .process(new Counter(ledger.name))
                .returns(RESULT)
                .setParallelism(parallelism)
                .name("count")
                .uid("count")
                .rebalance()
                .addSink(new Books(ledger.name))
                .name("books")
                .uid("books");
    }

    static DataStream<Tuple3<Integer, Integer, Long>> source(
            StreamExecutionEnvironment env, Ledger ledger, int keys, long recordsPerSource) {
        return source(env, new SequenceSource(ledger.name, keys, recordsPerSource));
    }

    /** Of two subtasks the second one ends after so many records. */
    static DataStream<Tuple3<Integer, Integer, Long>> sourceThatEndsInPart(
            StreamExecutionEnvironment env, Ledger ledger, int keys, long records) {
        return source(env, new SequenceSource(ledger.name, keys, records).endingFrom(1));
    }

    private static DataStream<Tuple3<Integer, Integer, Long>> source(
            StreamExecutionEnvironment env, SequenceSource function) {
        return env.addSource(function, RECORD).name("source").uid("source");
    }

    /**
     * Emits (key, source, sequence number) round robin over the keys, at the ledger's rate; the
     * event time is the number of the record. Restores its position.
     */
    static final class SequenceSource
            extends RichParallelSourceFunction<Tuple3<Integer, Integer, Long>>
            implements CheckpointedFunction {
        private static final long serialVersionUID = 1L;
        private final String ledgerName;
        private final int keys;
        private final long max;
        private int firstNumber;
        private int firstToEnd;
        private int slowness = 1;
        private volatile boolean running = true;
        private long position;
        private transient ListState<Long> state;

        SequenceSource(String ledgerName, int keys, long max) {
            this.ledgerName = ledgerName;
            this.keys = keys;
            this.max = max;
        }

        /** The number of the first subtask as a source; tells two sources of a job apart. */
        SequenceSource withNumbersFrom(int first) {
            firstNumber = first;
            return this;
        }

        /** Only subtasks from this one on come to an end. */
        SequenceSource endingFrom(int subtask) {
            firstToEnd = subtask;
            return this;
        }

        /** Emits only one record where the ledger's rate asks for so many. */
        SequenceSource slowerBy(int factor) {
            slowness = factor;
            return this;
        }

        @Override
        public void run(SourceContext<Tuple3<Integer, Integer, Long>> out) {
            Ledger ledger = Ledger.named(ledgerName);
            int subtask = Subtasks.index(getRuntimeContext());
            int me = firstNumber + subtask;
            long end = subtask < firstToEnd ? Long.MAX_VALUE : max;
            long batchStart = System.nanoTime();
            while (running && position < end) {
                // what was emitted before a restart is emitted again in any case
                if (!ledger.paused || position < ledger.emitted.get(me)) {
                    synchronized (out.getCheckpointLock()) {
                        for (int i = 0; i < 10 && position < end; i++) {
                            int key = (int) (position % keys);
                            out.collectWithTimestamp(Tuple3.of(key, me, position / keys), position);
                            position++;
                        }
                        out.emitWatermark(new Watermark(position - 1));
                        ledger.emitted.accumulateAndGet(me, position, Math::max);
                    }
                }
                batchStart += 10L * 1_000_000_000L * slowness / ledger.rate;
                long ahead = batchStart - System.nanoTime();
                if (ahead > 0) {
                    LockSupport.parkNanos(ahead);
                } else if (ahead < -100_000_000L) {
                    batchStart = System.nanoTime();
                }
            }
        }

        @Override
        public void cancel() {
            running = false;
        }

        @Override
        public void snapshotState(FunctionSnapshotContext context) throws Exception {
            state.clear();
            state.add(position);
        }

        @Override
        public void initializeState(FunctionInitializationContext context) throws Exception {
            state =
                    context.getOperatorStateStore()
                            .getListState(new ListStateDescriptor<>("position", Long.class));
            // where others have gone on after it had finished, a checkpoint has nothing of it
            position = context.isRestored() ? max : 0;
            for (long p : state.get()) {
                position = p;
            }
        }
    }

    /**
     * Folds the sequence numbers of each key and source into a state that depends on their order;
     * emits (key, source, sequence number, state, subtask). Registers an event-time timer for each
     * record and checks that it fires once, after the record and on time.
     */
    static final class Counter
            extends KeyedProcessFunction<
                    Integer,
                    Tuple3<Integer, Integer, Long>,
                    Tuple5<Integer, Integer, Long, Long, Integer>> {
        private static final long serialVersionUID = 1L;
        private final String ledgerName;
        private transient Ledger ledger;
        private transient MapState<Integer, Long> folded;
        private transient MapState<Integer, Long> last;
        private transient MapState<Long, Boolean> due;
        private transient ValueState<Long> count;
        private transient int me;

        Counter(String ledgerName) {
            this.ledgerName = ledgerName;
        }

        @Override
        public void open(Configuration parameters) {
            ledger = Ledger.named(ledgerName);
            me = Subtasks.index(getRuntimeContext());
            ledger.parallelismSeen.put(me, Subtasks.parallelism(getRuntimeContext()));
            folded =
                    getRuntimeContext()
                            .getMapState(new MapStateDescriptor<>("folded", Types.INT, Types.LONG));
            last =
                    getRuntimeContext()
                            .getMapState(new MapStateDescriptor<>("last", Types.INT, Types.LONG));
            due =
                    getRuntimeContext()
                            .getMapState(
                                    new MapStateDescriptor<>("due", Types.LONG, Types.BOOLEAN));
            count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Types.LONG));
        }

        @Override
        public void processElement(
                Tuple3<Integer, Integer, Long> r,
                Context context,
                Collector<Tuple5<Integer, Integer, Long, Long, Integer>> out)
                throws Exception {
            if (ledger.failOnce && ledger.failed.compareAndSet(false, true)) {
                throw new IllegalStateException("a failure that the test asked for");
            }
            ledger.work();
            Long previous = last.get(r.f1);
            if ((previous == null ? -1 : previous) != r.f2 - 1) {
                ledger.violation(
                        "key "
                                + r.f0
                                + " source "
                                + r.f1
                                + ": "
                                + r.f2
                                + " after "
                                + previous
                                + " at subtask "
                                + me);
            }
            last.put(r.f1, r.f2);
            Long before = folded.get(r.f1);
            long state = Ledger.nextState(before == null ? 17 : before, r.f2);
            folded.put(r.f1, state);
            Long n = count.value();
            count.update(n == null ? 1 : n + 1);
            if (context.timestamp() <= context.timerService().currentWatermark()) {
                ledger.late.incrementAndGet();
            }
            long time = context.timestamp() + 500;
            if (!due.contains(time)) {
                due.put(time, true);
                context.timerService().registerEventTimeTimer(time);
                ledger.timersRegistered.incrementAndGet();
            }
            out.collect(Tuple5.of(r.f0, r.f1, r.f2, state, me));
        }

        @Override
        public void onTimer(
                long timestamp,
                OnTimerContext context,
                Collector<Tuple5<Integer, Integer, Long, Long, Integer>> out)
                throws Exception {
            if (!due.contains(timestamp)) {
                ledger.violation(
                        "timer "
                                + timestamp
                                + " of key "
                                + context.getCurrentKey()
                                + " fired without its state");
            }
            due.remove(timestamp);
            ledger.timersFired.incrementAndGet();
        }
    }

    /** Folds the records of two inputs, as {@link Counter} does those of one. */
    static final class TwoInputCounter
            extends KeyedCoProcessFunction<
                    Integer,
                    Tuple3<Integer, Integer, Long>,
                    Tuple3<Integer, Integer, Long>,
                    Tuple5<Integer, Integer, Long, Long, Integer>> {
        private static final long serialVersionUID = 1L;
        private final String ledgerName;
        private transient Ledger ledger;
        private transient MapState<Integer, Long> folded;

        TwoInputCounter(String ledgerName) {
            this.ledgerName = ledgerName;
        }

        @Override
        public void open(Configuration parameters) {
            ledger = Ledger.named(ledgerName);
            folded =
                    getRuntimeContext()
                            .getMapState(new MapStateDescriptor<>("folded", Types.INT, Types.LONG));
        }

        @Override
        public void processElement1(
                Tuple3<Integer, Integer, Long> r,
                Context context,
                Collector<Tuple5<Integer, Integer, Long, Long, Integer>> out)
                throws Exception {
            if (context.timestamp() <= context.timerService().currentWatermark()) {
                ledger.violation("late " + r);
            }
            Long before = folded.get(r.f1);
            long state = Ledger.nextState(before == null ? 17 : before, r.f2);
            folded.put(r.f1, state);
            out.collect(Tuple5.of(r.f0, r.f1, r.f2, state, Subtasks.index(getRuntimeContext())));
        }

        @Override
        public void processElement2(
                Tuple3<Integer, Integer, Long> r,
                Context context,
                Collector<Tuple5<Integer, Integer, Long, Long, Integer>> out)
                throws Exception {
            processElement1(r, context, out);
        }
    }

    /** Checks each result against what a job that is never rescaled gives. */
    static final class Books
            extends RichSinkFunction<Tuple5<Integer, Integer, Long, Long, Integer>> {
        private static final long serialVersionUID = 1L;
        private final String ledgerName;
        private transient Ledger ledger;

        Books(String ledgerName) {
            this.ledgerName = ledgerName;
        }

        @Override
        public void open(Configuration parameters) {
            ledger = Ledger.named(ledgerName);
        }

        @Override
        public void invoke(Tuple5<Integer, Integer, Long, Long, Integer> r, Context context) {
            ledger.watermark.accumulateAndGet(context.currentWatermark(), Math::max);
            if (r.f3 != Ledger.expectedState(r.f2)) {
                ledger.violation(
                        "wrong state of key "
                                + r.f0
                                + " source "
                                + r.f1
                                + " at "
                                + r.f2
                                + " from subtask "
                                + r.f4);
            }
            if (context.timestamp() != null && context.timestamp() <= context.currentWatermark()) {
                ledger.late.incrementAndGet();
            }
            ledger.result(r.f1, r.f0, r.f2, r.f3, r.f4);
        }
    }
}
