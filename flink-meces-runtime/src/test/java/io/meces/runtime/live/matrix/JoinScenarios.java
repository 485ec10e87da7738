// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live.matrix;

import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import org.apache.flink.api.common.functions.CoGroupFunction;
import org.apache.flink.api.common.functions.JoinFunction;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.functions.co.KeyedCoProcessFunction;
import org.apache.flink.streaming.api.functions.co.ProcessJoinFunction;
import org.apache.flink.streaming.api.windowing.assigners.EventTimeSessionWindows;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.time.Time;
import org.apache.flink.util.Collector;

/** Operators with two keyed inputs. */
final class JoinScenarios {

    private JoinScenarios() {}

    static List<Scenario> all() {
        return Arrays.asList(
                Scenario.of(
                        "connected streams with timers",
                        (feeds, run) ->
                                feeds.next()
                                        .keyBy(e -> e.key, Types.INT)
                                        .connect(feeds.next().keyBy(e -> e.key, Types.INT))
                                        .process(new Both())
                                        .returns(Types.STRING)
                                        .name("keyed")
                                        .uid("keyed")),
                Scenario.of(
                        "window join",
                        (feeds, run) ->
                                feeds.next()
                                        .join(feeds.next())
                                        .where(e -> e.key, Types.INT)
                                        .equalTo(e -> e.key, Types.INT)
                                        .window(TumblingEventTimeWindows.of(Time.milliseconds(100)))
                                        .apply(
                                                (JoinFunction<Event, Event, String>)
                                                        (a, b) -> a + "/" + b,
                                                Types.STRING)),
                Scenario.of(
                        "session window coGroup",
                        (feeds, run) ->
                                feeds.next()
                                        .filter(e -> e.seq % 5 < 2)
                                        .coGroup(feeds.next().filter(e -> e.seq % 5 < 3))
                                        .where(e -> e.key, Types.INT)
                                        .equalTo(e -> e.key, Types.INT)
                                        .window(
                                                EventTimeSessionWindows.withGap(
                                                        Time.milliseconds(60)))
                                        .apply(new Groups(), Types.STRING)),
                Scenario.of(
                        "interval join",
                        (feeds, run) ->
                                feeds.next()
                                        .keyBy(e -> e.key, Types.INT)
                                        .intervalJoin(feeds.next().keyBy(e -> e.key, Types.INT))
                                        .between(Time.milliseconds(-90), Time.milliseconds(130))
                                        .process(new Pairs())
                                        .returns(Types.STRING)
                                        .name("keyed")
                                        .uid("keyed")));
    }

    /** Folds the records of each input; a timer shows those of both that it had to wait for. */
    private static final class Both extends KeyedCoProcessFunction<Integer, Event, Event, String> {
        private static final long serialVersionUID = 1L;
        private static final MapStateDescriptor<String, Long> COME =
                new MapStateDescriptor<>("come", Types.STRING, Types.LONG);

        @Override
        public void processElement1(Event e, Context context, Collector<String> out)
                throws Exception {
            process("a", e, context, out);
        }

        @Override
        public void processElement2(Event e, Context context, Collector<String> out)
                throws Exception {
            process("b", e, context, out);
        }

        private void process(String input, Event e, Context context, Collector<String> out)
                throws Exception {
            ValueState<Long> folded =
                    getRuntimeContext().getState(new ValueStateDescriptor<>(input, Types.LONG));
            folded.update(Fold.next(folded.value(), e));
            getRuntimeContext().getMapState(COME).put(input + e, e.time);
            context.timerService().registerEventTimeTimer(e.time + 100);
            out.collect(input + e + " " + folded.value());
        }

        @Override
        public void onTimer(long time, OnTimerContext context, Collector<String> out)
                throws Exception {
            long count = 0;
            for (long t : getRuntimeContext().getMapState(COME).values()) {
                count += t <= time ? 1 : 0;
            }
            out.collect(context.getCurrentKey() + " at " + time + " " + count);
        }
    }

    private static final class Groups implements CoGroupFunction<Event, Event, String> {
        private static final long serialVersionUID = 1L;

        @Override
        public void coGroup(Iterable<Event> as, Iterable<Event> bs, Collector<String> out) {
            TreeSet<String> group = new TreeSet<>();
            as.forEach(e -> group.add("a" + e));
            bs.forEach(e -> group.add("b" + e));
            out.collect(group.toString());
        }
    }

    private static final class Pairs extends ProcessJoinFunction<Event, Event, String> {
        private static final long serialVersionUID = 1L;

        @Override
        public void processElement(Event a, Event b, Context context, Collector<String> out) {
            out.collect(a + "/" + b);
        }
    }
}
