// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import static io.meces.foreign.Comparison.ORDER_PER_KEY;
import static io.meces.foreign.Comparison.RESULTS;
import static org.apache.flink.api.common.time.Time.hours;

import io.meces.flink.runtime.Subtasks;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.flink.api.common.accumulators.Histogram;
import org.apache.flink.api.common.accumulators.IntCounter;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.tuple.Tuple4;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.CheckpointingMode;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.checkpoint.ListCheckpointed;
import org.apache.flink.streaming.api.datastream.AsyncDataStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamUtils;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.async.ResultFuture;
import org.apache.flink.streaming.api.functions.async.RichAsyncFunction;
import org.apache.flink.streaming.api.functions.co.KeyedBroadcastProcessFunction;
import org.apache.flink.streaming.api.functions.co.KeyedCoProcessFunction;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.Triggerable;
import org.apache.flink.streaming.api.windowing.assigners.EventTimeSessionWindows;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.time.Time;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/** What users do besides: settings, interfaces and parts of the DataStream API in many shapes. */
final class HabitJobs {

    private HabitJobs() {}

    static List<ForeignJob> all() {
        List<ForeignJob> jobs = new ArrayList<>();
        jobs.add(set("at least once", env -> atLeastOnce(env)));
        jobs.add(set("concurrent checkpoints", env -> concurrent(env)));
        jobs.add(
                set("no checkpoints", env -> env.env.getCheckpointConfig().disableCheckpointing()));
        jobs.add(set("buffer timeout 0", run -> run.env.setBufferTimeout(0)));
        jobs.add(set("buffers sent when full", run -> run.env.setBufferTimeout(-1)));
        jobs.add(set("latency tracking", run -> run.env.getConfig().setLatencyTrackingInterval(2)));
        jobs.add(set("max parallelism 2", run -> run.env.setMaxParallelism(2)));
        jobs.add(set("max parallelism 3", run -> run.env.setMaxParallelism(3)));
        jobs.add(set("max parallelism 127", run -> run.env.setMaxParallelism(127)));
        jobs.add(
                set(
                        "parallelism 1, max parallelism 5",
                        run -> {
                            run.env.setParallelism(1);
                            run.env.setMaxParallelism(5);
                        }));
        jobs.add(new ForeignJob("slot sharing groups", ORDER_PER_KEY, HabitJobs::slotSharing));
        jobs.add(new ForeignJob("uid hashes", ORDER_PER_KEY, HabitJobs::uidHashes));
        jobs.add(new ForeignJob("max parallelism per operator", RESULTS, HabitJobs::ownMax));
        jobs.add(new ForeignJob("splits on demand", RESULTS, HabitJobs::splits));
        jobs.add(new ForeignJob("union of sources, tuple keys", RESULTS, HabitJobs::tupleKeys));
        jobs.add(new ForeignJob("POJO keys and null fields", ORDER_PER_KEY, HabitJobs::pojoKeys));
        jobs.add(new ForeignJob("one key", ORDER_PER_KEY, HabitJobs::oneKey));
        jobs.add(new ForeignJob("mutable state, object reuse", ORDER_PER_KEY, HabitJobs::mutable));
        jobs.add(new ForeignJob("operator of a user", RESULTS, HabitJobs::ownOperator));
        jobs.add(new ForeignJob("rules for all keys", RESULTS, HabitJobs::rulesForAll));
        jobs.add(new ForeignJob("rules of a keyed stage", RESULTS, HabitJobs::rulesOfAStage));
        jobs.add(new ForeignJob("union of stages", ORDER_PER_KEY, HabitJobs::unionOfStages));
        jobs.add(new ForeignJob("timers of two inputs", RESULTS, HabitJobs::twoInputs));
        jobs.add(new ForeignJob("both kinds of timers", ORDER_PER_KEY, HabitJobs::bothTimers));
        jobs.add(new ForeignJob("list state in functions", ORDER_PER_KEY, HabitJobs::listStates));
        jobs.add(new ForeignJob("state with TTL", ORDER_PER_KEY, HabitJobs::ttl));
        jobs.add(new ForeignJob("accumulators", ORDER_PER_KEY, HabitJobs::accumulators));
        jobs.add(new ForeignJob("late firings", ORDER_PER_KEY, HabitJobs::lateFirings));
        jobs.add(new ForeignJob("state of windows", RESULTS, HabitJobs::windowState));
        jobs.add(new ForeignJob("window of all keys behind", RESULTS, HabitJobs::windowAll));
        jobs.add(new ForeignJob("reinterpreted as keyed", ORDER_PER_KEY, HabitJobs::reinterpreted));
        jobs.add(new ForeignJob("ordered calls behind", ORDER_PER_KEY, HabitJobs::orderedCalls));
        jobs.add(new ForeignJob("unordered calls behind", RESULTS, HabitJobs::unorderedCalls));
        jobs.add(new ForeignJob("own partitioner behind", ORDER_PER_KEY, HabitJobs::partitioned));
        jobs.add(new ForeignJob("many outputs", RESULTS, HabitJobs::manyOutputs));
        jobs.add(new ForeignJob("batches of a stateless sink", ORDER_PER_KEY, HabitJobs::batches));
        return jobs;
    }

