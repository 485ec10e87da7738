// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live.matrix;

import io.meces.state.DetachedThreads;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.AsyncDataStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamUtils;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.async.AsyncFunction;
import org.apache.flink.streaming.api.functions.async.ResultFuture;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.ChainingStrategy;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.transformations.PhysicalTransformation;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.time.Time;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/** Several operators in one task, and operators that are not functions with state. */
final class BucketScenarios {

    private static final TypeInformation<Event> EVENT = TypeInformation.of(Event.class);

    private BucketScenarios() {}

    static List<Scenario> all() {
        return Arrays.asList(
                Scenario.of(
                        "two keyed functions in one task",
                        (feeds, run) ->
                                DataStreamUtils.reinterpretAsKeyedStream(
                                                folded(feeds), e -> e.key, Types.INT)
                                        .process(new Delayed())
                                        .returns(EVENT)
                                        .uid("second")
                                        .map(e -> e + " " + e.time)
                                        .returns(Types.STRING)),
                Scenario.of(
                        "windows behind a keyed function in one task",
                        (feeds, run) ->
                                DataStreamUtils.reinterpretAsKeyedStream(
                                                folded(feeds), e -> e.key, Types.INT)
                                        .window(TumblingEventTimeWindows.of(Time.milliseconds(100)))
                                        .process(new Times())
                                        .uid("second")),
                Scenario.of(
                        "bundles between two keyed functions in one task",
                        (feeds, run) ->
                                DataStreamUtils.reinterpretAsKeyedStream(
                                                chained(
                                                                folded(feeds)
                                                                        .transform(
                                                                                "bundles",
                                                                                EVENT,
                                                                                new Bundles()))
                                                        .uid("bundles"),
                                                e -> e.key,
                                                Types.INT)
                                        .process(new Delayed())
                                        .returns(EVENT)
                                        .uid("second")
                                        .map(e -> e + " " + e.time)
                                        .returns(Types.STRING)),
                Scenario.of(
                        "records bundled in memory",
                        (feeds, run) ->
                                feeds.next()
                                        .keyBy(e -> e.key, Types.INT)
                                        .transform("keyed", EVENT, new KeyedBundles())
                                        .uid("keyed")
                                        .map(e -> e + " " + e.time)
                                        .returns(Types.STRING)),
                Scenario.of(
                        "map and filter behind a keyed function",
                        (feeds, run) ->
                                folded(feeds)
                                        .filter(e -> e.seq % 3 > 0)
                                        .map(e -> e + " " + e.time)
                                        .returns(Types.STRING)),
                answers("asynchronous operator behind a keyed function", 3, 20),
                answers("asynchronous operator with many open requests", 500, 2_000),
                Scenario.of("side outputs of a keyed function", BucketScenarios::sideOutputs),
                Scenario.of(
                        "rolling reduce",
                        (feeds, run) ->
                                feeds.next()
                                        .keyBy(e -> e.key, Types.INT)
                                        .reduce(
                                                (a, b) ->
                                                        new Event(
                                                                a.key, b.seq, a.time * 31 + b.seq))
                                        .name("keyed")
                                        .uid("keyed")
                                        .map(e -> e + " " + e.time)
                                        .returns(Types.STRING)),
                Scenario.of(
                        "flatMap with state",
                        (feeds, run) ->
                                feeds.next()
                                        .keyBy(e -> e.key, Types.INT)
                                        .flatMap(new Halves())
                                        .returns(Types.STRING)
                                        .name("keyed")
                                        .uid("keyed")));
    }

    private static SingleOutputStreamOperator<Event> folded(Scenario.Feeds feeds) {
        return feeds.next()
                .keyBy(e -> e.key, Types.INT)
                .process(new FoldedTime())
                .returns(EVENT)
                .name("keyed")
                .uid("keyed");
    }

    private static Scenario answers(String name, int millis, int openRequests) {
        return Scenario.of(
                name,
                (feeds, run) ->
                        AsyncDataStream.orderedWait(
                                        folded(feeds),
                                        new Answers(millis),
                                        60,
                                        TimeUnit.SECONDS,
                                        openRequests)
                                .returns(Types.STRING)
                                .uid("answers"));
    }

    private static DataStream<String> sideOutputs(Scenario.Feeds feeds, String run) {
        OutputTag<String> even = new OutputTag<>("even", Types.STRING);
        OutputTag<Event> timers = new OutputTag<>("timers", EVENT);
        SingleOutputStreamOperator<String> main =
                feeds.next()
                        .keyBy(e -> e.key, Types.INT)
                        .process(new Sides(even, timers))
                        .returns(Types.STRING)
                        .name("keyed")
                        .uid("keyed");
        return main.union(
                main.getSideOutput(even),
                main.getSideOutput(timers).map(e -> "timer " + e).returns(Types.STRING));
    }

    /** Replaces the time of a record, in the record, by what depends on all before. */
    private static final class FoldedTime extends KeyedProcessFunction<Integer, Event, Event> {
        private static final long serialVersionUID = 1L;

        @Override
        public void processElement(Event e, Context context, Collector<Event> out)
                throws Exception {
            ValueState<Long> folded =
                    getRuntimeContext().getState(new ValueStateDescriptor<>("folded", Types.LONG));
            folded.update(Fold.next(folded.value(), e));
            out.collect(new Event(e.key, e.seq, folded.value()));
        }
    }

