// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import static io.meces.foreign.Comparison.RESULTS;
import static org.apache.flink.table.api.Expressions.$;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.api.common.functions.CoGroupFunction;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.state.KeyedStateStore;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple4;
import org.apache.flink.cep.CEP;
import org.apache.flink.cep.functions.PatternProcessFunction;
import org.apache.flink.cep.pattern.Pattern;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.datastream.BroadcastStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.co.KeyedBroadcastProcessFunction;
import org.apache.flink.streaming.api.functions.co.ProcessJoinFunction;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.assigners.EventTimeSessionWindows;
import org.apache.flink.streaming.api.windowing.assigners.SlidingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.assigners.WindowAssigner;
import org.apache.flink.streaming.api.windowing.time.Time;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/**
 * Jobs whose sources have several subtasks and one record in four late, most of them behind the
 * watermark. Which of these go into a window, or to the side, is not determined on a stock Flink
 * either. So a {@link Judge} tells what is: each record once, no window twice, and that for no key
 * time goes back.
 */
final class LateJobs {

    private static final int SOURCES = 3;
    private static final long SIZE = 500;

    private static final OutputTag<Tuple4<Long, Integer, Integer, Long>> LATE =
            new OutputTag<>("late", Run.EVENT);

    private LateJobs() {}

    static List<ForeignJob> all() {
        List<ForeignJob> jobs = new ArrayList<>();
        jobs.add(windows("late: tumbling", TumblingEventTimeWindows.of(Time.milliseconds(SIZE))));
        jobs.add(
                windows(
                        "late: sliding",
                        SlidingEventTimeWindows.of(
                                Time.milliseconds(SIZE), Time.milliseconds(100))));
        jobs.add(
                windows(
                        "late: sessions",
                        EventTimeSessionWindows.withGap(Time.milliseconds(SIZE))));
        jobs.add(new ForeignJob("late: windows by hand", RESULTS, LateJobs::byHand));
        jobs.add(new ForeignJob("late: with broadcasts", RESULTS, LateJobs::withBroadcasts));
        jobs.add(new ForeignJob("late: coGroup", RESULTS, LateJobs::coGroup));
        jobs.add(new ForeignJob("late: interval join", RESULTS, LateJobs::intervalJoin));
        jobs.add(new ForeignJob("late: CEP", RESULTS, LateJobs::pattern));
        jobs.add(
                sql(
                        "late: SQL tumble",
                        "SELECT k, TUMBLE_START(ts, INTERVAL '0.5' SECOND), LISTAGG(CAST(id AS"
                                + " STRING)) FROM A GROUP BY k, TUMBLE(ts, INTERVAL '0.5' SECOND)",
                        false));
        jobs.add(
                sql(
                        "late: SQL hop",
                        "SELECT k, HOP_START(ts, INTERVAL '0.1' SECOND, INTERVAL '0.5' SECOND),"
                                + " LISTAGG(CAST(id AS STRING)) FROM A GROUP BY k, HOP(ts, INTERVAL"
                                + " '0.1' SECOND, INTERVAL '0.5' SECOND)",
                        true));
        jobs.add(
                sql(
                        "late: SQL session",
                        "SELECT k, SESSION_END(ts, INTERVAL '0.5' SECOND), LISTAGG(CAST(id AS"
                                + " STRING)) FROM A GROUP BY k, SESSION(ts, INTERVAL '0.5' SECOND)",
                        false));
        jobs.add(
                sql(
                        "late: SQL over",
                        "SELECT k, id, CAST(id AS STRING) FROM (SELECT k, id, COUNT(*) OVER"
                                + " (PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL '1' SECOND"
                                + " PRECEDING AND CURRENT ROW) AS n FROM A) WHERE n > 0",
                        false));
        jobs.add(
                sql(
                        "late: SQL interval join",
                        "SELECT a.k, a.id, CAST(a.id AS STRING) FROM A a JOIN B b ON a.k = b.k AND"
                                + " a.id = b.id AND b.ts BETWEEN a.ts - INTERVAL '0.02' SECOND AND"
                                + " a.ts + INTERVAL '0.02' SECOND",
                        false));
        return jobs;
    }

