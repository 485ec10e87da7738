// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live.matrix;

import io.meces.flink.runtime.TestSerializers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Function;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.functions.ReduceFunction;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.functions.windowing.delta.DeltaFunction;
import org.apache.flink.streaming.api.windowing.assigners.EventTimeSessionWindows;
import org.apache.flink.streaming.api.windowing.assigners.GlobalWindows;
import org.apache.flink.streaming.api.windowing.assigners.ProcessingTimeSessionWindows;
import org.apache.flink.streaming.api.windowing.assigners.SlidingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.assigners.TumblingProcessingTimeWindows;
import org.apache.flink.streaming.api.windowing.assigners.WindowAssigner;
import org.apache.flink.streaming.api.windowing.evictors.CountEvictor;
import org.apache.flink.streaming.api.windowing.evictors.DeltaEvictor;
import org.apache.flink.streaming.api.windowing.evictors.TimeEvictor;
import org.apache.flink.streaming.api.windowing.time.Time;
import org.apache.flink.streaming.api.windowing.triggers.ContinuousEventTimeTrigger;
import org.apache.flink.streaming.api.windowing.triggers.ContinuousProcessingTimeTrigger;
import org.apache.flink.streaming.api.windowing.triggers.CountTrigger;
import org.apache.flink.streaming.api.windowing.triggers.DeltaTrigger;
import org.apache.flink.streaming.api.windowing.triggers.ProcessingTimeoutTrigger;
import org.apache.flink.streaming.api.windowing.triggers.PurgingTrigger;
import org.apache.flink.streaming.api.windowing.triggers.Trigger;
import org.apache.flink.streaming.api.windowing.windows.Window;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/** Windows with their assigners, triggers and evictors. */
final class WindowScenarios {

    private static final int RECORDS = Feed.SUBTASKS * Feed.END;

    private WindowScenarios() {}

    static List<Scenario> all() {
        List<Scenario> all = new ArrayList<>();
        all.addAll(tumblingAndSliding());
        all.addAll(sessions());
        all.addAll(lateRecords());
        all.addAll(counted());
        all.addAll(byProcessingTime());
        return all;
    }

    private static Scenario windows(
            String name,
            Function<KeyedStream<Event, Integer>, SingleOutputStreamOperator<String>> windows) {
        return Scenario.of(
                name,
                (feeds, run) ->
                        windows.apply(feeds.next().keyBy(e -> e.key, Types.INT))
                                .returns(Types.STRING)
                                .name("keyed")
                                .uid("keyed"));
    }

    private static List<Scenario> tumblingAndSliding() {
        return Arrays.asList(
                windows(
                        "tumbling windows, process",
                        s -> s.window(tumbling()).process(new Contents<>())),
                windows(
                        "tumbling windows, reduce",
                        s -> s.window(tumbling()).reduce(folding(), new Contents<>())),
                windows(
                        "tumbling windows, aggregate",
                        s ->
                                s.window(tumbling())
                                        .aggregate(
                                                new StateScenarios.CountAndFold(),
                                                new WindowOf<>())),
                windows(
                        "sliding windows, aggregate",
                        s ->
                                s.window(
                                                SlidingEventTimeWindows.of(
                                                        Time.milliseconds(200),
                                                        Time.milliseconds(80)))
                                        .aggregate(
                                                new StateScenarios.CountAndFold(),
                                                new WindowOf<>())),
                windows(
                        "sliding windows, process",
                        s ->
                                s.window(
                                                SlidingEventTimeWindows.of(
                                                        Time.milliseconds(150),
                                                        Time.milliseconds(50)))
                                        .process(new Contents<>())),
                windows(
                                "tumbling windows, continuous event-time trigger",
                                s ->
                                        s.window(
                                                        TumblingEventTimeWindows.of(
                                                                Time.milliseconds(300)))
                                                .trigger(
                                                        PurgingTrigger.of(
                                                                ContinuousEventTimeTrigger.of(
                                                                        Time.milliseconds(50))))
                                                .process(new EachRecord<>(true)))
                        .withSavepointsOfAnySize(),
                windows(
                        "tumbling windows, state of windows and of keys",
                        s ->
                                s.window(TumblingEventTimeWindows.of(Time.milliseconds(500)))
                                        .trigger(CountTrigger.of(2))
                                        .process(new Firings<>())),
                windows(
                        "windows of a custom assigner",
                        s ->
                                s.window(new FiveRecords())
                                        .trigger(CountTrigger.of(5))
                                        .process(new Contents<>())));
    }

