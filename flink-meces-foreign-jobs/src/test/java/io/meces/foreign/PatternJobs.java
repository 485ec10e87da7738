/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.foreign;

import static io.meces.foreign.Comparison.ORDER_PER_KEY;
import static io.meces.foreign.Comparison.RESULTS;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.flink.api.common.functions.RichFilterFunction;
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
                                                .inProcessingTime())));
        jobs.add(
                new ForeignJob(
                        "CEP in processing time, with a comparator",
                        ORDER_PER_KEY,
                        run -> ofAllRecords(run, finale(run).keyBy(e -> e.f1, Types.INT))));
        jobs.add(
                new ForeignJob(
                        "CEP in processing time, with a comparator, after a keyed stage",
                        ORDER_PER_KEY,
                        run ->
                                ofAllRecords(
                                        run,
                                        finale(run)
                                                .keyBy(e -> e.f1, Types.INT)
                                                .filter(new EvenOrLast())
                                                .keyBy(e -> e.f1, Types.INT))));
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

    private static void inOrder(
            Run run, PatternStream<Tuple4<Long, Integer, Integer, Long>> matches) {
        run.collect(matches.process(new Lines()), line -> line.substring(0, line.indexOf(' ')));
    }

    private static SingleOutputStreamOperator<Tuple4<Long, Integer, Integer, Long>> finale(
            Run run) {
        return run.source("events", new Finale(), Run.EVENT, Run.RECORDS, 1);
    }

    /**
     * A job that ends drops the timers that its last records wait for: here sources stay so long.
     */
    private static void ofAllRecords(
            Run run, DataStream<Tuple4<Long, Integer, Integer, Long>> events) {
        run.results.endWith(Run.KEYS, line -> line.endsWith(Finale.LAST));
        inOrder(
                run,
                CEP.pattern(
                                events,
                                begin("a", 0, 40)
                                        .next("b")
                                        .where(between(60, Finale.LAST_VALUE + 1)),
                                new ByNumber())
                        .inProcessingTime());
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

    /** Random records; the last two of each key are a match. */
    private static final class Finale
            implements FeedSource.Script<Tuple4<Long, Integer, Integer, Long>> {
        private static final long serialVersionUID = 1L;
        private static final int LAST_VALUE = 100;
        private static final String LAST = " last";
        private final Run.Events events = new Run.Events(3);

        @Override
        public Tuple4<Long, Integer, Integer, Long> record(long number) {
            int ofFinale = (int) (number - (Run.RECORDS - 2L * Run.KEYS));
            return ofFinale < 0
                    ? events.record(number)
                    : Tuple4.of(
                            number,
                            ofFinale / 2,
                            ofFinale % 2 == 0 ? 0 : LAST_VALUE,
                            timestamp(number));
        }

        @Override
        public long timestamp(long number) {
            return events.timestamp(number);
        }
    }

    /** Every second record of a key, and those of the finale. */
    private static final class EvenOrLast
            extends RichFilterFunction<Tuple4<Long, Integer, Integer, Long>> {
        private static final long serialVersionUID = 1L;
        private transient ValueState<Boolean> even;

        @Override
        public void open(Configuration parameters) {
            even = getRuntimeContext().getState(new ValueStateDescriptor<>("even", Types.BOOLEAN));
        }

        @Override
        public boolean filter(Tuple4<Long, Integer, Integer, Long> event) throws Exception {
            boolean isEven = Boolean.TRUE.equals(even.value());
            even.update(!isEven);
            return isEven || event.f0 >= Run.RECORDS - 2L * Run.KEYS;
        }
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
            boolean last =
                    match.values().stream()
                            .flatMap(List::stream)
                            .anyMatch(e -> e.f2 == Finale.LAST_VALUE);
            return match.values().iterator().next().get(0).f1
                    + " "
                    + numbers
                    + (last ? Finale.LAST : "");
        }
    }
}