    private static DataStream<Tuple4<Long, Integer, Integer, Long>> events(Run run, String name) {
        return run.source(name, new LateEvents(), Run.EVENT, Run.RECORDS, SOURCES);
    }

    private static KeyedStream<Tuple4<Long, Integer, Integer, Long>, Integer> keyed(Run run) {
        return events(run, "events").keyBy(event -> event.f1, Types.INT);
    }

    static void judge(Run run, DataStream<String> claims) {
        run.collect(claims.rebalance().flatMap(new Judge()).setParallelism(1));
    }

    private static ForeignJob windows(String name, WindowAssigner<Object, TimeWindow> assigner) {
        return new ForeignJob(
                name,
                RESULTS,
                run -> {
                    SingleOutputStreamOperator<String> results =
                            keyed(run)
                                    .window(assigner)
                                    .sideOutputLateData(LATE)
                                    .process(new Evaluation());
                    judge(run, results.union(results.getSideOutput(LATE).map(new Seen())));
                });
    }

    private static void byHand(Run run) {
        judge(run, keyed(run).process(new ByHand()));
    }

    private static void withBroadcasts(Run run) {
        BroadcastStream<Tuple4<Long, Integer, Integer, Long>> rules =
                run.events("rules", 2)
                        .broadcast(new MapStateDescriptor<>("rules", Types.INT, Types.INT));
        judge(run, keyed(run).connect(rules).process(new WithRules()));
    }

    private static void coGroup(Run run) {
        judge(
                run,
                events(run, "a")
                        .coGroup(events(run, "b"))
                        .where(a -> a.f1, Types.INT)
                        .equalTo(b -> b.f1, Types.INT)
                        .window(TumblingEventTimeWindows.of(Time.milliseconds(SIZE)))
                        .apply(new Groups(), Types.STRING));
    }

    private static void intervalJoin(Run run) {
        judge(
                run,
                keyed(run)
                        .intervalJoin(events(run, "b").keyBy(event -> event.f1, Types.INT))
                        .between(Time.milliseconds(-200), Time.milliseconds(200))
                        .process(new Pairs()));
    }

    private static void pattern(Run run) {
        SingleOutputStreamOperator<String> matches =
                CEP.pattern(keyed(run), Pattern.<Tuple4<Long, Integer, Integer, Long>>begin("any"))
                        .inEventTime()
                        .sideOutputLateData(LATE)
                        .process(new Matches());
        judge(run, matches.union(matches.getSideOutput(LATE).map(new Seen())));
    }

    /**
     * @param query selects a key, what is unique for it, and the numbers of records
     * @param several whether a record is in several results
     */
    private static ForeignJob sql(String name, String query, boolean several) {
        return new ForeignJob(
                name,
                RESULTS,
                run -> {
                    StreamTableEnvironment tables = tables(run, query);
                    judge(
                            run,
                            tables.toAppendStream(tables.sqlQuery(query), Row.class)
                                    .flatMap(new Rows(several)));
                });
    }

    /** Tables A and B if the query names them. */
    static StreamTableEnvironment tables(Run run, String query) {
        StreamTableEnvironment tables =
                StreamTableEnvironment.create(
                        run.env, EnvironmentSettings.newInstance().inStreamingMode().build());
        for (String table : query.contains(" B ") ? "A B".split(" ") : "A".split(" ")) {
            tables.createTemporaryView(
                    table, events(run, table), $("id"), $("k"), $("v"), $("at"), $("ts").rowtime());
        }
        return tables;
    }

    // ------------------------------------------------------------------------
    //  What is claimed of results, and what is true
    // ------------------------------------------------------------------------

    /** What happens once, and in any case. */
    private static String once(Object what) {
        return "=" + what;
    }

    /** What happens once at most. */
    private static String atMostOnce(Object what) {
        return "~" + what;
    }

    /** What happens, be it several times. */
    private static String atLeastOnce(Object what) {
        return "+" + what;
    }

    static String onceIfInTime(long number, Object what) {
        return LateEvents.isLate(number) ? atMostOnce(what) : once(what);
    }