    private static List<Scenario> sessions() {
        return Arrays.asList(
                windows(
                                "session windows, process",
                                s -> s.window(session()).process(new Contents<>()))
                        .with(Feed.Times.OUT_OF_ORDER),
                windows(
                                "session windows, reduce",
                                s ->
                                        s.window(session())
                                                .reduce(
                                                        (a, b) ->
                                                                new Event(
                                                                        a.key,
                                                                        a.seq + b.seq,
                                                                        Math.max(a.time, b.time)),
                                                        new Contents<>()))
                        .with(Feed.Times.OUT_OF_ORDER),
                windows(
                                "session windows, aggregate",
                                s ->
                                        s.window(session())
                                                .aggregate(
                                                        new StateScenarios.CountAndFold(),
                                                        new WindowOf<>()))
                        .with(Feed.Times.OUT_OF_ORDER),
                windows(
                        "session windows of dynamic gaps",
                        s ->
                                s.window(
                                                EventTimeSessionWindows.withDynamicGap(
                                                        (Event e) -> 25 + (e.key + e.seq) % 4 * 10))
                                        .process(new Contents<>())),
                windows(
                                "session windows with the state of a trigger",
                                s ->
                                        s.window(session())
                                                .trigger(CountTrigger.of(3))
                                                .process(new Contents<>()))
                        .with(Feed.Times.OUT_OF_ORDER),
                windows(
                                "session windows, continuous event-time trigger",
                                s ->
                                        s.window(session())
                                                .trigger(
                                                        PurgingTrigger.of(
                                                                ContinuousEventTimeTrigger.of(
                                                                        Time.milliseconds(30))))
                                                .process(new EachRecord<>(false)))
                        .with(Feed.Times.OUT_OF_ORDER)
                        .withSavepointsOfAnySize());
    }

    private static List<Scenario> lateRecords() {
        OutputTag<Event> late = new OutputTag<>("late", TypeInformation.of(Event.class));
        return Arrays.asList(
                windows(
                                "allowed lateness",
                                s ->
                                        s.window(tumbling())
                                                .allowedLateness(Time.milliseconds(5_000))
                                                .process(new Contents<>()))
                        .with(Feed.Times.LATE_AT_THE_END),
                Scenario.of(
                                "late records to a side output",
                                (feeds, run) -> {
                                    SingleOutputStreamOperator<String> main =
                                            feeds.next()
                                                    .keyBy(e -> e.key, Types.INT)
                                                    .window(tumbling())
                                                    .sideOutputLateData(late)
                                                    .process(new Contents<>())
                                                    .name("keyed")
                                                    .uid("keyed");
                                    return main.union(
                                            main.getSideOutput(late)
                                                    .map(e -> "late " + e)
                                                    .returns(Types.STRING));
                                })
                        .with(Feed.Times.LATE_AT_THE_END));
    }

    private static List<Scenario> counted() {
        DeltaFunction<Event> distance = (a, b) -> b.time - a.time;
        TypeSerializer<Event> serializer =
                TestSerializers.of(TypeInformation.of(Event.class), new ExecutionConfig());
        return Arrays.asList(
                windows("count windows", s -> s.countWindow(5).process(new Contents<>())),
                windows(
                        "sliding count windows",
                        s -> s.countWindow(6, 2).process(new Contents<>())),
                windows(
                        "global windows, purging count trigger",
                        s ->
                                s.window(GlobalWindows.create())
                                        .trigger(PurgingTrigger.of(CountTrigger.of(7)))
                                        .process(new Contents<>())),
                windows(
                        "global windows, count evictor",
                        s ->
                                s.window(GlobalWindows.create())
                                        .trigger(CountTrigger.of(3))
                                        .evictor(CountEvictor.of(4))
                                        .process(new Contents<>())),
                windows(
                        "global windows, delta trigger and delta evictor",
                        s ->
                                s.window(GlobalWindows.create())
                                        .trigger(DeltaTrigger.of(70, distance, serializer))
                                        .evictor(DeltaEvictor.of(100, distance))
                                        .process(new Contents<>())),
                windows(
                        "global windows, time evictor",
                        s ->
                                s.window(GlobalWindows.create())
                                        .trigger(CountTrigger.of(4))
                                        .evictor(TimeEvictor.of(Time.milliseconds(100)))
                                        .process(new Contents<>())));
    }

    /** Which window a record falls into is up to the clock; that it comes out once is not. */
    private static List<Scenario> byProcessingTime() {
        // Flink fails if a thread stands still for a gap while it merges sessions
        long gapMillis = 800;
        return Arrays.asList(
                eachRecordOnce(
                        "processing-time windows",
                        TumblingProcessingTimeWindows.of(Time.milliseconds(60)),
                        null),
                eachRecordOnce(
                        "processing-time session windows",
                        ProcessingTimeSessionWindows.withGap(Time.milliseconds(gapMillis)),
                        null),
                eachRecordOnce(
                        "global windows, continuous processing-time trigger",
                        GlobalWindows.create(),
                        ContinuousProcessingTimeTrigger.of(Time.milliseconds(60))),
                eachRecordOnce(
                        "global windows, processing-time timeout trigger",
                        GlobalWindows.create(),
                        ProcessingTimeoutTrigger.of(
                                CountTrigger.of(10), Duration.ofMillis(120), false, true)));
    }