    // ------------------------------------------------------------------------
    //  Settings
    // ------------------------------------------------------------------------

    /** Two stages, so that there is an exchange behind the first. */
    private static ForeignJob set(String name, Consumer<Run> settings) {
        return new ForeignJob(
                name,
                ORDER_PER_KEY,
                run -> {
                    settings.accept(run);
                    run.collect(
                            numbered(run.events("first").keyBy(e -> e.f1, Types.INT))
                                    .keyBy(e -> e.f0, Types.INT)
                                    .process(new Gaps()),
                            e -> e.f0);
                });
    }

    private static void atLeastOnce(Run run) {
        run.env.enableCheckpointing(50, CheckpointingMode.AT_LEAST_ONCE);
    }

    private static void concurrent(Run run) {
        run.env.enableCheckpointing(20);
        run.env.getCheckpointConfig().setMinPauseBetweenCheckpoints(0);
        run.env.getCheckpointConfig().setMaxConcurrentCheckpoints(4);
    }

    private static void slotSharing(Run run) {
        run.collect(
                numbered(run.events("first").keyBy(e -> e.f1, Types.INT))
                        .slotSharingGroup("count")
                        .keyBy(e -> e.f0, Types.INT)
                        .process(new Gaps()),
                e -> e.f0);
    }

    private static void uidHashes(Run run) {
        run.collect(
                numbered(run.events("first").keyBy(e -> e.f1, Types.INT))
                        .setUidHash("0123456789abcdef0123456789abcdef")
                        .keyBy(e -> e.f0, Types.INT)
                        .process(new Gaps())
                        .uid("gaps"),
                e -> e.f0);
    }

    private static void ownMax(Run run) {
        run.collect(
                numbered(run.events("first", 2).keyBy(e -> e.f1, Types.INT))
                        .setMaxParallelism(7)
                        .keyBy(e -> e.f1 % 50, Types.INT)
                        .process(new PerKey())
                        .setMaxParallelism(300)
                        .setParallelism(3));
    }

    // ------------------------------------------------------------------------
    //  Keys and state
    // ------------------------------------------------------------------------

    /** The coordinator of the source gives splits while checkpoints wait for a rescale. */
    private static void splits(Run run) {
        run.env.enableCheckpointing(20);
        run.feed.expect(Run.PARALLELISM);
        run.collect(
                run.env
                        .fromSource(
                                new SplitSource(run.feed, Run.RECORDS),
                                WatermarkStrategy.noWatermarks(),
                                "splits")
                        .keyBy(number -> number % 40, Types.LONG)
                        .map(new CountPerKey<>(), Types.LONG)
                        .map(count -> "count " + count)
                        .returns(Types.STRING));
    }

    private static void tupleKeys(Run run) {
        TypeInformation<Tuple2<Integer, String>> key = Types.TUPLE(Types.INT, Types.STRING);
        run.collect(
                run.events("a", 1)
                        .union(run.events("b", 2), run.events("c", 3))
                        .keyBy(e -> Tuple2.of(e.f1, e.f1 % 3 == 0 ? "third" : ""), key)
                        .map(new CountPerKey<>(), Types.LONG)
                        .map(count -> "count " + count)
                        .returns(Types.STRING));
    }

    private static void pojoKeys(Run run) {
        run.collect(
                run.events("a")
                        .map(e -> new Account(e.f1, e.f1 % 4 == 0 ? null : "name" + e.f1, e.f2))
                        .returns(Account.class)
                        .setParallelism(1)
                        .keyBy(
                                account -> new AccountKey(account.number, account.owner),
                                TypeInformation.of(AccountKey.class))
                        .reduce(
                                (sum, next) ->
                                        new Account(
                                                next.number, next.owner, sum.amount + next.amount))
                        .map(sum -> Tuple2.of(sum.number, sum.owner + " has " + sum.amount))
                        .returns(Types.TUPLE(Types.INT, Types.STRING)),
                result -> result.f0);
    }

    private static void oneKey(Run run) {
        run.collect(
                numbered(
                        run.events("a")
                                .map(e -> Tuple4.of(e.f0, 7, e.f2, e.f3))
                                .returns(Run.EVENT)
                                .setParallelism(1)
                                .keyBy(e -> e.f1, Types.INT)),
                e -> e.f0);
    }

    private static void mutable(Run run) {
        run.env.getConfig().enableObjectReuse();
        run.env.enableCheckpointing(20);
        run.collect(run.events("a").keyBy(e -> e.f1, Types.INT).process(new InPlace()), e -> e.f0);
    }

    private static void ownOperator(Run run) {
        run.collect(
                run.events("a", 2)
                        .keyBy(e -> e.f1, Types.INT)
                        .transform("sums", Types.STRING, new Sums()));
    }

    private static void rulesForAll(Run run) {
        MapStateDescriptor<String, Long> descriptor =
                new MapStateDescriptor<>("rules", Types.STRING, Types.LONG);
        run.collect(
                run.events("transactions", 2)
                        .keyBy(e -> e.f1, Types.INT)
                        .connect(run.events("rules").broadcast(descriptor))
                        .process(new RulesForAll(descriptor)));
    }

