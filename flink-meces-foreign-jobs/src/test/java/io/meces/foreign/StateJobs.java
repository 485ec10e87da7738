// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import static io.meces.foreign.Comparison.ORDER_PER_KEY;
import static io.meces.foreign.Comparison.RESULTS;
import static org.apache.flink.streaming.api.windowing.time.Time.milliseconds;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.time.Time;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.tuple.Tuple4;
import org.apache.flink.streaming.api.datastream.DataStreamUtils;
import org.apache.flink.streaming.api.functions.co.KeyedBroadcastProcessFunction;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.windowing.assigners.EventTimeSessionWindows;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.util.Collector;

/** What users do with keyed state. Much of it is of another kind on the heap than on disk. */
final class StateJobs {

    private StateJobs() {}

    static List<ForeignJob> all() {
        List<ForeignJob> jobs = new ArrayList<>();
        jobs.add(perKey("maps changed while iterated", new Maps()));
        jobs.add(perKey("long lists", new LongLists()));
        jobs.add(perKey("lists cleared again and again", new ClearedLists()));
        jobs.add(perKey("states registered late", new LateStates()));
        jobs.add(perKey("lists and maps with TTL", new WithTtl()));
        jobs.add(perKey("reducing and aggregating state", new Reduced()));
        jobs.add(tuned("RocksDB that stops writes early", TunedRocksDB.STOPS_EARLY));
        jobs.add(tuned("RocksDB that slows down early", TunedRocksDB.SLOWS_DOWN_EARLY));
        jobs.add(
                tuned(
                        "RocksDB that slows down early, with memtables of 16 MB",
                        TunedRocksDB.SLOWS_DOWN_EARLY_BUT_HAS_ROOM));
        jobs.add(tuned("RocksDB with universal compaction", TunedRocksDB.UNIVERSAL));
        jobs.add(tuned("RocksDB that never compacts", TunedRocksDB.NEVER_COMPACTS));
        jobs.add(new ForeignJob("keys of any length", ORDER_PER_KEY, StateJobs::anyKeys));
        jobs.add(new ForeignJob("namespaces of any length", RESULTS, StateJobs::namespaces));
        jobs.add(new ForeignJob("one name in a chain", ORDER_PER_KEY, StateJobs::oneName));
        jobs.add(new ForeignJob("sessions of lists", RESULTS, StateJobs::sessionsOfLists));
        jobs.add(new ForeignJob("windows of many keys", RESULTS, StateJobs::manyKeys));
        jobs.add(new ForeignJob("rules in lists", RESULTS, StateJobs::rulesInLists));
        return jobs;
    }

    /** A result for each record. */
    private static ForeignJob perKey(
            String name, RichMapFunction<Tuple4<Long, Integer, Integer, Long>, String> function) {
        return new ForeignJob(
                name,
                ORDER_PER_KEY,
                run ->
                        run.collect(
                                run.events("a")
                                        .keyBy(e -> e.f1, Types.INT)
                                        .map(function)
                                        .returns(Types.STRING)));
    }

    /** With state that memtables soon are full of. */
    private static ForeignJob tuned(String name, TunedRocksDB options) {
        ForeignJob job = perKey(name, new Blobs());
        return new ForeignJob(
                name,
                job.comparison,
                run -> {
                    options.set(run.env);
                    job.definition.build(run);
                });
    }

    // ------------------------------------------------------------------------
    //  Keys and namespaces
    // ------------------------------------------------------------------------

    /** Without their lengths, some begin with others; of some the length takes two bytes. */
    private static String text(int number) {
        String[] letters = {"", "a", "aa", "a\0", "\0", "ab", "\u00e4", "\u4e2d\u6587", "b"};
        StringBuilder text = new StringBuilder(letters[number % letters.length]);
        for (int i = 0; i < number / letters.length; i++) {
            text.append("ab0123456789012345678901234567890123456789");
        }
        return text.toString();
    }

