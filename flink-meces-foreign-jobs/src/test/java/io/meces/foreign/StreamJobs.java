// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import static io.meces.foreign.Comparison.ORDER_PER_KEY;
import static io.meces.foreign.Comparison.RESULTS;

import io.meces.flink.runtime.Subtasks;
import io.meces.flink.runtime.TestSerializers;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.eventtime.TimestampAssigner;
import org.apache.flink.api.common.eventtime.TimestampAssignerSupplier;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.common.eventtime.WatermarkGenerator;
import org.apache.flink.api.common.eventtime.WatermarkGeneratorSupplier;
import org.apache.flink.api.common.eventtime.WatermarkOutput;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.CoGroupFunction;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.api.java.tuple.Tuple4;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.datastream.AsyncDataStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.async.AsyncFunction;
import org.apache.flink.streaming.api.functions.async.ResultFuture;
import org.apache.flink.streaming.api.functions.co.KeyedBroadcastProcessFunction;
import org.apache.flink.streaming.api.functions.co.KeyedCoProcessFunction;
import org.apache.flink.streaming.api.functions.co.ProcessJoinFunction;
import org.apache.flink.streaming.api.functions.windowing.delta.DeltaFunction;
import org.apache.flink.streaming.api.windowing.assigners.EventTimeSessionWindows;
import org.apache.flink.streaming.api.windowing.assigners.GlobalWindows;
import org.apache.flink.streaming.api.windowing.assigners.SlidingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.evictors.TimeEvictor;
import org.apache.flink.streaming.api.windowing.time.Time;
import org.apache.flink.streaming.api.windowing.triggers.DeltaTrigger;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/** Jobs of the DataStream API; among them what Flink's own examples do. */
final class StreamJobs {

    private StreamJobs() {}

    static List<ForeignJob> all() {
        List<ForeignJob> jobs = new ArrayList<>();
        jobs.add(new ForeignJob("word count", ORDER_PER_KEY, StreamJobs::wordCount));
        jobs.add(new ForeignJob("state backend in code", ORDER_PER_KEY, StreamJobs::backendInCode));
        jobs.add(new ForeignJob("count windows of words", ORDER_PER_KEY, StreamJobs::countWindows));
        jobs.add(new ForeignJob("session windows", RESULTS, StreamJobs::sessions));
        jobs.add(new ForeignJob("top speed windows", ORDER_PER_KEY, StreamJobs::topSpeed));
        jobs.add(new ForeignJob("window join", RESULTS, StreamJobs::windowJoin));
        jobs.add(new ForeignJob("interval join of streams", RESULTS, StreamJobs::intervalJoin));
        jobs.add(new ForeignJob("state machine", ORDER_PER_KEY, StreamJobs::stateMachine));
        jobs.add(new ForeignJob("side output", RESULTS, StreamJobs::sideOutput));
        jobs.add(new ForeignJob("asynchronous I/O", RESULTS, StreamJobs::asynchronous));
        jobs.add(new ForeignJob("fraud detection with timers", RESULTS, StreamJobs::fraud));
        jobs.add(
                new ForeignJob("records between timers", ORDER_PER_KEY, StreamJobs::betweenTimers));
        jobs.add(new ForeignJob("late records", RESULTS, StreamJobs::lateRecords));
        jobs.add(new ForeignJob("rules by broadcast", RESULTS, StreamJobs::rules));
        jobs.add(new ForeignJob("windows of windows", RESULTS, StreamJobs::windowsOfWindows));
        jobs.add(new ForeignJob("two keyed stages", ORDER_PER_KEY, StreamJobs::twoStages));
        jobs.add(new ForeignJob("two stages of other keys", RESULTS, StreamJobs::otherKeys));
        jobs.add(new ForeignJob("three keyed stages", ORDER_PER_KEY, StreamJobs::threeStages));
        jobs.add(new ForeignJob("diamond of keyed stages", ORDER_PER_KEY, StreamJobs::diamond));
        jobs.add(new ForeignJob("broadcast of results", ORDER_PER_KEY, StreamJobs::broadcast));
        jobs.add(new ForeignJob("session coGroup", RESULTS, StreamJobs::coGroup));
        jobs.add(new ForeignJob("sink in the chain", ORDER_PER_KEY, StreamJobs::chainedSink));
        jobs.add(new ForeignJob("no keyed operator", RESULTS, StreamJobs::notKeyed));
        return jobs;
    }

