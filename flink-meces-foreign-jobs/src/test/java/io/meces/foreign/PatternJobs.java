// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import static io.meces.foreign.Comparison.ORDER_PER_KEY;
import static io.meces.foreign.Comparison.RESULTS;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple4;
import org.apache.flink.cep.CEP;
import org.apache.flink.cep.EventComparator;
import org.apache.flink.cep.PatternStream;
import org.apache.flink.cep.functions.PatternProcessFunction;
import org.apache.flink.cep.functions.TimedOutPartialMatchHandler;
import org.apache.flink.cep.nfa.aftermatch.AfterMatchSkipStrategy;
import org.apache.flink.cep.pattern.Pattern;
import org.apache.flink.cep.pattern.conditions.IterativeCondition;
import org.apache.flink.cep.pattern.conditions.SimpleCondition;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.windowing.time.Time;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/** Jobs of the CEP library. */
final class PatternJobs {

    private static final OutputTag<String> TIMED_OUT = new OutputTag<>("timed out", Types.STRING);

    /** Records of each key of {@link Counted}. */
    private static final int COUNT = 250;

    /** Ends the last line of a key. */
    private static final String LAST = " last";

    /** More than {@link FeedSource} leaves between two records. */
    private static final long SLOW_NANOS = 1_000_000;

    private PatternJobs() {}

    static List<ForeignJob> all() {
        List<ForeignJob> jobs = new ArrayList<>();
        jobs.add(
                new ForeignJob(
                        "CEP next",
                        RESULTS,
                        run -> matches(run, begin("a", 0, 40).next("b").where(between(60, 100)))));
        jobs.add(
                new ForeignJob(
                        "CEP followed by, within",
                        RESULTS,
                        run ->
                                matches(
                                        run,
                                        begin("a", 0, 20)
                                                .followedBy("b")
                                                .where(between(80, 100))
                                                .within(Time.milliseconds(400)))));
        jobs.add(
                new ForeignJob(
                        "CEP timeouts",
                        RESULTS,
                        run ->
                                matches(
                                        run,
                                        begin("a", 0, 20)
                                                .followedBy("b")
                                                .where(between(95, 100))
                                                .within(Time.milliseconds(300)))));
        jobs.add(
                new ForeignJob(
                        "CEP not followed by",
                        RESULTS,
                        run ->
                                matches(
                                        run,
                                        begin("a", 0, 20)
                                                .notFollowedBy("b")
                                                .where(between(20, 40))
                                                .followedBy("c")
                                                .where(between(80, 100))
                                                .within(Time.milliseconds(500)))));
        jobs.add(
                new ForeignJob(
                        "CEP one or more, greedy",
                        RESULTS,
                        run ->
                                matches(
                                        run,
                                        begin("a", 0, 20)
                                                .followedBy("b")
                                                .where(between(20, 70))
                                                .oneOrMore()
                                                .greedy()
                                                .consecutive()
                                                .next("c")
                                                .where(between(70, 100)))));
        jobs.add(
                new ForeignJob(
                        "CEP with a comparator",
                        RESULTS,
                        run ->
                                collect(
                                        run,
                                        CEP.pattern(
                                                        keyed(run),
                                                        begin("a", 0, 40)
                                                                .next("b")
                                                                .where(between(60, 100)),
                                                        new ByNumber())
                                                .inEventTime())));
        jobs.add(
                new ForeignJob(
                        "CEP in processing time",
                        ORDER_PER_KEY,
                        run ->
                                inOrder(
                                        run,
                                        CEP.pattern(
                                                        keyed(run),
                                                        begin("a", 0, 40)
                                                                .next("b")
                                                                .where(between(60, 100)))
                                                .inProcessingTime()
                                                .process(new Lines()))));
        jobs.add(
                new ForeignJob(
                        "CEP in processing time, with a comparator",
                        ORDER_PER_KEY,
                        run -> consecutive(run, counted(run, 1).keyBy(e -> e.f1, Types.INT), 0)));
        jobs.add(
                new ForeignJob(
                        "CEP in processing time, with a comparator, slow, after a keyed stage",
                        ORDER_PER_KEY,
                        run ->
                                consecutive(
                                        run,
                                        counted(run, 2)
                                                .keyBy(e -> e.f1, Types.INT)
                                                .map(new CountAgain())
                                                .keyBy(e -> e.f1, Types.INT),
                                        SLOW_NANOS)));
        jobs.add(
                new ForeignJob(
                        "CEP in processing time, with a comparator, within",
                        RESULTS,
                        run -> pairsWithin(run, counted(run, 2).keyBy(e -> e.f1, Types.INT))));
        return jobs;
    }