    private static void anyKeys(Run run) {
        run.collect(
                run.events("a")
                        .keyBy(
                                e -> Tuple2.of(text(e.f1), text(e.f1 % 3)),
                                Types.TUPLE(Types.STRING, Types.STRING))
                        .map(new LongLists())
                        .returns(Types.STRING)
                        .map(line -> Tuple2.of(line.substring(0, line.indexOf(": ")), line))
                        .returns(Types.TUPLE(Types.STRING, Types.STRING))
                        .keyBy(line -> text(Integer.parseInt(line.f0)), Types.STRING)
                        .map(new Counted())
                        .returns(Types.STRING));
    }

    private static void namespaces(Run run) {
        run.collect(
                run.events("a")
                        .keyBy(e -> text(e.f1), Types.STRING)
                        .transform("namespaces", Types.STRING, new Namespaces()));
    }

    /** Two operators of a chain have a state of the same name, and of another type. */
    private static void oneName(Run run) {
        run.collect(
                DataStreamUtils.reinterpretAsKeyedStream(
                                run.events("a")
                                        .keyBy(e -> e.f1, Types.INT)
                                        .map(new ClearedLists())
                                        .returns(Types.STRING)
                                        .map(
                                                line ->
                                                        Tuple2.of(
                                                                line.substring(
                                                                        0, line.indexOf(": ")),
                                                                line))
                                        .returns(Types.TUPLE(Types.STRING, Types.STRING)),
                                line -> Integer.valueOf(line.f0),
                                Types.INT)
                        .map(new Counted())
                        .returns(Types.STRING));
    }

    // ------------------------------------------------------------------------
    //  Windows and broadcast state
    // ------------------------------------------------------------------------

    /** Lists are merged with those of other namespaces, and get late records. */
    private static void sessionsOfLists(Run run) {
        run.collect(
                StreamJobs.withLateOnes(run)
                        .keyBy(e -> e.f1, Types.INT)
                        .window(EventTimeSessionWindows.withGap(milliseconds(60)))
                        .allowedLateness(milliseconds(200))
                        .process(new Contents()));
    }

    /** Nearly all keys are due at the same watermarks. */
    private static void manyKeys(Run run) {
        run.collect(
                run.events("a", 2)
                        .keyBy(e -> (int) (e.f0 % 700), Types.INT)
                        .window(TumblingEventTimeWindows.of(milliseconds(7_000)))
                        .process(new Contents()));
    }

    /** Each rule is added to a list of each key that there is. */
    private static void rulesInLists(Run run) {
        MapStateDescriptor<Integer, String> descriptor =
                new MapStateDescriptor<>("rules", Types.INT, Types.STRING);
        run.collect(
                run.events("transactions", 2)
                        .keyBy(e -> e.f1, Types.INT)
                        .connect(
                                run.source("rules", new Run.Events(7), Run.EVENT, 300, 1)
                                        .broadcast(descriptor))
                        .process(new Rules()));
    }

    // ------------------------------------------------------------------------
    //  Functions
    // ------------------------------------------------------------------------

    private static <T> List<T> sorted(Iterable<T> elements) {
        return StreamSupport.stream(elements.spliterator(), false)
                .sorted()
                .collect(Collectors.toList());
    }

    /** Has up to some hundred entries in a map, removes and changes some as it goes over them. */
    private static final class Maps
            extends RichMapFunction<Tuple4<Long, Integer, Integer, Long>, String> {
        private static final long serialVersionUID = 1L;
        private static final MapStateDescriptor<Long, String> MAP =
                new MapStateDescriptor<>("map", Types.LONG, Types.STRING);

        @Override
        public String map(Tuple4<Long, Integer, Integer, Long> event) throws Exception {
            MapState<Long, String> map = getRuntimeContext().getMapState(MAP);
            for (long i = 0; i < 5; i++) {
                map.put(event.f0 * 10 + i, i % 3 == 0 ? null : "new");
            }
            int size = 0;
            int nulls = 0;
            long sum = 0;
            boolean changes = event.f2 < 15;
            for (Iterator<Map.Entry<Long, String>> entries = map.iterator(); entries.hasNext(); ) {
                Map.Entry<Long, String> entry = entries.next();
                size++;
                nulls += entry.getValue() == null ? 1 : 0;
                sum += entry.getKey() + (entry.getValue() == null ? 0 : entry.getValue().length());
                if (changes && (entry.getKey() + event.f2) % 4 == 0) {
                    entries.remove();
                } else if (changes && entry.getKey() % 5 == 0) {
                    entry.setValue(entry.getValue() == null ? "changed" : null);
                } else if (changes && entry.getKey() % 7 == 0) {
                    // no other entry, or it would fail on the heap
                    map.put(entry.getKey(), "put");
                }
            }
            if (event.f2 == 99) {
                map.clear();
            }
            return event.f1 + ": " + size + " " + nulls + " " + sum + " " + map.isEmpty();
        }
    }