    private static void wordCount(Run run) {
        run.collect(words(run).keyBy(word -> word.f0, Types.STRING).sum(1), word -> word.f0);
    }

    private static void backendInCode(Run run) throws IOException {
        StateInCode.setHeap(run.env, Backend.newDirectory());
        wordCount(run);
    }

    private static SingleOutputStreamOperator<Tuple2<String, Integer>> words(Run run) {
        return run.source("words", new Words(), Types.STRING, Run.RECORDS / 2, 1)
                .flatMap(
                        (String line, Collector<Tuple2<String, Integer>> out) -> {
                            for (String word : line.split(" ")) {
                                out.collect(Tuple2.of(word, 1));
                            }
                        })
                .returns(Types.TUPLE(Types.STRING, Types.INT));
    }

    private static void countWindows(Run run) {
        run.collect(
                words(run).keyBy(word -> word.f0, Types.STRING).countWindow(50, 30).sum(1),
                word -> word.f0);
    }

    private static void sessions(Run run) {
        run.collect(
                run.events("clicks", 2)
                        .keyBy(e -> e.f1, Types.INT)
                        .window(EventTimeSessionWindows.withGap(Time.milliseconds(300)))
                        .sum(2)
                        .map(e -> e.f1 + " " + e.f2)
                        .returns(Types.STRING));
    }

    private static void topSpeed(Run run) {
        run.collect(
                run.events("cars")
                        .keyBy(e -> e.f1, Types.INT)
                        .window(GlobalWindows.create())
                        .evictor(TimeEvictor.of(Time.seconds(2)))
                        .trigger(
                                DeltaTrigger.of(
                                        150,
                                        new Distance(),
                                        TestSerializers.of(Run.EVENT, run.env.getConfig())))
                        .maxBy(2),
                e -> e.f1);
    }

    private static void windowJoin(Run run) {
        run.collect(
                run.events("grades", 2)
                        .join(run.events("salaries", 2))
                        .where(e -> e.f1, Types.INT)
                        .equalTo(e -> e.f1, Types.INT)
                        .window(TumblingEventTimeWindows.of(Time.milliseconds(700)))
                        .apply((grade, salary) -> grade + " " + salary, Types.STRING));
    }

    private static void intervalJoin(Run run) {
        run.collect(
                run.events("orders", 2)
                        .keyBy(e -> e.f1, Types.INT)
                        .intervalJoin(run.events("payments", 2).keyBy(e -> e.f1, Types.INT))
                        .between(Time.milliseconds(-100), Time.milliseconds(300))
                        .process(new Pairs()));
    }

    private static void stateMachine(Run run) {
        run.collect(
                run.events("transitions").keyBy(e -> e.f1, Types.INT).flatMap(new Machine()),
                alert -> alert.f0);
    }

    private static void sideOutput(Run run) {
        OutputTag<String> large = new OutputTag<>("large", Types.STRING);
        SingleOutputStreamOperator<String> small =
                run.events("tokens", 2).keyBy(e -> e.f1, Types.INT).process(new Splitter(large));
        run.collect(small.union(small.getSideOutput(large)));
    }

    private static void asynchronous(Run run) {
        run.collect(
                AsyncDataStream.unorderedWait(
                                run.events("requests", 2), new Lookup(), 60, TimeUnit.SECONDS, 20)
                        .returns(Run.EVENT)
                        .keyBy(e -> e.f1, Types.INT)
                        .window(TumblingEventTimeWindows.of(Time.milliseconds(500)))
                        .sum(2)
                        .map(e -> e.f1 + " " + e.f2)
                        .returns(Types.STRING));
    }

    private static void fraud(Run run) {
        run.collect(run.events("transactions").keyBy(e -> e.f1, Types.INT).process(new Fraud()));
    }

    private static void betweenTimers(Run run) {
        run.collect(
                run.events("transactions").keyBy(e -> e.f1, Types.INT).process(new BetweenTimers()),
                result -> result.f0);
    }