    /** What has happened that must be so on a stock Flink, and what must not. */
    private static final class Judge implements FlatMapFunction<String, String> {
        private static final long serialVersionUID = 1L;
        private final Set<String> seen = new HashSet<>();

        @Override
        public void flatMap(String claim, Collector<String> out) {
            boolean isNew = seen.add(claim);
            if (claim.startsWith("!")) {
                out.collect(claim);
            } else if (!isNew && !claim.startsWith("+")) {
                out.collect("again " + claim);
            } else if (isNew && !claim.startsWith("~")) {
                out.collect(claim);
            }
        }
    }

    /** Looks at the time of the current key. */
    private static final class Clock {
        private static final ValueStateDescriptor<Long> LAST =
                new ValueStateDescriptor<>("last", Types.LONG);

        static void look(KeyedStateStore store, Object key, long now, Collector<String> out)
                throws Exception {
            look(store.getState(LAST), key, now, out);
        }

        static void look(ValueState<Long> last, Object key, long now, Collector<String> out)
                throws Exception {
            Long before = last.value();
            if (before != null && before > now) {
                out.collect("!time of key " + key + " from " + before + " back to " + now);
            }
            last.update(now);
        }
    }

    /** One in four is late by up to some seconds. */
    private static final class LateEvents
            implements FeedSource.Script<Tuple4<Long, Integer, Integer, Long>> {
        private static final long serialVersionUID = 1L;
        private final Run.Events events = new Run.Events(7);

        static boolean isLate(long number) {
            return number % 4 == 1;
        }

        @Override
        public Tuple4<Long, Integer, Integer, Long> record(long number) {
            Tuple4<Long, Integer, Integer, Long> event = events.record(number);
            event.f3 = timestamp(number);
            return event;
        }

        @Override
        public long timestamp(long number) {
            long inTime = events.timestamp(number);
            return isLate(number) ? Math.max(0, inTime - 300 - number * 31 % 3_000) : inTime;
        }
    }

    private static final class Seen
            implements MapFunction<Tuple4<Long, Integer, Integer, Long>, String> {
        private static final long serialVersionUID = 1L;

        @Override
        public String map(Tuple4<Long, Integer, Integer, Long> event) {
            return atLeastOnce(event.f0);
        }
    }

    private static final class Evaluation
            extends ProcessWindowFunction<
                    Tuple4<Long, Integer, Integer, Long>, String, Integer, TimeWindow> {
        private static final long serialVersionUID = 1L;

        @Override
        public void process(
                Integer key,
                Context context,
                Iterable<Tuple4<Long, Integer, Integer, Long>> events,
                Collector<String> out)
                throws Exception {
            // sessions may begin alike, but they do not end alike
            out.collect(atMostOnce("window of " + key + " to " + context.window().getEnd()));
            for (Tuple4<Long, Integer, Integer, Long> event : events) {
                out.collect(atLeastOnce(event.f0));
                out.collect(atMostOnce(event.f0 + " to " + context.window().getEnd()));
            }
            Clock.look(context.globalState(), key, context.currentWatermark(), out);
        }
    }

    /** As in many tutorials: late ones are told by the current watermark. */
    private static final class ByHand
            extends KeyedProcessFunction<Integer, Tuple4<Long, Integer, Integer, Long>, String> {
        private static final long serialVersionUID = 1L;
        private transient MapState<Long, String> numbers;
        private transient ValueState<Long> last;

        @Override
        public void open(Configuration parameters) {
            numbers =
                    getRuntimeContext()
                            .getMapState(
                                    new MapStateDescriptor<>("numbers", Types.LONG, Types.STRING));
            last = getRuntimeContext().getState(Clock.LAST);
        }

        @Override
        public void processElement(
                Tuple4<Long, Integer, Integer, Long> event, Context context, Collector<String> out)
                throws Exception {
            long now = context.timerService().currentWatermark();
            Clock.look(last, event.f1, now, out);
            long end = event.f3 - event.f3 % SIZE + SIZE - 1;
            if (end <= now) {
                out.collect(once(event.f0));
                return;
            }
            String before = numbers.get(end);
            numbers.put(end, before == null ? "" + event.f0 : before + "," + event.f0);
            context.timerService().registerEventTimeTimer(end);
        }

        @Override
        public void onTimer(long timestamp, OnTimerContext context, Collector<String> out)
                throws Exception {
            Clock.look(
                    last, context.getCurrentKey(), context.timerService().currentWatermark(), out);
            out.collect(atMostOnce(context.getCurrentKey() + " to " + timestamp));
            for (String number : numbers.get(timestamp).split(",")) {
                out.collect(once(number));
            }
            numbers.remove(timestamp);
        }
    }