    /** Adds some elements, and seldom looks at all of them. */
    private static final class LongLists
            extends RichMapFunction<Tuple4<Long, Integer, Integer, Long>, String> {
        private static final long serialVersionUID = 1L;
        private static final ListStateDescriptor<Long> LIST =
                new ListStateDescriptor<>("list", Types.LONG);

        @Override
        public String map(Tuple4<Long, Integer, Integer, Long> event) throws Exception {
            ListState<Long> list = getRuntimeContext().getListState(LIST);
            list.add(event.f0);
            list.addAll(Collections.nCopies(event.f2, event.f0));
            if (event.f2 < 80) {
                return event.f1 + ": added";
            }
            int size = 0;
            long hash = 0;
            List<Long> some = new ArrayList<>();
            for (long element : list.get()) {
                hash = hash * 31 + element;
                if (size++ % 3 == 0) {
                    some.add(element);
                }
            }
            if (event.f2 > 95) {
                list.update(some);
            }
            return event.f1 + ": " + size + " " + hash;
        }
    }

    /** Gives what has been collected since it was cleared. */
    private static final class ClearedLists
            extends RichMapFunction<Tuple4<Long, Integer, Integer, Long>, String> {
        private static final long serialVersionUID = 1L;
        private static final ListStateDescriptor<Long> LIST =
                new ListStateDescriptor<>("state", Types.LONG);

        @Override
        public String map(Tuple4<Long, Integer, Integer, Long> event) throws Exception {
            ListState<Long> list = getRuntimeContext().getListState(LIST);
            list.add(event.f0);
            String result = event.f1 + ": " + list.get();
            if (event.f2 % 4 == 0) {
                list.clear();
            }
            return result;
        }
    }

    /** Asks for more and more states, each when the first record needs it. */
    private static final class LateStates
            extends RichMapFunction<Tuple4<Long, Integer, Integer, Long>, String> {
        private static final long serialVersionUID = 1L;

        @Override
        public String map(Tuple4<Long, Integer, Integer, Long> event) throws Exception {
            String name = "state " + event.f2 % (1 + event.f0 / 200);
            ListState<Long> list =
                    getRuntimeContext()
                            .getListState(new ListStateDescriptor<>(name + ", list", Types.LONG));
            ValueState<Long> value =
                    getRuntimeContext()
                            .getState(new ValueStateDescriptor<>(name + ", value", Types.LONG));
            list.add(event.f0);
            value.update((value.value() == null ? 0 : value.value()) + event.f2);
            return event.f1 + ": " + name + " " + list.get() + " " + value.value();
        }
    }