    /** Which records are late is determined, as they come from one subtask. */
    private static void lateRecords(Run run) {
        OutputTag<Tuple4<Long, Integer, Integer, Long>> late = new OutputTag<>("late", Run.EVENT);
        SingleOutputStreamOperator<Tuple4<Long, Integer, Integer, Long>> sums =
                withLateOnes(run)
                        .keyBy(e -> e.f1, Types.INT)
                        .window(TumblingEventTimeWindows.of(Time.milliseconds(100)))
                        .sideOutputLateData(late)
                        .sum(2);
        run.collect(
                sums.map(e -> e.f1 + ": sum " + e.f2)
                        .returns(Types.STRING)
                        .union(
                                sums.getSideOutput(late)
                                        .map(e -> e.f1 + ": late " + e)
                                        .returns(Types.STRING)));
    }

    /** Some records are late, whichever subtask they come to. */
    static DataStream<Tuple4<Long, Integer, Integer, Long>> withLateOnes(Run run) {
        return run.events("transactions")
                .map(e -> Tuple4.of(e.f0, e.f1, e.f2, e.f2 < 30 ? e.f3 - 150 : e.f3))
                .returns(Run.EVENT)
                .setParallelism(1)
                .assignTimestampsAndWatermarks(new Reassigned())
                .setParallelism(1);
    }

    private static void rules(Run run) {
        MapStateDescriptor<String, Long> descriptor =
                new MapStateDescriptor<>("rules", Types.STRING, Types.LONG);
        run.collect(
                run.events("transactions", 2)
                        .keyBy(e -> e.f1, Types.INT)
                        .connect(run.events("rules").broadcast(descriptor))
                        .process(new Rules(descriptor)));
    }

    private static void windowsOfWindows(Run run) {
        run.collect(
                run.events("bids", 2)
                        .keyBy(e -> e.f1, Types.INT)
                        .window(
                                SlidingEventTimeWindows.of(
                                        Time.milliseconds(900), Time.milliseconds(300)))
                        .sum(2)
                        .keyBy(e -> e.f1 % 7, Types.INT)
                        .window(TumblingEventTimeWindows.of(Time.milliseconds(300)))
                        .reduce((a, b) -> Tuple4.of(0L, a.f1 % 7, a.f2 + b.f2, 0L))
                        .map(e -> e.f1 % 7 + " " + e.f2)
                        .returns(Types.STRING));
    }

    private static void twoStages(Run run) {
        run.collect(
                run.events("first")
                        .keyBy(e -> e.f1, Types.INT)
                        .process(new Numbering())
                        .keyBy(e -> e.f0, Types.INT)
                        .process(new Inversions()),
                e -> e.f0);
    }

    private static void otherKeys(Run run) {
        run.collect(
                run.events("first", 2)
                        .keyBy(e -> e.f1, Types.INT)
                        .process(new Numbering())
                        .keyBy(e -> e.f1 % 100, Types.INT)
                        .process(new PerNumber()));
    }

    private static void threeStages(Run run) {
        run.collect(
                run.events("first")
                        .keyBy(e -> e.f1, Types.INT)
                        .process(new Numbering())
                        .keyBy(e -> e.f0, Types.INT)
                        .process(new Inversions())
                        .keyBy(e -> e.f0, Types.INT)
                        .process(new Inversions()),
                e -> e.f0);
    }

    /** Both branches have the numbers of each key in order; the pairs are in the order of both. */
    private static void diamond(Run run) {
        DataStream<Tuple2<Integer, Integer>> numbers =
                run.events("first").keyBy(e -> e.f1, Types.INT).process(new Numbering());
        run.collect(
                numbers.keyBy(e -> e.f0, Types.INT)
                        .process(new Inversions())
                        .keyBy(e -> e.f0, Types.INT)
                        .connect(numbers.keyBy(e -> e.f0, Types.INT))
                        .process(new Zip()),
                e -> e.f0);
    }

    /** Each of two subtasks checks all results. */
    private static void broadcast(Run run) {
        run.collect(
                run.events("first")
                        .keyBy(e -> e.f1, Types.INT)
                        .process(new Numbering())
                        .broadcast()
                        .map(new InversionsInMemory()),
                e -> e);
    }

    private static void coGroup(Run run) {
        run.collect(
                run.events("left", 2)
                        .coGroup(run.events("right", 2))
                        .where(e -> e.f1, Types.INT)
                        .equalTo(e -> e.f1, Types.INT)
                        .window(EventTimeSessionWindows.withGap(Time.milliseconds(200)))
                        .apply(new Sums(), Types.STRING));
    }