    private static <W extends Window> Scenario eachRecordOnce(
            String name, WindowAssigner<Object, W> assigner, Trigger<Object, W> trigger) {
        return windows(
                        name,
                        s ->
                                (trigger == null
                                                ? s.window(assigner)
                                                : s.window(assigner)
                                                        .trigger(PurgingTrigger.of(trigger)))
                                        .process(new EachRecord<>(false)))
                .awaiting(RECORDS);
    }

    private static TumblingEventTimeWindows tumbling() {
        return TumblingEventTimeWindows.of(Time.milliseconds(100));
    }

    /** With times that are out of order, windows that exist already are merged. */
    private static EventTimeSessionWindows session() {
        return EventTimeSessionWindows.withGap(Time.milliseconds(45));
    }

    private static ReduceFunction<Event> folding() {
        return (a, b) -> new Event(a.key, (int) Fold.next((long) a.seq, b), b.time);
    }

    /** Emits a window with all its records, in no particular order. */
    private static final class Contents<W extends Window>
            extends ProcessWindowFunction<Event, String, Integer, W> {
        private static final long serialVersionUID = 1L;

        @Override
        public void process(
                Integer key, Context context, Iterable<Event> all, Collector<String> out) {
            TreeSet<Integer> seqs = new TreeSet<>();
            all.forEach(e -> seqs.add(e.seq));
            out.collect(key + " " + context.window() + " " + seqs);
        }
    }

    /** Emits what has been aggregated. */
    private static final class WindowOf<W extends Window>
            extends ProcessWindowFunction<String, String, Integer, W> {
        private static final long serialVersionUID = 1L;

        @Override
        public void process(
                Integer key, Context context, Iterable<String> all, Collector<String> out) {
            out.collect(key + " " + context.window() + " " + all);
        }
    }

    /** Emits every record on its own. */
    private static final class EachRecord<W extends Window>
            extends ProcessWindowFunction<Event, String, Integer, W> {
        private static final long serialVersionUID = 1L;
        private final boolean withWindow;

        EachRecord(boolean withWindow) {
            this.withWindow = withWindow;
        }

        @Override
        public void process(
                Integer key, Context context, Iterable<Event> all, Collector<String> out) {
            all.forEach(e -> out.collect(e + (withWindow ? " " + context.window() : "")));
        }
    }

    /** Counts the firings of a window, and of all windows of the key. */
    private static final class Firings<W extends Window>
            extends ProcessWindowFunction<Event, String, Integer, W> {
        private static final long serialVersionUID = 1L;
        private static final ValueStateDescriptor<Long> OF_WINDOW =
                new ValueStateDescriptor<>("of-window", Types.LONG);
        private static final ValueStateDescriptor<Long> OF_KEY =
                new ValueStateDescriptor<>("of-key", Types.LONG);

        @Override
        public void process(
                Integer key, Context context, Iterable<Event> all, Collector<String> out)
                throws Exception {
            ValueState<Long> ofWindow = context.windowState().getState(OF_WINDOW);
            ValueState<Long> ofKey = context.globalState().getState(OF_KEY);
            ofWindow.update((ofWindow.value() == null ? 0 : ofWindow.value()) + 1);
            ofKey.update((ofKey.value() == null ? 0 : ofKey.value()) + 1);
            out.collect(
                    key + " " + context.window() + " " + ofWindow.value() + " " + ofKey.value());
        }

        @Override
        public void clear(Context context) throws Exception {
            context.windowState().getState(OF_WINDOW).clear();
        }
    }

    /** Windows that have nothing to do with time. */
    private static final class FiveRecords extends WindowAssigner<Object, FiveRecords.Five> {
        private static final long serialVersionUID = 1L;

        @Override
        public Collection<Five> assignWindows(
                Object element, long timestamp, WindowAssignerContext context) {
            Five five = new Five();
            five.number = ((Event) element).seq / 5;
            return Collections.singleton(five);
        }

        /** Of earlier lines. */
        public Trigger<Object, Five> getDefaultTrigger(StreamExecutionEnvironment env) {
            return getDefaultTrigger();
        }

        /** Of later lines. */
        public Trigger<Object, Five> getDefaultTrigger() {
            return CountTrigger.of(5);
        }

        @Override
        public TypeSerializer<Five> getWindowSerializer(ExecutionConfig config) {
            return TestSerializers.kryo(Five.class, config);
        }

        @Override
        public boolean isEventTime() {
            return true;
        }

        private static final class Five extends Window {
            private int number;

            @Override
            public long maxTimestamp() {
                return Long.MAX_VALUE;
            }

            @Override
            public int hashCode() {
                return number;
            }

            @Override
            public boolean equals(Object other) {
                return other instanceof Five && ((Five) other).number == number;
            }

            @Override
            public String toString() {
                return "Five " + number;
            }
        }
    }
}