    private static Pattern<Tuple4<Long, Integer, Integer, Long>, ?> begin(
            String name, int from, int to) {
        return Pattern.<Tuple4<Long, Integer, Integer, Long>>begin(
                        name, AfterMatchSkipStrategy.skipPastLastEvent())
                .where(between(from, to));
    }

    private static DataStream<Tuple4<Long, Integer, Integer, Long>> keyed(Run run) {
        return run.events("events").keyBy(e -> e.f1, Types.INT);
    }

    private static void matches(Run run, Pattern<Tuple4<Long, Integer, Integer, Long>, ?> pattern) {
        collect(run, CEP.pattern(keyed(run), pattern).inEventTime());
    }

    private static void collect(
            Run run, PatternStream<Tuple4<Long, Integer, Integer, Long>> matches) {
        SingleOutputStreamOperator<String> lines = matches.process(new Lines());
        run.collect(lines.union(lines.getSideOutput(TIMED_OUT)));
    }

    /** Lines begin with the key. */
    private static void inOrder(Run run, DataStream<String> lines) {
        run.collect(lines, line -> line.substring(0, line.indexOf(' ')));
    }

    /** Several source subtasks, each with keys of its own. */
    private static SingleOutputStreamOperator<Tuple4<Long, Integer, Integer, Long>> counted(
            Run run, int subtasks) {
        // A job that ends drops the timers that its last records wait for: here sources stay so
        // long.
        run.results.endWith(Run.KEYS, line -> line.endsWith(LAST));
        return run.source("events", new Counted(), Run.EVENT, (long) COUNT * Run.KEYS, subtasks);
    }

    /** Each record of a key with the next one: whatever is in the wrong order is missing. */
    private static void consecutive(
            Run run, DataStream<Tuple4<Long, Integer, Integer, Long>> events, long nanosPerRecord) {
        inOrder(
                run,
                CEP.pattern(
                                events,
                                Pattern.<Tuple4<Long, Integer, Integer, Long>>begin(
                                                "a", AfterMatchSkipStrategy.noSkip())
                                        .where(new Any(nanosPerRecord))
                                        .next("b")
                                        .where(new NextNumber()),
                                new ByNumber())
                        .inProcessingTime()
                        .process(new FirstOfPair()));
    }

    /**
     * Each record with an even number is a match with the next one or timed out, whatever the clock
     * says: there is a line of its own number in both cases.
     */
    private static void pairsWithin(
            Run run, DataStream<Tuple4<Long, Integer, Integer, Long>> events) {
        SingleOutputStreamOperator<String> lines =
                CEP.pattern(
                                events,
                                Pattern.<Tuple4<Long, Integer, Integer, Long>>begin("a")
                                        .where(isEven(true))
                                        .next("b")
                                        .where(isEven(false))
                                        .within(Time.milliseconds(14)),
                                new ByNumber())
                        .inProcessingTime()
                        .process(new FirstOfPair());
        run.collect(lines.union(lines.getSideOutput(TIMED_OUT)));
    }

    private static SimpleCondition<Tuple4<Long, Integer, Integer, Long>> between(int from, int to) {
        return new SimpleCondition<Tuple4<Long, Integer, Integer, Long>>() {
            private static final long serialVersionUID = 1L;

            @Override
            public boolean filter(Tuple4<Long, Integer, Integer, Long> event) {
                return event.f2 >= from && event.f2 < to;
            }
        };
    }

    /** The records of each key are numbered, beginning with 0. */
    private static final class Counted
            implements FeedSource.Script<Tuple4<Long, Integer, Integer, Long>> {
        private static final long serialVersionUID = 1L;

        @Override
        public Tuple4<Long, Integer, Integer, Long> record(long number) {
            return Tuple4.of(
                    number,
                    (int) (number % Run.KEYS),
                    (int) (number / Run.KEYS),
                    timestamp(number));
        }

        @Override
        public long timestamp(long number) {
            return number;
        }
    }