    /** Nothing expires; what is read is looked at by the filter of compactions. */
    private static final class WithTtl
            extends RichMapFunction<Tuple4<Long, Integer, Integer, Long>, String> {
        private static final long serialVersionUID = 1L;

        private static <S extends State, D extends StateDescriptor<S, ?>> D expiring(D state) {
            state.enableTimeToLive(
                    StateTtlConfig.newBuilder(Time.hours(1))
                            .cleanupInRocksdbCompactFilter(10)
                            .build());
            return state;
        }

        @Override
        public String map(Tuple4<Long, Integer, Integer, Long> event) throws Exception {
            ListState<Long> list =
                    getRuntimeContext()
                            .getListState(expiring(new ListStateDescriptor<>("list", Types.LONG)));
            MapState<Integer, Long> map =
                    getRuntimeContext()
                            .getMapState(
                                    expiring(
                                            new MapStateDescriptor<>(
                                                    "map", Types.INT, Types.LONG)));
            ValueState<Integer> value =
                    getRuntimeContext()
                            .getState(expiring(new ValueStateDescriptor<>("value", Types.INT)));
            list.add(event.f0);
            map.put(event.f2 % 10, event.f0);
            value.update((value.value() == null ? 0 : value.value()) + event.f2);
            String result =
                    event.f1
                            + ": "
                            + sorted(list.get())
                            + " "
                            + sorted(map.values())
                            + " "
                            + value.value();
            if (event.f2 % 5 == 0) {
                list.clear();
                map.remove(3);
            }
            return result;
        }
    }

    private static final class Reduced
            extends RichMapFunction<Tuple4<Long, Integer, Integer, Long>, String> {
        private static final long serialVersionUID = 1L;
        private static final ReducingStateDescriptor<Long> SUM =
                new ReducingStateDescriptor<>("sum", Long::sum, Types.LONG);
        private static final AggregatingStateDescriptor<Long, String, String> TEXT =
                new AggregatingStateDescriptor<>("text", new Joined(), Types.STRING);

        @Override
        public String map(Tuple4<Long, Integer, Integer, Long> event) throws Exception {
            getRuntimeContext().getReducingState(SUM).add(event.f0);
            getRuntimeContext().getAggregatingState(TEXT).add(event.f0);
            String result =
                    event.f1
                            + ": "
                            + getRuntimeContext().getReducingState(SUM).get()
                            + " "
                            + getRuntimeContext().getAggregatingState(TEXT).get();
            if (event.f2 % 6 == 0) {
                getRuntimeContext().getReducingState(SUM).clear();
                getRuntimeContext().getAggregatingState(TEXT).clear();
            }
            return result;
        }
    }

    private static final class Joined implements AggregateFunction<Long, String, String> {
        private static final long serialVersionUID = 1L;

        @Override
        public String createAccumulator() {
            return "";
        }

        @Override
        public String add(Long number, String before) {
            return before + number + ",";
        }

        @Override
        public String getResult(String text) {
            return text;
        }

        @Override
        public String merge(String a, String b) {
            return a + b;
        }
    }

    /** Many bytes, all of which depend on what has come, and a list that now and then ends. */
    private static final class Blobs
            extends RichMapFunction<Tuple4<Long, Integer, Integer, Long>, String> {
        private static final long serialVersionUID = 1L;
        private static final int BYTES = 100_000;
        private static final ValueStateDescriptor<byte[]> BLOB =
                new ValueStateDescriptor<>(
                        "blob", PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO);
        private static final ListStateDescriptor<Long> LIST =
                new ListStateDescriptor<>("list", Types.LONG);

        @Override
        public String map(Tuple4<Long, Integer, Integer, Long> event) throws Exception {
            ValueState<byte[]> blob = getRuntimeContext().getState(BLOB);
            ListState<Long> list = getRuntimeContext().getListState(LIST);
            byte[] before = blob.value();
            byte[] now = before == null ? new byte[BYTES] : before;
            new Random(Arrays.hashCode(now) + event.f0).nextBytes(now);
            blob.update(now);
            list.add(event.f0);
            String result = event.f1 + ": " + Arrays.hashCode(now) + " " + list.get();
            if (event.f2 % 9 == 0) {
                list.clear();
            } else if (event.f2 % 9 == 1) {
                blob.clear();
            }
            return result;
        }
    }

    /** Numbers what comes. The name of its state is one of others, too. */
    private static final class Counted extends RichMapFunction<Tuple2<String, String>, String> {
        private static final long serialVersionUID = 1L;
        private static final ValueStateDescriptor<Long> COUNT =
                new ValueStateDescriptor<>("state", Types.LONG);

