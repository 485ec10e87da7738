// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live.matrix;

import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.TimerService;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.Triggerable;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.Collector;

/** Timers of user functions and operators. */
final class TimerScenarios {

    private static final int KEYS = Feed.SUBTASKS * Feed.KEYS_PER_SUBTASK;

    private TimerScenarios() {}

    static List<Scenario> all() {
        return Arrays.asList(
                timers("event-time timers", EachRecord::new),
                timers("event-time timers that are deleted", Deleting::new),
                timers("event-time timers that coincide", Coinciding::new),
                timers("event-time timers that register the next one", Chain::new),
                Scenario.of(
                        "timers of several timer services",
                        (feeds, run) ->
                                feeds.next()
                                        .keyBy(e -> e.key, Types.INT)
                                        .transform("keyed", Types.STRING, new Services())
                                        .uid("keyed")),
                timers("processing-time timers far ahead", FarAhead::new)
                        .awaiting(KEYS * FarAhead.TIMERS),
                timers("processing-time timers due at any time", Ticks::new)
                        .awaiting(KEYS * Ticks.TICKS),
                timers("processing-time timers that are deleted", NeverDue::new));
    }

    private static Scenario timers(
            String name, Supplier<KeyedProcessFunction<Integer, Event, String>> function) {
        return Scenario.of(
                name,
                (feeds, run) ->
                        feeds.next()
                                .keyBy(e -> e.key, Types.INT)
                                .process(function.get())
                                .returns(Types.STRING)
                                .name("keyed")
                                .uid("keyed"));
    }

    /**
     * Each record has a timer, which shows which records up to its time have come: those after it
     * may have come or not.
     */
    private static class EachRecord extends KeyedProcessFunction<Integer, Event, String> {
        private static final long serialVersionUID = 1L;
        private static final MapStateDescriptor<Long, Integer> COME =
                new MapStateDescriptor<>("come", Types.LONG, Types.INT);

        @Override
        public void processElement(Event e, Context context, Collector<String> out)
                throws Exception {
            getRuntimeContext().getMapState(COME).put(e.time, e.seq);
            register(e, context.timerService());
        }

        void register(Event e, TimerService timers) {
            timers.registerEventTimeTimer(e.time + 150);
        }

        @Override
        public void onTimer(long time, OnTimerContext context, Collector<String> out)
                throws Exception {
            long folded = 0;
            for (long t : getRuntimeContext().getMapState(COME).keys()) {
                if (t <= time) {
                    folded += t;
                }
            }
            out.collect(context.getCurrentKey() + " at " + time + " " + folded);
        }
    }

    /** Every third record deletes the timer of the one before. */
    private static final class Deleting extends EachRecord {
        private static final long serialVersionUID = 1L;

        @Override
        void register(Event e, TimerService timers) {
            super.register(e, timers);
            if (e.seq % 3 == 2) {
                timers.deleteEventTimeTimer(e.time - Feed.KEYS_PER_SUBTASK + 150);
            }
        }
    }

    /** Several records register the same timer. */
    private static final class Coinciding extends EachRecord {
        private static final long serialVersionUID = 1L;

        @Override
        void register(Event e, TimerService timers) {
            timers.registerEventTimeTimer((e.time / 300 + 1) * 300);
        }
    }

    /** One timer leads to another. */
    private static final class Chain extends EachRecord {
        private static final long serialVersionUID = 1L;

        @Override
        void register(Event e, TimerService timers) {
            if (e.seq == 0) {
                timers.registerEventTimeTimer(e.time + 30);
            }
        }

        @Override
        public void onTimer(long time, OnTimerContext context, Collector<String> out)
                throws Exception {
            super.onTimer(time, context, out);
            if (time < 1_500) {
                context.timerService().registerEventTimeTimer(time + 30);
            }
        }
    }