    private static void chainedSink(Run run) {
        run.events("upserts")
                .keyBy(e -> e.f1, Types.INT)
                .process(new Numbering())
                .map(e -> e.f0 + ": " + e.f1)
                .returns(Types.STRING)
                .addSink(new Results.Sink<>(run.results.name));
    }

    private static void notKeyed(Run run) {
        run.collect(run.events("lines", 2).filter(e -> e.f2 > 50));
    }

    /** Lines of words, of which the first ones are frequent. */
    private static final class Words implements FeedSource.Script<String> {
        private static final long serialVersionUID = 1L;
        private final Run.Events events = new Run.Events(1);

        @Override
        public String record(long number) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < 3; i++) {
                line.append("word").append(events.record(3 * number + i).f1).append(' ');
            }
            return line.toString().trim();
        }

        @Override
        public long timestamp(long number) {
            return number * Run.EVENT_TIME_STEP;
        }
    }

    private static final class Distance
            implements DeltaFunction<Tuple4<Long, Integer, Integer, Long>> {
        private static final long serialVersionUID = 1L;

        @Override
        public double getDelta(
                Tuple4<Long, Integer, Integer, Long> old,
                Tuple4<Long, Integer, Integer, Long> current) {
            return current.f0 - old.f0;
        }
    }

    private static final class Pairs
            extends ProcessJoinFunction<
                    Tuple4<Long, Integer, Integer, Long>,
                    Tuple4<Long, Integer, Integer, Long>,
                    String> {
        private static final long serialVersionUID = 1L;

        @Override
        public void processElement(
                Tuple4<Long, Integer, Integer, Long> left,
                Tuple4<Long, Integer, Integer, Long> right,
                Context context,
                Collector<String> out) {
            out.collect(left + " " + right);
        }
    }

    /** Four states; a value that no transition has resets the machine and gives an alert. */
    private static final class Machine
            extends RichFlatMapFunction<
                    Tuple4<Long, Integer, Integer, Long>, Tuple3<Integer, Integer, Long>> {
        private static final long serialVersionUID = 1L;
        private transient ValueState<Integer> state;

        @Override
        public void open(Configuration parameters) {
            state = getRuntimeContext().getState(new ValueStateDescriptor<>("state", Types.INT));
        }

        @Override
        public void flatMap(
                Tuple4<Long, Integer, Integer, Long> event,
                Collector<Tuple3<Integer, Integer, Long>> out)
                throws Exception {
            int before = state.value() == null ? 0 : state.value();
            if (event.f2 % 4 == before) {
                out.collect(Tuple3.of(event.f1, before, event.f0));
                state.clear();
            } else {
                state.update((before * 3 + event.f2) % 4);
            }
        }
    }

    private static final class Splitter
            extends KeyedProcessFunction<Integer, Tuple4<Long, Integer, Integer, Long>, String> {
        private static final long serialVersionUID = 1L;
        private final OutputTag<String> large;

        private Splitter(OutputTag<String> large) {
            this.large = large;
        }

        @Override
        public void processElement(
                Tuple4<Long, Integer, Integer, Long> event,
                Context context,
                Collector<String> out) {
            if (event.f2 > 50) {
                context.output(large, "large " + event);
            } else {
                out.collect("small " + event);
            }
        }
    }

    /** Completes in another thread. */
    private static final class Lookup
            implements AsyncFunction<
                    Tuple4<Long, Integer, Integer, Long>, Tuple4<Long, Integer, Integer, Long>> {
        private static final long serialVersionUID = 1L;

        @Override
        public void asyncInvoke(
                Tuple4<Long, Integer, Integer, Long> event,
                ResultFuture<Tuple4<Long, Integer, Integer, Long>> result) {
            ForkJoinPool.commonPool()
                    .execute(
                            () ->
                                    result.complete(
                                            Collections.singletonList(
                                                    Tuple4.of(
                                                            event.f0,
                                                            event.f1,
                                                            event.f2 + 1,
                                                            event.f3))));
        }
    }

    /** 200 ms of event time after each small value, the sum of the values between. */
    private static final class Fraud
            extends KeyedProcessFunction<Integer, Tuple4<Long, Integer, Integer, Long>, String> {
        private static final long serialVersionUID = 1L;
        private static final long PERIOD = 200;
        private transient MapState<Long, Integer> values;

        @Override
        public void open(Configuration parameters) {
            values =
                    getRuntimeContext()
                            .getMapState(new MapStateDescriptor<>("values", Types.LONG, Types.INT));
        }

        @Override
        public void processElement(
                Tuple4<Long, Integer, Integer, Long> event, Context context, Collector<String> out)
                throws Exception {
            Integer before = values.get(event.f3);
            values.put(event.f3, before == null ? event.f2 : before + event.f2);
            if (event.f2 < 20) {
                context.timerService().registerEventTimeTimer(event.f3 + PERIOD);
            }
        }

        @Override
        public void onTimer(long timestamp, OnTimerContext context, Collector<String> out)
                throws Exception {
            int sum = 0;
            for (Map.Entry<Long, Integer> value : values.entries()) {
                if (value.getKey() >= timestamp - PERIOD && value.getKey() <= timestamp) {
                    sum += value.getValue();
                }
            }
            out.collect(context.getCurrentKey() + " at " + timestamp + " " + sum);
        }
    }

    /**
     * How many records a key has had since its timer has fired, and at which watermark each came.
     */
    private static final class BetweenTimers
            extends KeyedProcessFunction<
                    Integer, Tuple4<Long, Integer, Integer, Long>, Tuple2<Integer, String>> {
        private static final long serialVersionUID = 1L;
        private static final long PERIOD = 60;
        private transient ValueState<Integer> count;

        @Override
        public void open(Configuration parameters) {
            count = getRuntimeContext().getState(new ValueStateDescriptor<>("count", Types.INT));
        }

        @Override
        public void processElement(
                Tuple4<Long, Integer, Integer, Long> event,
                Context context,
                Collector<Tuple2<Integer, String>> out)
                throws Exception {
            Integer before = count.value();
            if (before == null) {
                context.timerService().registerEventTimeTimer(event.f3 + PERIOD);
            }
            int now = before == null ? 1 : before + 1;
            count.update(now);
            out.collect(
                    Tuple2.of(event.f1, now + " at " + context.timerService().currentWatermark()));
        }

        @Override
        public void onTimer(
                long timestamp, OnTimerContext context, Collector<Tuple2<Integer, String>> out)
                throws Exception {
            out.collect(Tuple2.of(context.getCurrentKey(), count.value() + " until " + timestamp));
            count.clear();
        }
    }

    /** A watermark after every seventh record. */
    private static final class Reassigned
            implements WatermarkStrategy<Tuple4<Long, Integer, Integer, Long>> {
        private static final long serialVersionUID = 1L;

        @Override
        public TimestampAssigner<Tuple4<Long, Integer, Integer, Long>> createTimestampAssigner(
                TimestampAssignerSupplier.Context context) {
            return (event, before) -> event.f3;
        }

        @Override
        public WatermarkGenerator<Tuple4<Long, Integer, Integer, Long>> createWatermarkGenerator(
                WatermarkGeneratorSupplier.Context context) {
            return new WatermarkGenerator<Tuple4<Long, Integer, Integer, Long>>() {
                private int records;
                private long latest = Long.MIN_VALUE;

                @Override
                public void onEvent(
                        Tuple4<Long, Integer, Integer, Long> event,
                        long timestamp,
                        WatermarkOutput output) {
                    latest = Math.max(latest, timestamp);
                    if (++records % 7 == 0) {
                        output.emitWatermark(new Watermark(latest - 1));
                    }
                }

                @Override
                public void onPeriodicEmit(WatermarkOutput output) {
                    // by records alone, so that it is the same in each run
                }
            };
        }
    }

    /**
     * Which rule is the newest when a record comes is not determined; but it never gets older for a
     * key.
     */
    private static final class Rules
            extends KeyedBroadcastProcessFunction<
                    Integer,
                    Tuple4<Long, Integer, Integer, Long>,
                    Tuple4<Long, Integer, Integer, Long>,
                    String> {
        private static final long serialVersionUID = 1L;
        private static final String NEWEST = "newest";
        private final MapStateDescriptor<String, Long> descriptor;
        private transient ValueState<Long> seen;

        private Rules(MapStateDescriptor<String, Long> descriptor) {
            this.descriptor = descriptor;
        }

        @Override
        public void open(Configuration parameters) {
            seen = getRuntimeContext().getState(new ValueStateDescriptor<>("seen", Types.LONG));
        }

        @Override
        public void processElement(
                Tuple4<Long, Integer, Integer, Long> event,
                ReadOnlyContext context,
                Collector<String> out)
                throws Exception {
            Long newest = context.getBroadcastState(descriptor).get(NEWEST);
            Long before = seen.value();
            seen.update(newest);
            boolean isOlder = before != null && (newest == null || newest < before);
            out.collect(event + (isOlder ? " by rule " + newest + " after " + before : ""));
        }

        @Override
        public void processBroadcastElement(
                Tuple4<Long, Integer, Integer, Long> rule, Context context, Collector<String> out)
                throws Exception {
            context.getBroadcastState(descriptor).put(NEWEST, rule.f0);
        }
    }

    /** Gives (key, 1), (key, 2) and so on. */
    static final class Numbering
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
    private static final class Inversions
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

    /** Joins the n-th number of one input with the n-th of the other. */
    private static final class Zip
            extends KeyedCoProcessFunction<
                    Integer,
                    Tuple2<Integer, Integer>,
                    Tuple2<Integer, Integer>,
                    Tuple3<Integer, Integer, Integer>> {
        private static final long serialVersionUID = 1L;
        private transient ListState<Integer> left;
        private transient ListState<Integer> right;

        @Override
        public void open(Configuration parameters) {
            left = getRuntimeContext().getListState(new ListStateDescriptor<>("left", Types.INT));
            right = getRuntimeContext().getListState(new ListStateDescriptor<>("right", Types.INT));
        }

        @Override
        public void processElement1(
                Tuple2<Integer, Integer> number,
                Context context,
                Collector<Tuple3<Integer, Integer, Integer>> out)
                throws Exception {
            left.add(number.f1);
            emit(number.f0, out);
        }

        @Override
        public void processElement2(
                Tuple2<Integer, Integer> number,
                Context context,
                Collector<Tuple3<Integer, Integer, Integer>> out)
                throws Exception {
            right.add(number.f1);
            emit(number.f0, out);
        }

        private void emit(int key, Collector<Tuple3<Integer, Integer, Integer>> out)
                throws Exception {
            List<Integer> ofLeft = new ArrayList<>();
            left.get().forEach(ofLeft::add);
            List<Integer> ofRight = new ArrayList<>();
            right.get().forEach(ofRight::add);
            if (!ofLeft.isEmpty() && !ofRight.isEmpty()) {
                out.collect(Tuple3.of(key, ofLeft.remove(0), ofRight.remove(0)));
                left.update(ofLeft);
                right.update(ofRight);
            }
        }
    }

    /**
     * In a subtask that is never rescaled: the subtask, and the number or that it is no next one.
     */
    private static final class InversionsInMemory
            extends RichMapFunction<Tuple2<Integer, Integer>, String> {
        private static final long serialVersionUID = 1L;
        private final Map<Integer, Integer> last = new HashMap<>();

        @Override
        public String map(Tuple2<Integer, Integer> number) {
            Integer before = last.put(number.f0, number.f1);
            int expected = before == null ? 1 : before + 1;
            return Subtasks.index(getRuntimeContext())
                    + " "
                    + number
                    + (number.f1 == expected ? "" : " after " + before);
        }
    }

    private static final class Sums
            implements CoGroupFunction<
                    Tuple4<Long, Integer, Integer, Long>,
                    Tuple4<Long, Integer, Integer, Long>,
                    String> {
        private static final long serialVersionUID = 1L;

        @Override
        public void coGroup(
                Iterable<Tuple4<Long, Integer, Integer, Long>> left,
                Iterable<Tuple4<Long, Integer, Integer, Long>> right,
                Collector<String> out) {
            out.collect(sum(left) + " " + sum(right));
        }

        private static Map<Integer, Integer> sum(
                Iterable<Tuple4<Long, Integer, Integer, Long>> events) {
            Map<Integer, Integer> sum = new TreeMap<>();
            events.forEach(e -> sum.merge(e.f1, e.f2, Integer::sum));
            return sum;
        }
    }

    /** Counts how many keys of the stage before have come to a number. */
    private static final class PerNumber
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
}