    /** Results of a keyed stage are broadcast to another one, both of which are rescaled. */
    private static void rulesOfAStage(Run run) {
        MapStateDescriptor<Integer, Integer> descriptor =
                new MapStateDescriptor<>("rules", Types.INT, Types.INT);
        run.collect(
                run.events("transactions", 2)
                        .keyBy(e -> e.f1, Types.INT)
                        .connect(
                                numbered(
                                                run.events("rules")
                                                        .map(e -> Tuple4.of(e.f0, e.f1 % 5, 0, 0L))
                                                        .returns(Run.EVENT)
                                                        .setParallelism(1)
                                                        .keyBy(e -> e.f1, Types.INT))
                                        .broadcast(descriptor))
                        .process(new RulesOfKeys(descriptor)));
    }

    private static void unionOfStages(Run run) {
        run.collect(
                numbered(run.events("a").keyBy(e -> e.f1, Types.INT))
                        .union(
                                numbered(
                                        run.events("b")
                                                .map(e -> Tuple4.of(e.f0, 100 + e.f1, e.f2, e.f3))
                                                .returns(Run.EVENT)
                                                .setParallelism(1)
                                                .keyBy(e -> e.f1, Types.INT)),
                                run.events("c")
                                        .map(e -> Tuple2.of(200, (int) (long) e.f0 + 1))
                                        .returns(PAIR)
                                        .setParallelism(1))
                        .keyBy(e -> e.f0, Types.INT)
                        .process(new Gaps()),
                e -> e.f0);
    }

    private static void twoInputs(Run run) {
        run.collect(
                run.events("left", 2)
                        .connect(run.events("right"))
                        .keyBy(l -> l.f1, r -> r.f1, Types.INT)
                        .process(new Totals()));
    }

    private static void bothTimers(Run run) {
        run.results.endWith((int) Run.RECORDS, line -> line.contains(" late "));
        run.collect(run.events("a").keyBy(e -> e.f1, Types.INT).process(new Delayed()), e -> e.f0);
    }

    private static void listStates(Run run) {
        run.env.enableCheckpointing(30);
        run.collect(
                numbered(
                                run.events("a")
                                        .keyBy(e -> e.f1, Types.INT)
                                        .map(new WithUnionState())
                                        .returns(Run.EVENT)
                                        .keyBy(e -> e.f1, Types.INT))
                        .map(new WithListCheckpointed())
                        .returns(Types.TUPLE(Types.INT, Types.INT)),
                e -> e.f0);
    }

    private static void ttl(Run run) {
        run.collect(
                run.events("a").keyBy(e -> e.f1, Types.INT).map(new WithTtl()).returns(PAIR),
                e -> e.f0);
    }

    private static final TypeInformation<Tuple2<Integer, Integer>> PAIR =
            Types.TUPLE(Types.INT, Types.INT);

    private static void accumulators(Run run) {
        run.collect(
                run.events("a").keyBy(e -> e.f1, Types.INT).map(new Accumulating()).returns(PAIR),
                e -> e.f0);
    }

    // ------------------------------------------------------------------------
    //  Windows
    // ------------------------------------------------------------------------

    /** Which record is late is determined, as all come from one subtask. */
    private static void lateFirings(Run run) {
        OutputTag<Tuple4<Long, Integer, Integer, Long>> late = new OutputTag<>("late", Run.EVENT);
        SingleOutputStreamOperator<Tuple4<Long, Integer, Integer, Long>> sums =
                StreamJobs.withLateOnes(run)
                        .keyBy(e -> e.f1, Types.INT)
                        .window(EventTimeSessionWindows.withGap(Time.milliseconds(40)))
                        .allowedLateness(Time.milliseconds(100))
                        .sideOutputLateData(late)
                        .sum(2);
        run.collect(
                sums.map(e -> e.f1 + " in time: " + e.f2)
                        .returns(Types.STRING)
                        .union(
                                sums.getSideOutput(late)
                                        .map(e -> e.f1 + " late: " + e)
                                        .returns(Types.STRING)));
    }

    private static void windowState(Run run) {
        run.collect(
                run.events("a", 2)
                        .keyBy(e -> e.f1, Types.INT)
                        .window(TumblingEventTimeWindows.of(Time.milliseconds(600)))
                        .process(new Panes()));
    }

    private static void windowAll(Run run) {
        run.collect(
                run.events("a", 2)
                        .keyBy(e -> e.f1, Types.INT)
                        .window(TumblingEventTimeWindows.of(Time.milliseconds(200)))
                        .sum(2)
                        .windowAll(TumblingEventTimeWindows.of(Time.milliseconds(400)))
                        .reduce((a, b) -> Tuple4.of(0L, a.f1 + b.f1, a.f2 + b.f2, 0L))
                        .map(e -> e.f1 + " " + e.f2)
                        .returns(Types.STRING));
    }

    // ------------------------------------------------------------------------
    //  What is behind
    // ------------------------------------------------------------------------

    private static void reinterpreted(Run run) {
        run.collect(
                DataStreamUtils.reinterpretAsKeyedStream(
                                numbered(run.events("a").keyBy(e -> e.f1, Types.INT)),
                                e -> e.f0,
                                Types.INT)
                        .process(new Gaps()),
                e -> e.f0);
    }