    private static final class WithRules
            extends KeyedBroadcastProcessFunction<
                    Integer,
                    Tuple4<Long, Integer, Integer, Long>,
                    Tuple4<Long, Integer, Integer, Long>,
                    String> {
        private static final long serialVersionUID = 1L;
        private transient ValueState<Long> last;

        @Override
        public void open(Configuration parameters) {
            last = getRuntimeContext().getState(Clock.LAST);
        }

        @Override
        public void processElement(
                Tuple4<Long, Integer, Integer, Long> event,
                ReadOnlyContext context,
                Collector<String> out)
                throws Exception {
            Clock.look(last, event.f1, context.currentWatermark(), out);
            out.collect(once(event.f0));
        }

        @Override
        public void processBroadcastElement(
                Tuple4<Long, Integer, Integer, Long> rule, Context context, Collector<String> out)
                throws Exception {
            if (rule.f3 <= context.currentWatermark()) {
                out.collect("!rule in time counts as late: " + rule);
            }
            context.applyToKeyedState(
                    Clock.LAST,
                    (key, time) -> Clock.look(time, key, context.currentWatermark(), out));
        }
    }

    private static final class Groups
            implements CoGroupFunction<
                    Tuple4<Long, Integer, Integer, Long>,
                    Tuple4<Long, Integer, Integer, Long>,
                    String> {
        private static final long serialVersionUID = 1L;

        @Override
        public void coGroup(
                Iterable<Tuple4<Long, Integer, Integer, Long>> as,
                Iterable<Tuple4<Long, Integer, Integer, Long>> bs,
                Collector<String> out) {
            Set<String> windows = new HashSet<>();
            for (Tuple4<Long, Integer, Integer, Long> a : as) {
                windows.add(a.f1 + " from " + a.f3 / SIZE * SIZE);
                out.collect(onceIfInTime(a.f0, "a" + a.f0));
            }
            for (Tuple4<Long, Integer, Integer, Long> b : bs) {
                windows.add(b.f1 + " from " + b.f3 / SIZE * SIZE);
                out.collect(onceIfInTime(b.f0, "b" + b.f0));
            }
            windows.forEach(window -> out.collect(atMostOnce(window)));
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
                Tuple4<Long, Integer, Integer, Long> a,
                Tuple4<Long, Integer, Integer, Long> b,
                Context context,
                Collector<String> out) {
            String pair = a.f0 + " and " + b.f0;
            out.collect(LateEvents.isLate(a.f0) ? atMostOnce(pair) : onceIfInTime(b.f0, pair));
        }
    }

    private static final class Matches
            extends PatternProcessFunction<Tuple4<Long, Integer, Integer, Long>, String> {
        private static final long serialVersionUID = 1L;

        @Override
        public void processMatch(
                Map<String, List<Tuple4<Long, Integer, Integer, Long>>> match,
                Context context,
                Collector<String> out) {
            out.collect(atLeastOnce(match.get("any").get(0).f0));
            out.collect(atMostOnce("match " + match.get("any").get(0).f0));
        }
    }

    private static final class Rows implements FlatMapFunction<Row, String> {
        private static final long serialVersionUID = 1L;
        private final boolean several;

        Rows(boolean several) {
            this.several = several;
        }

        @Override
        public void flatMap(Row row, Collector<String> out) {
            String result = row.getField(0) + " at " + row.getField(1);
            out.collect(atMostOnce(result));
            for (String number : row.getField(2).toString().split(",")) {
                out.collect(
                        onceIfInTime(
                                Long.parseLong(number),
                                several ? number + " of " + result : number));
            }
        }
    }
}