        @Override
        public String map(Tuple2<String, String> line) throws Exception {
            ValueState<Long> count = getRuntimeContext().getState(COUNT);
            count.update(count.value() == null ? 1 : count.value() + 1);
            return line.f1 + ", " + count.value();
        }
    }

    /** A key and a namespace may be, one behind the other, the bytes of two others. */
    private static final class Namespaces extends AbstractStreamOperator<String>
            implements OneInputStreamOperator<Tuple4<Long, Integer, Integer, Long>, String> {
        private static final long serialVersionUID = 1L;
        private static final ListStateDescriptor<Long> LIST =
                new ListStateDescriptor<>("list", Types.LONG);
        private static final MapStateDescriptor<String, Long> MAP =
                new MapStateDescriptor<>("map", Types.STRING, Types.LONG);

        @Override
        public void processElement(StreamRecord<Tuple4<Long, Integer, Integer, Long>> record)
                throws Exception {
            Tuple4<Long, Integer, Integer, Long> event = record.getValue();
            String namespace = text(event.f2 % 20);
            ListState<Long> list = getPartitionedState(namespace, StringSerializer.INSTANCE, LIST);
            list.add(event.f0);
            String numbers = list.get().toString();
            if (event.f2 % 3 == 0) {
                list.clear();
            }
            MapState<String, Long> map =
                    getPartitionedState(namespace, StringSerializer.INSTANCE, MAP);
            map.put(text(event.f2 % 7), event.f0);
            Map<String, Long> entries = new TreeMap<>();
            map.entries().forEach(entry -> entries.put(entry.getKey(), entry.getValue()));
            output.collect(
                    new StreamRecord<>(event.f1 + " " + event.f2 % 20 + numbers + " " + entries));
        }
    }

    /** The records of a window, without regard to their order. */
    private static final class Contents
            extends ProcessWindowFunction<
                    Tuple4<Long, Integer, Integer, Long>, String, Integer, TimeWindow> {
        private static final long serialVersionUID = 1L;

        @Override
        public void process(
                Integer key,
                Context context,
                Iterable<Tuple4<Long, Integer, Integer, Long>> events,
                Collector<String> out) {
            List<Long> numbers = new ArrayList<>();
            events.forEach(event -> numbers.add(event.f0));
            Collections.sort(numbers);
            out.collect(key + " from " + context.window().getStart() + " " + numbers);
        }
    }

    /** Each key has all rules since its first record, once and in order. */
    private static final class Rules
            extends KeyedBroadcastProcessFunction<
                    Integer,
                    Tuple4<Long, Integer, Integer, Long>,
                    Tuple4<Long, Integer, Integer, Long>,
                    String> {
        private static final long serialVersionUID = 1L;
        private static final ListStateDescriptor<Long> LIST =
                new ListStateDescriptor<>("list", Types.LONG);

        @Override
        public void processElement(
                Tuple4<Long, Integer, Integer, Long> event,
                ReadOnlyContext context,
                Collector<String> out)
                throws Exception {
            ListState<Long> list = getRuntimeContext().getListState(LIST);
            if (list.get() == null || !list.get().iterator().hasNext()) {
                list.update(Arrays.asList(-1L));
                context.timerService().registerEventTimeTimer(Long.MAX_VALUE - 1);
            }
        }

        @Override
        public void processBroadcastElement(
                Tuple4<Long, Integer, Integer, Long> rule, Context context, Collector<String> out)
                throws Exception {
            context.applyToKeyedState(LIST, (key, list) -> list.add(rule.f0));
        }

        @Override
        public void onTimer(long timestamp, OnTimerContext context, Collector<String> out)
                throws Exception {
            // since when it is there depends on which input was read first
            List<Long> rules = new ArrayList<>();
            getRuntimeContext().getListState(LIST).get().forEach(rules::add);
            boolean all = rules.remove(0) == -1;
            for (int i = 1; i < rules.size(); i++) {
                all &= rules.get(i) == rules.get(i - 1) + 1;
            }
            all &= rules.isEmpty() || rules.get(rules.size() - 1) == 299;
            out.collect(context.getCurrentKey() + (all ? " has all" : " has " + rules));
        }
    }
}