    private static void orderedCalls(Run run) {
        run.collect(
                AsyncDataStream.orderedWait(
                                numbered(run.events("a").keyBy(e -> e.f1, Types.INT)),
                                new Calls(),
                                60,
                                TimeUnit.SECONDS,
                                10)
                        .keyBy(e -> e.f0, Types.INT)
                        .process(new Gaps()),
                e -> e.f0);
    }

    private static void unorderedCalls(Run run) {
        run.collect(
                AsyncDataStream.unorderedWait(
                        numbered(run.events("a", 2).keyBy(e -> e.f1, Types.INT)),
                        new Calls(),
                        60,
                        TimeUnit.SECONDS,
                        10));
    }

    private static void partitioned(Run run) {
        run.collect(
                numbered(run.events("a").keyBy(e -> e.f1, Types.INT))
                        .partitionCustom((key, subtasks) -> key % subtasks, e -> e.f0)
                        .map(new GapsInMemory())
                        .returns(PAIR),
                e -> e.f0);
    }

    private static void manyOutputs(Run run) {
        OutputTag<Tuple2<Integer, Integer>> even = new OutputTag<>("even", PAIR);
        OutputTag<Tuple2<Integer, Integer>> third = new OutputTag<>("third", PAIR);
        SingleOutputStreamOperator<Tuple2<Integer, Integer>> main =
                run.events("a").keyBy(e -> e.f1, Types.INT).process(new Dealing(even, third));
        DataStream<Tuple2<Integer, Integer>> evens = main.getSideOutput(even);
        run.collect(
                main.shuffle()
                        .map(e -> "main " + e)
                        .returns(Types.STRING)
                        .union(
                                main.global().map(e -> "global " + e).returns(Types.STRING),
                                main.rescale().map(e -> "rescale " + e).returns(Types.STRING),
                                evens.rebalance().map(e -> "even " + e).returns(Types.STRING),
                                evens.keyBy(e -> e.f0, Types.INT)
                                        .process(new PerKey2())
                                        .map(e -> "evens " + e)
                                        .returns(Types.STRING),
                                main.getSideOutput(third)
                                        .map(e -> "third " + e)
                                        .returns(Types.STRING)));
    }

    private static void batches(Run run) {
        numbered(run.events("a").keyBy(e -> e.f1, Types.INT))
                .map(e -> e.f0 + ": " + e.f1)
                .returns(Types.STRING)
                .sinkTo(new BatchSink(run.results.name));
    }

    // ------------------------------------------------------------------------
    //  Functions
    // ------------------------------------------------------------------------

    static SingleOutputStreamOperator<Tuple2<Integer, Integer>> numbered(
            KeyedStream<Tuple4<Long, Integer, Integer, Long>, Integer> events) {
        return events.process(new Numbering());
    }

