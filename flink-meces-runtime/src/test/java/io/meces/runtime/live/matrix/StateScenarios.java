// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live.matrix;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.state.AggregatingState;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReducingState;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.typeutils.GenericTypeInfo;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/** Every kind of keyed state, key and value. Each result shows the state after its record. */
final class StateScenarios {

    private StateScenarios() {}

    static List<Scenario> all() {
        return Arrays.asList(
                valueState(),
                listState(),
                mapState(),
                reducingState(),
                aggregatingState(),
                tenStates(),
                stateOfSomeKeys(),
                stateThatComesLater(),
                clearedState(),
                pojoValues(),
                kryoValues(),
                nullValues(),
                largeValues(),
                keyed("String keys", e -> "key-" + e.key, Types.STRING),
                keyed(
                        "tuple keys",
                        e -> Tuple2.of(e.key % 7, "k" + e.key),
                        Types.TUPLE(Types.INT, Types.STRING)),
                keyed("POJO keys", e -> new Place(e.key), TypeInformation.of(Place.class)),
                keyed(
                        "Kryo keys",
                        e -> new BigDecimal(e.key).movePointLeft(1),
                        new GenericTypeInfo<>(BigDecimal.class)),
                Scenario.of(
                        "custom namespaces",
                        (feeds, run) ->
                                feeds.next()
                                        .keyBy(e -> e.key, Types.INT)
                                        .transform("keyed", Types.STRING, new Namespaces())
                                        .uid("keyed")));
    }

    private static Scenario fold(String name, Fold.Body body, StateDescriptor<?, ?>... states) {
        return Scenario.of(
                name,
                (feeds, run) ->
                        feeds.next()
                                .keyBy(e -> e.key, Types.INT)
                                .process(new Fold<>(body, states))
                                .returns(Types.STRING)
                                .name("keyed")
                                .uid("keyed"));
    }

    private static <K> Scenario keyed(
            String name, KeySelector<Event, K> key, TypeInformation<K> type) {
        ValueStateDescriptor<Long> folded = new ValueStateDescriptor<>("folded", Types.LONG);
        return Scenario.of(
                name,
                (feeds, run) ->
                        feeds.next()
                                .keyBy(key, type)
                                .process(new Fold<>(valueBody(folded), folded))
                                .returns(Types.STRING)
                                .name("keyed")
                                .uid("keyed"));
    }

    private static Fold.Body valueBody(ValueStateDescriptor<Long> folded) {
        return (e, states, out) -> {
            ValueState<Long> state = states.getState(folded);
            state.update(Fold.next(state.value(), e));
            out.emit(state.value());
        };
    }

    static Scenario valueState() {
        ValueStateDescriptor<Long> folded = new ValueStateDescriptor<>("folded", Types.LONG);
        return fold("value state", valueBody(folded), folded);
    }

    private static Scenario listState() {
        ListStateDescriptor<Integer> list = new ListStateDescriptor<>("list", Types.INT);
        return fold(
                "list state",
                (e, states, out) -> {
                    ListState<Integer> state = states.getListState(list);
                    if (e.seq % 5 == 4) {
                        state.addAll(Arrays.asList(e.seq, -e.seq));
                    } else {
                        state.add(e.seq);
                    }
                    out.emit(state.get());
                },
                list);
    }

    private static Scenario mapState() {
        MapStateDescriptor<String, Integer> map =
                new MapStateDescriptor<>("map", Types.STRING, Types.INT);
        return fold(
                "map state",
                (e, states, out) -> {
                    MapState<String, Integer> state = states.getMapState(map);
                    state.put("m" + e.seq % 7, e.seq);
                    if (e.seq % 3 == 2) {
                        state.remove("m" + (e.seq - 1) % 7);
                    }
                    TreeSet<String> entries = new TreeSet<>();
                    state.entries().forEach(m -> entries.add(m.getKey() + "=" + m.getValue()));
                    out.emit(entries);
                },
                map);
    }

    private static Scenario reducingState() {
        ReducingStateDescriptor<Long> reduced =
                new ReducingStateDescriptor<>("reduced", (a, b) -> a * 31 + b, Types.LONG);
        return fold(
                "reducing state",
                (e, states, out) -> {
                    ReducingState<Long> state = states.getReducingState(reduced);
                    state.add((long) e.seq);
                    out.emit(state.get());
                },
                reduced);
    }