    /** An operator with two timer services, one of them with namespaces. */
    private static final class Services extends AbstractStreamOperator<String>
            implements OneInputStreamOperator<Event, String> {
        private static final long serialVersionUID = 1L;
        private transient InternalTimerService<String> named;
        private transient InternalTimerService<VoidNamespace> plain;

        @Override
        public void open() throws Exception {
            super.open();
            named = getInternalTimerService("named", StringSerializer.INSTANCE, emit("named"));
            plain =
                    getInternalTimerService(
                            "plain", VoidNamespaceSerializer.INSTANCE, emit("plain"));
        }

        private <N> Triggerable<Integer, N> emit(String service) {
            return new Triggerable<Integer, N>() {
                @Override
                public void onEventTime(InternalTimer<Integer, N> timer) {
                    output.collect(
                            new StreamRecord<>(
                                    service
                                            + " "
                                            + timer.getKey()
                                            + " "
                                            + timer.getNamespace()
                                            + " "
                                            + timer.getTimestamp()));
                }

                @Override
                public void onProcessingTime(InternalTimer<Integer, N> timer) {
                    throw new IllegalStateException("not registered: " + timer);
                }
            };
        }

        @Override
        public void processElement(StreamRecord<Event> record) {
            Event e = record.getValue();
            named.registerEventTimeTimer("n" + e.seq % 3, e.time + 120);
            named.registerEventTimeTimer("n" + e.seq % 2, e.time + 120);
            plain.registerEventTimeTimer(VoidNamespace.INSTANCE, e.time + 200);
            // as many as there are, and none is due
            named.registerProcessingTimeTimer("n" + e.seq % 2, Long.MAX_VALUE - e.seq % 4);
        }
    }

    /** Timers that are due when all rescales are over, unless the machine is slow. */
    private static final class FarAhead extends KeyedProcessFunction<Integer, Event, String> {
        private static final long serialVersionUID = 1L;
        static final int TIMERS = 5;
        private static final MapStateDescriptor<Long, Integer> DUE =
                new MapStateDescriptor<>("due", Types.LONG, Types.INT);

        @Override
        public void processElement(Event e, Context context, Collector<String> out)
                throws Exception {
            if (e.seq < TIMERS) {
                // always later than that of the record before
                long due = context.timerService().currentProcessingTime() + 1_500 + 10 * e.seq;
                getRuntimeContext().getMapState(DUE).put(due, e.seq);
                context.timerService().registerProcessingTimeTimer(due);
            }
        }

        @Override
        public void onTimer(long time, OnTimerContext context, Collector<String> out)
                throws Exception {
            boolean early = context.timerService().currentProcessingTime() < time;
            out.collect(
                    context.getCurrentKey()
                            + " timer "
                            + getRuntimeContext().getMapState(DUE).get(time)
                            + (early ? " too early" : ""));
        }
    }

    /** A key always has a timer that is due soon; some are due while their units travel. */
    private static final class Ticks extends KeyedProcessFunction<Integer, Event, String> {
        private static final long serialVersionUID = 1L;
        static final int TICKS = 70;
        private static final ValueStateDescriptor<Integer> TICK =
                new ValueStateDescriptor<>("tick", Types.INT);

        @Override
        public void processElement(Event e, Context context, Collector<String> out)
                throws Exception {
            if (e.seq == 0) {
                getRuntimeContext().getState(TICK).update(0);
                next(context.timerService());
            }
        }

        @Override
        public void onTimer(long time, OnTimerContext context, Collector<String> out)
                throws Exception {
            ValueState<Integer> tick = getRuntimeContext().getState(TICK);
            out.collect(context.getCurrentKey() + " tick " + tick.value());
            tick.update(tick.value() + 1);
            if (tick.value() < TICKS) {
                next(context.timerService());
            }
        }

        private static void next(TimerService timers) {
            timers.registerProcessingTimeTimer(timers.currentProcessingTime() + 15);
        }
    }

    /** Timers that are never due: a savepoint shows by its size which are left. */
    private static final class NeverDue extends KeyedProcessFunction<Integer, Event, String> {
        private static final long serialVersionUID = 1L;

        @Override
        public void processElement(Event e, Context context, Collector<String> out) {
            TimerService timers = context.timerService();
            timers.registerProcessingTimeTimer(Long.MAX_VALUE - e.seq);
            if (e.seq >= Feed.ROUND_B && e.seq % 2 == 0) {
                timers.deleteProcessingTimeTimer(Long.MAX_VALUE - e.seq / 2);
            }
            out.collect(e.toString());
        }

        @Override
        public void onTimer(long time, OnTimerContext context, Collector<String> out) {
            throw new IllegalStateException("not due: " + time);
        }
    }
}