    /** Gives (key, 1), (key, 2) and so on. */
    private static final class Numbering
            extends KeyedProcessFunction<
                    Integer, Tuple4<Long, Integer, Integer, Long>, Tuple2<Integer, Integer>> {
        private static final long serialVersionUID = 1L;
        private transient ValueState<Integer> count;

        @Override
        public void open(Configuration parameters) {
            count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Types.INT));
        }

        @Override
        public void processElement(
                Tuple4<Long, Integer, Integer, Long> event,
                Context context,
                Collector<Tuple2<Integer, Integer>> out)
                throws Exception {
            int next = count.value() == null ? 1 : count.value() + 1;
            count.update(next);
            out.collect(Tuple2.of(event.f1, next));
        }
    }

    /** Passes numbers on; what is not one more than the last of its key becomes negative. */
    private static final class Gaps
            extends KeyedProcessFunction<
                    Integer, Tuple2<Integer, Integer>, Tuple2<Integer, Integer>> {
        private static final long serialVersionUID = 1L;
        private transient ValueState<Integer> last;

        @Override
        public void open(Configuration parameters) {
            last = getRuntimeContext().getState(new ValueStateDescriptor<>("last", Types.INT));
        }

        @Override
        public void processElement(
                Tuple2<Integer, Integer> number,
                Context context,
                Collector<Tuple2<Integer, Integer>> out)
                throws Exception {
            int expected = last.value() == null ? 1 : last.value() + 1;
            last.update(number.f1);
            out.collect(number.f1 == expected ? number : Tuple2.of(number.f0, -number.f1));
        }
    }

    /** The same in a subtask that is never rescaled. */
    private static final class GapsInMemory
            extends RichMapFunction<Tuple2<Integer, Integer>, Tuple2<Integer, Integer>> {
        private static final long serialVersionUID = 1L;
        private final Map<Integer, Integer> last = new HashMap<>();

        @Override
        public Tuple2<Integer, Integer> map(Tuple2<Integer, Integer> number) {
            Integer before = last.put(number.f0, number.f1);
            return number.f1 == (before == null ? 1 : before + 1)
                    ? number
                    : Tuple2.of(number.f0, -number.f1);
        }
    }

    /** Counts how many keys of the stage before have come to a number. */
    private static final class PerKey
            extends KeyedProcessFunction<Integer, Tuple2<Integer, Integer>, String> {
        private static final long serialVersionUID = 1L;
        private transient ValueState<Integer> count;

        @Override
        public void open(Configuration parameters) {
            count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Types.INT));
        }

        @Override
        public void processElement(
                Tuple2<Integer, Integer> number, Context context, Collector<String> out)
                throws Exception {
            int next = count.value() == null ? 1 : count.value() + 1;
            count.update(next);
            out.collect(context.getCurrentKey() + " " + next);
        }
    }

    private static final class PerKey2
            extends KeyedProcessFunction<Integer, Tuple2<Integer, Integer>, String> {
        private static final long serialVersionUID = 1L;
        private transient MapState<Integer, String> seen;

        @Override
        public void open(Configuration parameters) {
            seen =
                    getRuntimeContext()
                            .getMapState(new MapStateDescriptor<>("seen", Types.INT, Types.STRING));
        }

        @Override
        public void processElement(
                Tuple2<Integer, Integer> number, Context context, Collector<String> out)
                throws Exception {
            boolean again = seen.contains(number.f1);
            // a map may have null as a value
            seen.put(number.f1, number.f1 % 4 == 0 ? null : "odd");
            out.collect(number + (again ? " again" : "") + " " + seen.get(number.f1));
        }
    }

    /** How many records a key has had. */
    static final class CountPerKey<T> extends RichMapFunction<T, Long> {
        private static final long serialVersionUID = 1L;
        private transient ValueState<Long> count;

        @Override
        public void open(Configuration parameters) {
            count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Types.LONG));
        }

        @Override
        public Long map(T record) throws Exception {
            long next = count.value() == null ? 1 : count.value() + 1;
            count.update(next);
            return next;
        }
    }

    /** An account. */
    public static final class Account {
        public int number;
        public String owner;
        public long amount;

        public Account() {}

        Account(int number, String owner, long amount) {
            this.number = number;
            this.owner = owner;
            this.amount = amount;
        }
    }

    /** The key of an account. */
    public static final class AccountKey {
        public int number;
        public String owner;

        public AccountKey() {}

        AccountKey(int number, String owner) {
            this.number = number;
            this.owner = owner;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof AccountKey
                    && ((AccountKey) other).number == number
                    && Objects.equals(((AccountKey) other).owner, owner);
        }

        @Override
        public int hashCode() {
            return Objects.hash(number, owner);
        }
    }

    /** Changes what the state gives it, without an update: on the heap that is one object. */
    private static final class InPlace
            extends KeyedProcessFunction<
                    Integer, Tuple4<Long, Integer, Integer, Long>, Tuple2<Integer, String>> {
        private static final long serialVersionUID = 1L;
        private transient ValueState<int[]> sums;
        private transient MapState<Integer, int[]> values;
        private transient Tuple2<Integer, String> result;

        @Override
        public void open(Configuration parameters) {
            PrimitiveArrayTypeInfo<int[]> array =
                    PrimitiveArrayTypeInfo.INT_PRIMITIVE_ARRAY_TYPE_INFO;
            sums = getRuntimeContext().getState(new ValueStateDescriptor<>("sums", array));
            values =
                    getRuntimeContext()
                            .getMapState(new MapStateDescriptor<>("values", Types.INT, array));
            result = new Tuple2<>();
        }

        @Override
        public void processElement(
                Tuple4<Long, Integer, Integer, Long> event,
                Context context,
                Collector<Tuple2<Integer, String>> out)
                throws Exception {
            if (sums.value() == null) {
                sums.update(new int[2]);
            }
            int slot = event.f2 % 4;
            if (!values.contains(slot)) {
                values.put(slot, new int[1]);
            }
            sums.value()[0] += event.f2;
            sums.value()[1]++;
            values.get(slot)[0]++;
            int[] sum = sums.value();
            result.setFields(event.f1, sum[0] + " of " + sum[1] + ", " + values.get(slot)[0]);
            out.collect(result);
        }
    }

    /** An operator with timers of two namespaces. */
    private static final class Sums extends AbstractStreamOperator<String>
            implements OneInputStreamOperator<Tuple4<Long, Integer, Integer, Long>, String>,
                    Triggerable<Integer, String> {
        private static final long serialVersionUID = 1L;
        private transient ValueState<Integer> sum;
        private transient InternalTimerService<String> timers;

        @Override
        public void open() throws Exception {
            super.open();
            sum = getRuntimeContext().getState(new ValueStateDescriptor<>("sum", Types.INT));
            timers = getInternalTimerService("sums", StringSerializer.INSTANCE, this);
        }

        @Override
        public void processElement(StreamRecord<Tuple4<Long, Integer, Integer, Long>> record)
                throws Exception {
            Tuple4<Long, Integer, Integer, Long> event = record.getValue();
            sum.update((sum.value() == null ? 0 : sum.value()) + event.f2);
            timers.registerEventTimeTimer(
                    event.f2 < 50 ? "small" : "large", event.f3 / 500 * 500 + 500);
            timers.registerEventTimeTimer("end", Long.MAX_VALUE - 1);
        }

        @Override
        public void onEventTime(InternalTimer<Integer, String> timer) throws Exception {
            String result = timer.getKey() + " " + timer.getNamespace();
            output.collect(
                    new StreamRecord<>(
                            timer.getNamespace().equals("end")
                                    ? result + " " + sum.value()
                                    : result + " " + timer.getTimestamp()));
        }

        @Override
        public void onProcessingTime(InternalTimer<Integer, String> timer) {
            throw new IllegalStateException("none has been registered");
        }
    }

    /** Each rule is applied to each key that there is, once and in order. */
    private static final class RulesForAll
            extends KeyedBroadcastProcessFunction<
                    Integer,
                    Tuple4<Long, Integer, Integer, Long>,
                    Tuple4<Long, Integer, Integer, Long>,
                    String> {
        private static final long serialVersionUID = 1L;
        private static final String NEWEST = "newest";
        private static final ValueStateDescriptor<Long> LAST =
                new ValueStateDescriptor<>("last", Types.LONG);
        private final MapStateDescriptor<String, Long> descriptor;

        private RulesForAll(MapStateDescriptor<String, Long> descriptor) {
            this.descriptor = descriptor;
        }

        @Override
        public void processElement(
                Tuple4<Long, Integer, Integer, Long> event,
                ReadOnlyContext context,
                Collector<String> out)
                throws Exception {
            ValueState<Long> last = getRuntimeContext().getState(LAST);
            Long newest = context.getBroadcastState(descriptor).get(NEWEST);
            if (last.value() == null) {
                last.update(newest == null ? -1 : newest);
                context.timerService().registerEventTimeTimer(Long.MAX_VALUE - 1);
            }
            boolean all = last.value() == (newest == null ? -1 : newest);
            out.collect(event + (all ? "" : " after rule " + last.value() + " of " + newest));
        }

        @Override
        public void processBroadcastElement(
                Tuple4<Long, Integer, Integer, Long> rule, Context context, Collector<String> out)
                throws Exception {
            context.getBroadcastState(descriptor).put(NEWEST, rule.f0);
            context.applyToKeyedState(
                    LAST,
                    (key, last) -> {
                        if (last.value() != rule.f0 - 1) {
                            out.collect(key + ": rule " + rule.f0 + " after " + last.value());
                        }
                        last.update(rule.f0);
                    });
        }

        @Override
        public void onTimer(long timestamp, OnTimerContext context, Collector<String> out)
                throws Exception {
            out.collect(
                    context.getCurrentKey()
                            + " has rule "
                            + getRuntimeContext().getState(LAST).value());
        }
    }

    /** Each rule of each key of rules is applied to each key that there is, once and in order. */
    private static final class RulesOfKeys
            extends KeyedBroadcastProcessFunction<
                    Integer,
                    Tuple4<Long, Integer, Integer, Long>,
                    Tuple2<Integer, Integer>,
                    String> {
        private static final long serialVersionUID = 1L;
        private static final MapStateDescriptor<Integer, Integer> LAST =
                new MapStateDescriptor<>("last", Types.INT, Types.INT);
        private final MapStateDescriptor<Integer, Integer> descriptor;

        private RulesOfKeys(MapStateDescriptor<Integer, Integer> descriptor) {
            this.descriptor = descriptor;
        }

        @Override
        public void processElement(
                Tuple4<Long, Integer, Integer, Long> event,
                ReadOnlyContext context,
                Collector<String> out)
                throws Exception {
            MapState<Integer, Integer> last = getRuntimeContext().getMapState(LAST);
            if (!last.contains(-1)) {
                // from now on the key is one that rules are applied to
                last.put(-1, 0);
                for (Map.Entry<Integer, Integer> rule :
                        context.getBroadcastState(descriptor).immutableEntries()) {
                    last.put(rule.getKey(), rule.getValue());
                }
                context.timerService().registerEventTimeTimer(Long.MAX_VALUE - 1);
            }
            StringBuilder missed = new StringBuilder();
            for (Map.Entry<Integer, Integer> rule :
                    context.getBroadcastState(descriptor).immutableEntries()) {
                if (!rule.getValue().equals(last.get(rule.getKey()))) {
                    missed.append(" without ").append(rule);
                }
            }
            out.collect(event.toString() + missed);
        }

        @Override
        public void processBroadcastElement(
                Tuple2<Integer, Integer> rule, Context context, Collector<String> out)
                throws Exception {
            context.getBroadcastState(descriptor).put(rule.f0, rule.f1);
            context.applyToKeyedState(
                    LAST,
                    (key, last) -> {
                        Integer before = last.get(rule.f0);
                        if (rule.f1 != (before == null ? 1 : before + 1)) {
                            out.collect(key + ": rule " + rule + " after " + before);
                        }
                        last.put(rule.f0, rule.f1);
                    });
        }

        @Override
        public void onTimer(long timestamp, OnTimerContext context, Collector<String> out)
                throws Exception {
            Map<Integer, Integer> rules = new TreeMap<>();
            for (Map.Entry<Integer, Integer> rule :
                    getRuntimeContext().getMapState(LAST).entries()) {
                rules.put(rule.getKey(), rule.getValue());
            }
            out.collect(context.getCurrentKey() + " has rules " + rules);
        }
    }

    /** The sums of both inputs, at the end of each half second. */
    private static final class Totals
            extends KeyedCoProcessFunction<
                    Integer,
                    Tuple4<Long, Integer, Integer, Long>,
                    Tuple4<Long, Integer, Integer, Long>,
                    String> {
        private static final long serialVersionUID = 1L;
        private static final long PERIOD = 500;
        private transient MapState<Long, Long> left;
        private transient MapState<Long, Long> right;

        @Override
        public void open(Configuration parameters) {
            left =
                    getRuntimeContext()
                            .getMapState(new MapStateDescriptor<>("left", Types.LONG, Types.LONG));
            right =
                    getRuntimeContext()
                            .getMapState(new MapStateDescriptor<>("right", Types.LONG, Types.LONG));
        }

        @Override
        public void processElement1(
                Tuple4<Long, Integer, Integer, Long> event, Context context, Collector<String> out)
                throws Exception {
            add(left, event, context);
        }

        @Override
        public void processElement2(
                Tuple4<Long, Integer, Integer, Long> event, Context context, Collector<String> out)
                throws Exception {
            add(right, event, context);
        }

        private static void add(
                MapState<Long, Long> sums,
                Tuple4<Long, Integer, Integer, Long> event,
                Context context)
                throws Exception {
            long end = event.f3 / PERIOD * PERIOD + PERIOD;
            Long before = sums.get(end);
            sums.put(end, (before == null ? 0 : before) + event.f2);
            context.timerService().registerEventTimeTimer(end);
        }

        @Override
        public void onTimer(long timestamp, OnTimerContext context, Collector<String> out)
                throws Exception {
            out.collect(
                    context.getCurrentKey()
                            + " at "
                            + timestamp
                            + " "
                            + left.get(timestamp)
                            + " "
                            + right.get(timestamp));
            left.remove(timestamp);
            right.remove(timestamp);
        }
    }

    /** Gives each record on when a timer of the clock fires, and when one of event time does. */
    private static final class Delayed
            extends KeyedProcessFunction<
                    Integer, Tuple4<Long, Integer, Integer, Long>, Tuple2<Integer, String>> {
        private static final long serialVersionUID = 1L;
        private transient ListState<Long> pending;

        @Override
        public void open(Configuration parameters) {
            pending =
                    getRuntimeContext()
                            .getListState(new ListStateDescriptor<>("pending", Types.LONG));
        }

        @Override
        public void processElement(
                Tuple4<Long, Integer, Integer, Long> event,
                Context context,
                Collector<Tuple2<Integer, String>> out)
                throws Exception {
            pending.add(event.f0);
            long now = context.timerService().currentProcessingTime();
            context.timerService().registerProcessingTimeTimer(now + event.f2 % 20);
        }

        @Override
        public void onTimer(
                long timestamp, OnTimerContext context, Collector<Tuple2<Integer, String>> out)
                throws Exception {
            for (long record : pending.get()) {
                out.collect(Tuple2.of(context.getCurrentKey(), "a late " + record));
            }
            pending.clear();
        }
    }

    /** Has list state of a subtask, which goes to all at a restart, and asks where it is. */
    private static final class WithUnionState
            extends RichMapFunction<
                    Tuple4<Long, Integer, Integer, Long>, Tuple4<Long, Integer, Integer, Long>>
            implements CheckpointedFunction, CheckpointListener {
        private static final long serialVersionUID = 1L;
        private transient ListState<String> subtasks;
        private long records;
        private long completed;

        @Override
        public void initializeState(FunctionInitializationContext context) throws Exception {
            subtasks =
                    context.getOperatorStateStore()
                            .getUnionListState(new ListStateDescriptor<>("subtasks", Types.STRING));
        }

        @Override
        public void snapshotState(FunctionSnapshotContext context) throws Exception {
            subtasks.clear();
            subtasks.add(Subtasks.index(getRuntimeContext()) + " " + records);
        }

        @Override
        public void notifyCheckpointComplete(long checkpoint) {
            completed = Math.max(completed, checkpoint);
        }

        @Override
        public Tuple4<Long, Integer, Integer, Long> map(
                Tuple4<Long, Integer, Integer, Long> event) {
            records++;
            int subtask = Subtasks.index(getRuntimeContext());
            int parallelism = Subtasks.parallelism(getRuntimeContext());
            if (subtask >= parallelism) {
                throw new IllegalStateException(subtask + " of " + parallelism);
            }
            return event;
        }
    }

    private static final class WithListCheckpointed
            extends RichMapFunction<Tuple2<Integer, Integer>, Tuple2<Integer, Integer>>
            implements ListCheckpointed<Long> {
        private static final long serialVersionUID = 1L;
        private long records;

        @Override
        public List<Long> snapshotState(long checkpoint, long timestamp) {
            return Collections.singletonList(records);
        }

        @Override
        public void restoreState(List<Long> state) {
            state.forEach(before -> records += before);
        }

        @Override
        public Tuple2<Integer, Integer> map(Tuple2<Integer, Integer> number) {
            records++;
            return number;
        }
    }

    private static final class WithTtl
            extends RichMapFunction<
                    Tuple4<Long, Integer, Integer, Long>, Tuple2<Integer, Integer>> {
        private static final long serialVersionUID = 1L;
        private transient ValueState<Integer> sum;

        @Override
        public void open(Configuration parameters) {
            ValueStateDescriptor<Integer> descriptor = new ValueStateDescriptor<>("sum", Types.INT);
            descriptor.enableTimeToLive(
                    StateTtlConfig.newBuilder(hours(1))
                            .setUpdateType(StateTtlConfig.UpdateType.OnReadAndWrite)
                            .cleanupIncrementally(5, true)
                            .build());
            sum = getRuntimeContext().getState(descriptor);
        }

        @Override
        public Tuple2<Integer, Integer> map(Tuple4<Long, Integer, Integer, Long> event)
                throws Exception {
            int next = (sum.value() == null ? 0 : sum.value()) + event.f2;
            sum.update(next);
            return Tuple2.of(event.f1, next);
        }
    }

    private static final class Accumulating
            extends RichMapFunction<
                    Tuple4<Long, Integer, Integer, Long>, Tuple2<Integer, Integer>> {
        private static final long serialVersionUID = 1L;
        private final IntCounter records = new IntCounter();
        private final Histogram values = new Histogram();

        @Override
        public void open(Configuration parameters) {
            getRuntimeContext().addAccumulator("records", records);
            getRuntimeContext().addAccumulator("values", values);
        }

        @Override
        public Tuple2<Integer, Integer> map(Tuple4<Long, Integer, Integer, Long> event) {
            records.add(1);
            values.add(event.f2);
            return Tuple2.of(event.f1, event.f2);
        }
    }

    /** How often a window has fired, and how often windows of the key have. */
    private static final class Panes
            extends ProcessWindowFunction<
                    Tuple4<Long, Integer, Integer, Long>, String, Integer, TimeWindow> {
        private static final long serialVersionUID = 1L;
        private static final ValueStateDescriptor<Integer> OF_WINDOW =
                new ValueStateDescriptor<>("of window", Types.INT);
        private static final ValueStateDescriptor<Integer> OF_KEY =
                new ValueStateDescriptor<>("of key", Types.INT);

        @Override
        public void process(
                Integer key,
                Context context,
                Iterable<Tuple4<Long, Integer, Integer, Long>> events,
                Collector<String> out)
                throws Exception {
            ValueState<Integer> inWindow = context.windowState().getState(OF_WINDOW);
            ValueState<Integer> inAll = context.globalState().getState(OF_KEY);
            inWindow.update(inWindow.value() == null ? 1 : inWindow.value() + 1);
            inAll.update(inAll.value() == null ? 1 : inAll.value() + 1);
            int sum = 0;
            for (Tuple4<Long, Integer, Integer, Long> event : events) {
                sum += event.f2;
            }
            out.collect(
                    key
                            + " "
                            + context.window().getStart()
                            + " "
                            + sum
                            + " "
                            + inWindow.value()
                            + " "
                            + inAll.value());
        }

        @Override
        public void clear(Context context) throws Exception {
            context.windowState().getState(OF_WINDOW).clear();
        }
    }

    /** Answers come after up to 3 ms, in any order. */
    private static final class Calls
            extends RichAsyncFunction<Tuple2<Integer, Integer>, Tuple2<Integer, Integer>> {
        private static final long serialVersionUID = 1L;
        private transient ScheduledExecutorService server;

        @Override
        public void open(Configuration parameters) {
            server = Executors.newScheduledThreadPool(1);
        }

        @Override
        public void close() {
            if (server != null) {
                server.shutdownNow();
            }
        }

        @Override
        public void asyncInvoke(
                Tuple2<Integer, Integer> number, ResultFuture<Tuple2<Integer, Integer>> result) {
            server.schedule(
                    () -> result.complete(Collections.singletonList(number)),
                    (number.f0 * 31 + number.f1 * 17) % 3_000,
                    TimeUnit.MICROSECONDS);
        }
    }

    /** Numbers of each key, to all three outputs in turn. */
    private static final class Dealing
            extends KeyedProcessFunction<
                    Integer, Tuple4<Long, Integer, Integer, Long>, Tuple2<Integer, Integer>> {
        private static final long serialVersionUID = 1L;
        private final OutputTag<Tuple2<Integer, Integer>> even;
        private final OutputTag<Tuple2<Integer, Integer>> third;
        private transient ValueState<Integer> count;

        private Dealing(
                OutputTag<Tuple2<Integer, Integer>> even,
                OutputTag<Tuple2<Integer, Integer>> third) {
            this.even = even;
            this.third = third;
        }

        @Override
        public void open(Configuration parameters) {
            count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Types.INT));
        }

        @Override
        public void processElement(
                Tuple4<Long, Integer, Integer, Long> event,
                Context context,
                Collector<Tuple2<Integer, Integer>> out)
                throws Exception {
            int next = count.value() == null ? 1 : count.value() + 1;
            count.update(next);
            Tuple2<Integer, Integer> number = Tuple2.of(event.f1, next);
            out.collect(number);
            if (next % 2 == 0) {
                context.output(even, number);
            }
            if (next % 3 == 0) {
                context.output(third, number);
            }
        }
    }
}