    private static Scenario aggregatingState() {
        AggregatingStateDescriptor<Event, Tuple2<Long, Long>, String> aggregated =
                new AggregatingStateDescriptor<>(
                        "aggregated", new CountAndFold(), Types.TUPLE(Types.LONG, Types.LONG));
        return fold(
                "aggregating state",
                (e, states, out) -> {
                    AggregatingState<Event, String> state = states.getAggregatingState(aggregated);
                    state.add(e);
                    out.emit(state.get());
                },
                aggregated);
    }

    private static Scenario tenStates() {
        List<ValueStateDescriptor<Long>> values = new ArrayList<>();
        List<StateDescriptor<?, ?>> all = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            values.add(new ValueStateDescriptor<>("value-" + i, Types.LONG));
        }
        ListStateDescriptor<Integer> list = new ListStateDescriptor<>("list", Types.INT);
        MapStateDescriptor<Integer, Integer> map =
                new MapStateDescriptor<>("map", Types.INT, Types.INT);
        ReducingStateDescriptor<Integer> reduced =
                new ReducingStateDescriptor<>("reduced", Integer::sum, Types.INT);
        AggregatingStateDescriptor<Event, Tuple2<Long, Long>, String> aggregated =
                new AggregatingStateDescriptor<>(
                        "aggregated", new CountAndFold(), Types.TUPLE(Types.LONG, Types.LONG));
        all.addAll(values);
        all.addAll(Arrays.asList(list, map, reduced, aggregated));
        return fold(
                "ten states of one operator",
                (e, states, out) -> {
                    ValueState<Long> one = states.getState(values.get(e.seq % values.size()));
                    one.update(Fold.next(one.value(), e));
                    states.getListState(list).add(e.seq);
                    states.getMapState(map).put(e.seq % 4, e.seq);
                    states.getReducingState(reduced).add(e.seq);
                    states.getAggregatingState(aggregated).add(e);
                    TreeMap<Integer, Integer> entries = new TreeMap<>();
                    states.getMapState(map)
                            .entries()
                            .forEach(x -> entries.put(x.getKey(), x.getValue()));
                    out.emit(
                            one.value()
                                    + " "
                                    + states.getListState(list).get()
                                    + entries
                                    + states.getReducingState(reduced).get()
                                    + states.getAggregatingState(aggregated).get());
                },
                all.toArray(new StateDescriptor<?, ?>[0]));
    }

    /** Most subtasks do not know the state when a unit comes that has it. */
    private static Scenario stateOfSomeKeys() {
        ValueStateDescriptor<Long> folded = new ValueStateDescriptor<>("folded", Types.LONG);
        MapStateDescriptor<Integer, Integer> map =
                new MapStateDescriptor<>("map", Types.INT, Types.INT);
        return fold(
                        "state registered with the first record that needs it",
                        (e, states, out) -> {
                            if (e.key % 20 == 7) {
                                ValueState<Long> state = states.getState(folded);
                                state.update(Fold.next(state.value(), e));
                                out.emit(state.value());
                            } else if (e.key % 20 == 11 && e.seq % 4 == 3) {
                                states.getMapState(map).put(e.seq, e.seq);
                                TreeSet<Integer> keys = new TreeSet<>();
                                states.getMapState(map).keys().forEach(keys::add);
                                out.emit(keys);
                            }
                        })
                .withSavepointsOfAnySize();
    }

    /** The second state is not known anywhere before the first rescale. */
    private static Scenario stateThatComesLater() {
        ValueStateDescriptor<Long> early = new ValueStateDescriptor<>("early", Types.LONG);
        ListStateDescriptor<Integer> late = new ListStateDescriptor<>("late", Types.INT);
        return fold(
                        "state registered between rescales",
                        (e, states, out) -> {
                            ValueState<Long> state = states.getState(early);
                            state.update(Fold.next(state.value(), e));
                            out.emit(state.value());
                            if (e.seq >= Feed.ROUND_B + e.key % 8) {
                                states.getListState(late).add(e.seq);
                                out.emit(states.getListState(late).get());
                            }
                        },
                        early)
                .withSavepointsOfAnySize();
    }

    private static Scenario clearedState() {
        ValueStateDescriptor<Long> value = new ValueStateDescriptor<>("value", Types.LONG);
        ListStateDescriptor<Integer> list = new ListStateDescriptor<>("list", Types.INT);
        return fold(
                "state that is cleared",
                (e, states, out) -> {
                    ValueState<Long> state = states.getState(value);
                    out.emit(state.value() + " " + states.getListState(list).get());
                    if ((e.seq + e.key) % 6 == 5) {
                        state.clear();
                        states.getListState(list).clear();
                    } else {
                        state.update(Fold.next(state.value(), e));
                        states.getListState(list).add(e.seq);
                    }
                },
                value,
                list);
    }

    private static Scenario pojoValues() {
        ValueStateDescriptor<Place> value =
                new ValueStateDescriptor<>("value", TypeInformation.of(Place.class));
        ListStateDescriptor<Event> list = new ListStateDescriptor<>("list", Event.class);
        return fold(
                "POJO values",
                (e, states, out) -> {
                    ValueState<Place> state = states.getState(value);
                    Place place = state.value() == null ? new Place(e.key) : state.value();
                    place.number += e.seq;
                    place.names.add("n" + e.seq);
                    state.update(place);
                    states.getListState(list).add(e);
                    out.emit(place.number + " " + place.names + states.getListState(list).get());
                },
                value,
                list);
    }

    private static Scenario kryoValues() {
        ValueStateDescriptor<Bag> value =
                new ValueStateDescriptor<>("value", new GenericTypeInfo<>(Bag.class));
        return fold(
                "Kryo values",
                (e, states, out) -> {
                    Bag bag = states.getState(value).value();
                    Bag next = new Bag();
                    if (bag != null) {
                        next.content.putAll(bag.content);
                    }
                    next.content.put("s" + e.seq % 5, e.seq);
                    states.getState(value).update(next);
                    out.emit(next.content);
                },
                value);
    }

    private static Scenario nullValues() {
        MapStateDescriptor<Integer, String> map =
                new MapStateDescriptor<>("map", Types.INT, Types.STRING);
        return fold(
                "null values in map state",
                (e, states, out) -> {
                    MapState<Integer, String> state = states.getMapState(map);
                    state.put(e.seq % 6, e.seq % 2 == 0 ? null : "v" + e.seq);
                    TreeSet<String> entries = new TreeSet<>();
                    state.entries().forEach(m -> entries.add(m.getKey() + "=" + m.getValue()));
                    out.emit(entries);
                },
                map);
    }

    /** One key has a list of a megabyte. */
    private static Scenario largeValues() {
        ListStateDescriptor<byte[]> list =
                new ListStateDescriptor<>(
                        "list", PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO);
        return fold(
                "a list of a megabyte",
                (e, states, out) -> {
                    ListState<byte[]> state = states.getListState(list);
                    byte[] bytes = new byte[e.key == 5 ? 64 * 1024 : 16];
                    Arrays.fill(bytes, (byte) e.seq);
                    state.add(bytes);
                    long hash = 17;
                    for (byte[] element : state.get()) {
                        hash = hash * 31 + Arrays.hashCode(element);
                    }
                    out.emit(hash);
                },
                list);
    }

    /** A POJO that can be a key, too. */
    public static final class Place {
        public int number;
        public List<String> names = new ArrayList<>();

        public Place() {}

        Place(int number) {
            this.number = number;
        }

        @Override
        public int hashCode() {
            return number;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Place
                    && ((Place) other).number == number
                    && ((Place) other).names.equals(names);
        }
    }

    /** Not a POJO: has no public members. */
    private static final class Bag {
        private final TreeMap<String, Integer> content = new TreeMap<>();
    }

    /** Counts, and folds in order. */
    static final class CountAndFold
            implements AggregateFunction<Event, Tuple2<Long, Long>, String> {
        private static final long serialVersionUID = 1L;

        @Override
        public Tuple2<Long, Long> createAccumulator() {
            return Tuple2.of(0L, 17L);
        }

        @Override
        public Tuple2<Long, Long> add(Event event, Tuple2<Long, Long> before) {
            return Tuple2.of(before.f0 + 1, Fold.next(before.f1, event));
        }

        @Override
        public String getResult(Tuple2<Long, Long> accumulator) {
            return accumulator.toString();
        }

        @Override
        public Tuple2<Long, Long> merge(Tuple2<Long, Long> a, Tuple2<Long, Long> b) {
            return Tuple2.of(a.f0 + b.f0, a.f1 * 1_000_003 + b.f1);
        }
    }

    /** An operator that keeps its state in namespaces of its own. */
    private static final class Namespaces extends AbstractStreamOperator<String>
            implements OneInputStreamOperator<Event, String> {
        private static final long serialVersionUID = 1L;

        @Override
        public void processElement(StreamRecord<Event> record) throws Exception {
            Event e = record.getValue();
            ValueState<Long> state =
                    getPartitionedState(
                            "namespace-" + e.seq % 4,
                            StringSerializer.INSTANCE,
                            new ValueStateDescriptor<>("folded", Types.LONG));
            state.update(Fold.next(state.value(), e));
            output.collect(record.replace(e + " " + state.value()));
        }
    }
}