    /** Gives the records of a key their numbers, from state. */
    private static final class CountAgain
            extends RichMapFunction<
                    Tuple4<Long, Integer, Integer, Long>, Tuple4<Long, Integer, Integer, Long>> {
        private static final long serialVersionUID = 1L;
        private transient ValueState<Integer> next;

        @Override
        public void open(Configuration parameters) {
            next = getRuntimeContext().getState(new ValueStateDescriptor<>("next", Types.INT));
        }

        @Override
        public Tuple4<Long, Integer, Integer, Long> map(Tuple4<Long, Integer, Integer, Long> event)
                throws Exception {
            int number = next.value() == null ? 0 : next.value();
            next.update(number + 1);
            return Tuple4.of(event.f0, event.f1, number, event.f3);
        }
    }

    /** Takes its time for each record, so that records queue in front of the operator. */
    private static final class Any extends SimpleCondition<Tuple4<Long, Integer, Integer, Long>> {
        private static final long serialVersionUID = 1L;
        private final long nanos;

        Any(long nanos) {
            this.nanos = nanos;
        }

        @Override
        public boolean filter(Tuple4<Long, Integer, Integer, Long> event) {
            LockSupport.parkNanos(nanos);
            return true;
        }
    }

    private static final class NextNumber
            extends IterativeCondition<Tuple4<Long, Integer, Integer, Long>> {
        private static final long serialVersionUID = 1L;

        @Override
        public boolean filter(
                Tuple4<Long, Integer, Integer, Long> event,
                Context<Tuple4<Long, Integer, Integer, Long>> context)
                throws Exception {
            return event.f2 == context.getEventsForPattern("a").iterator().next().f2 + 1;
        }
    }

    private static SimpleCondition<Tuple4<Long, Integer, Integer, Long>> isEven(boolean even) {
        return new SimpleCondition<Tuple4<Long, Integer, Integer, Long>>() {
            private static final long serialVersionUID = 1L;

            @Override
            public boolean filter(Tuple4<Long, Integer, Integer, Long> event) {
                return event.f2 % 2 == 0 == even;
            }
        };
    }

    /** The order in which the source emits them. */
    private static final class ByNumber
            implements EventComparator<Tuple4<Long, Integer, Integer, Long>> {
        private static final long serialVersionUID = 1L;

        @Override
        public int compare(
                Tuple4<Long, Integer, Integer, Long> a, Tuple4<Long, Integer, Integer, Long> b) {
            return Comparator.<Long>naturalOrder().compare(a.f0, b.f0);
        }
    }

    /** A line "key {name=[numbers of records]}". */
    private static final class Lines
            extends PatternProcessFunction<Tuple4<Long, Integer, Integer, Long>, String>
            implements TimedOutPartialMatchHandler<Tuple4<Long, Integer, Integer, Long>> {
        private static final long serialVersionUID = 1L;

        @Override
        public void processMatch(
                Map<String, List<Tuple4<Long, Integer, Integer, Long>>> match,
                Context context,
                Collector<String> out) {
            out.collect(line(match));
        }

        @Override
        public void processTimedOutMatch(
                Map<String, List<Tuple4<Long, Integer, Integer, Long>>> match, Context context) {
            context.output(TIMED_OUT, "timed out " + line(match));
        }

        private static String line(Map<String, List<Tuple4<Long, Integer, Integer, Long>>> match) {
            Map<String, List<Long>> numbers = new TreeMap<>();
            match.forEach(
                    (name, events) ->
                            numbers.put(
                                    name,
                                    events.stream().map(e -> e.f0).collect(Collectors.toList())));
            return match.values().iterator().next().get(0).f1 + " " + numbers;
        }
    }

    /** A line "key number" of the first record of a match or of what would have been one. */
    private static final class FirstOfPair
            extends PatternProcessFunction<Tuple4<Long, Integer, Integer, Long>, String>
            implements TimedOutPartialMatchHandler<Tuple4<Long, Integer, Integer, Long>> {
        private static final long serialVersionUID = 1L;

        @Override
        public void processMatch(
                Map<String, List<Tuple4<Long, Integer, Integer, Long>>> match,
                Context context,
                Collector<String> out) {
            out.collect(line(match));
        }

        @Override
        public void processTimedOutMatch(
                Map<String, List<Tuple4<Long, Integer, Integer, Long>>> match, Context context) {
            context.output(TIMED_OUT, line(match));
        }

        private static String line(Map<String, List<Tuple4<Long, Integer, Integer, Long>>> match) {
            Tuple4<Long, Integer, Integer, Long> first = match.get("a").get(0);
            return first.f1 + " " + first.f2 + (first.f2 == COUNT - 2 ? LAST : "");
        }
    }
}