    /** Folds what has been folded, and emits the last state when the stream ends. */
    private static final class Delayed extends KeyedProcessFunction<Integer, Event, Event> {
        private static final long serialVersionUID = 1L;
        // the name that the first operator uses, too
        private static final ValueStateDescriptor<Long> FOLDED =
                new ValueStateDescriptor<>("folded", Types.LONG);

        @Override
        public void processElement(Event e, Context context, Collector<Event> out)
                throws Exception {
            ValueState<Long> folded = getRuntimeContext().getState(FOLDED);
            folded.update((folded.value() == null ? 5 : folded.value()) * 37 + e.time);
            out.collect(new Event(e.key, e.seq, folded.value()));
            context.timerService().registerEventTimeTimer(2_000);
        }

        @Override
        public void onTimer(long time, OnTimerContext context, Collector<Event> out)
                throws Exception {
            out.collect(
                    new Event(
                            context.getCurrentKey(),
                            -1,
                            getRuntimeContext().getState(FOLDED).value()));
        }
    }

    private static final class Times
            extends ProcessWindowFunction<Event, String, Integer, TimeWindow> {
        private static final long serialVersionUID = 1L;

        @Override
        public void process(
                Integer key, Context context, Iterable<Event> all, Collector<String> out) {
            TreeSet<String> times = new TreeSet<>();
            all.forEach(e -> times.add(e + " " + e.time));
            out.collect(key + " " + context.window() + " " + times);
        }
    }

    /** In one task with what is before it. */
    private static <T> SingleOutputStreamOperator<T> chained(SingleOutputStreamOperator<T> stream) {
        ((PhysicalTransformation<?>) stream.getTransformation())
                .setChainingStrategy(ChainingStrategy.ALWAYS);
        return stream;
    }

    /**
     * Keeps records in memory and passes them on in bundles. What is in memory is passed on before
     * a barrier and before the last watermark.
     */
    private static class Bundles extends AbstractStreamOperator<Event>
            implements OneInputStreamOperator<Event, Event> {
        private static final long serialVersionUID = 1L;
        private static final int SIZE = 50;
        private transient List<StreamRecord<Event>> bundle;

        @Override
        public void open() throws Exception {
            super.open();
            bundle = new ArrayList<>();
        }

        @Override
        public void processElement(StreamRecord<Event> record) throws Exception {
            bundle.add(record.copy(record.getValue()));
            if (bundle.size() >= SIZE) {
                finishBundle();
            }
        }

        @Override
        public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
            finishBundle();
        }

        @Override
        public void processWatermark(Watermark mark) throws Exception {
            if (mark.equals(Watermark.MAX_WATERMARK)) {
                finishBundle();
            }
            super.processWatermark(mark);
        }

        private void finishBundle() throws Exception {
            for (StreamRecord<Event> record : bundle) {
                output.collect(record.replace(finish(record.getValue())));
            }
            bundle.clear();
        }

        Event finish(Event e) throws Exception {
            return e;
        }
    }

    /**
     * Gives a bundle to the state when it is complete, as the mini-batch operators of the Table API
     * do.
     */
    private static final class KeyedBundles extends Bundles {
        private static final long serialVersionUID = 1L;

        @Override
        Event finish(Event e) throws Exception {
            setCurrentKey(e.key);
            ValueState<Long> folded =
                    getPartitionedState(new ValueStateDescriptor<>("folded", Types.LONG));
            folded.update(Fold.next(folded.value(), e));
            return new Event(e.key, e.seq, folded.value());
        }
    }

    /** Answers after a while. */
    private static final class Answers implements AsyncFunction<Event, String> {
        private static final long serialVersionUID = 1L;
        private static final ScheduledExecutorService TIMER =
                Executors.newSingleThreadScheduledExecutor(new DetachedThreads("answers"));

        private final int millis;

        Answers(int millis) {
            this.millis = millis;
        }

        @Override
        public void asyncInvoke(Event e, ResultFuture<String> result) {
            TIMER.schedule(
                    () -> result.complete(Collections.singleton("answer " + e + " " + e.time)),
                    millis - e.seq % 3,
                    TimeUnit.MILLISECONDS);
        }
    }

    private static final class Sides extends KeyedProcessFunction<Integer, Event, String> {
        private static final long serialVersionUID = 1L;
        private final OutputTag<String> even;
        private final OutputTag<Event> timers;

        Sides(OutputTag<String> even, OutputTag<Event> timers) {
            this.even = even;
            this.timers = timers;
        }

        @Override
        public void processElement(Event e, Context context, Collector<String> out)
                throws Exception {
            ValueState<Long> folded =
                    getRuntimeContext().getState(new ValueStateDescriptor<>("folded", Types.LONG));
            folded.update(Fold.next(folded.value(), e));
            context.timerService().registerEventTimeTimer(e.time + 110);
            if (e.seq % 2 == 0) {
                context.output(even, "even " + e + " " + folded.value());
            } else {
                out.collect(e + " " + folded.value());
            }
        }

        @Override
        public void onTimer(long time, OnTimerContext context, Collector<String> out) {
            context.output(timers, new Event(context.getCurrentKey(), (int) time, time));
        }
    }

    /** Emits every second record with what depends on all before. */
    private static final class Halves extends RichFlatMapFunction<Event, String> {
        private static final long serialVersionUID = 1L;

        @Override
        public void flatMap(Event e, Collector<String> out) throws Exception {
            ValueState<Long> folded =
                    getRuntimeContext().getState(new ValueStateDescriptor<>("folded", Types.LONG));
            folded.update(Fold.next(folded.value(), e));
            if (e.seq % 2 == 1) {
                out.collect(e + " " + folded.value());
            }
        }
    }
}
