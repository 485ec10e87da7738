// SPDX-License-Identifier: Apache-2.0
package io.meces.benchmarks;

import io.meces.state.MecesKeyedStateBackend;
import java.util.Random;
import java.util.function.LongUnaryOperator;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.streaming.api.operators.TimerSerializer;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;

/** State as jobs have it, in a backend keyed by longs. */
enum StateShape {
    /** A count per key, keys being numbers of things. */
    COUNTS("counts of numbered keys", 400_000) {
        @Override
        void fill(MecesKeyedStateBackend<Long> backend, int keys) throws Exception {
            counts(backend, keys, number -> number);
        }
    },

    /** A count per key, keys being hash codes or other noise. */
    COUNTS_OF_RANDOM_KEYS("counts of random keys", 400_000) {
        @Override
        void fill(MecesKeyedStateBackend<Long> backend, int keys) throws Exception {
            counts(backend, keys, Backends::key);
        }
    },

    /** A session per key: (amount, article) as a list, and a timer. */
    SESSIONS("sessions of 20 tuples", 30_000) {
        @Override
        void fill(MecesKeyedStateBackend<Long> backend, int keys) throws Exception {
            Random random = new Random(1);
            TimeWindow.Serializer windows = new TimeWindow.Serializer();
            ListStateDescriptor<Tuple2<Long, Integer>> descriptor =
                    new ListStateDescriptor<>("contents", Types.TUPLE(Types.LONG, Types.INT));
            KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<Long, TimeWindow>> timers =
                    backend.create(
                            "timers", new TimerSerializer<>(LongSerializer.INSTANCE, windows));
            for (long key = 0; key < keys; key++) {
                long start = START + random.nextInt(600_000);
                TimeWindow window = new TimeWindow(start, start + 30_000 + random.nextInt(60_000));
                backend.setCurrentKey(key);
                ListState<Tuple2<Long, Integer>> contents =
                        backend.getPartitionedState(window, windows, descriptor);
                for (int i = 0; i < 20; i++) {
                    contents.add(Tuple2.of(start + random.nextInt(30_000), random.nextInt(10_000)));
                }
                timers.add(new TimerHeapInternalTimer<>(window.maxTimestamp(), key, window));
            }
        }
    },

    /** For each key how often it has been where. */
    MAPS("maps of 30 strings", 15_000) {
        @Override
        void fill(MecesKeyedStateBackend<Long> backend, int keys) throws Exception {
            Random random = new Random(1);
            String[] sections = {"products", "articles", "customers", "basket", "search"};
            MapStateDescriptor<String, Long> descriptor =
                    new MapStateDescriptor<>("visits", Types.STRING, Types.LONG);
            for (long key = 0; key < keys; key++) {
                backend.setCurrentKey(key);
                MapState<String, Long> visits =
                        backend.getPartitionedState(
                                VoidNamespace.INSTANCE,
                                VoidNamespaceSerializer.INSTANCE,
                                descriptor);
                for (int i = 0; i < 30; i++) {
                    String section = sections[random.nextInt(sections.length)];
                    visits.put(
                            "/" + section + "/" + random.nextInt(100_000),
                            (long) random.nextInt(100));
                }
            }
        }
    };

    private static final long START = 1_700_000_000_000L;

    /** What it is. */
    final String text;

    /** How many keys make about 7 to 12 MB. */
    final int keys;

    StateShape(String text, int keys) {
        this.text = text;
        this.keys = keys;
    }

    /** Fills a backend, always with the same. */
    abstract void fill(MecesKeyedStateBackend<Long> backend, int keys) throws Exception;

    private static void counts(
            MecesKeyedStateBackend<Long> backend, int keys, LongUnaryOperator key)
            throws Exception {
        Random random = new Random(1);
        ValueState<Long> count =
                backend.getPartitionedState(
                        VoidNamespace.INSTANCE,
                        VoidNamespaceSerializer.INSTANCE,
                        new ValueStateDescriptor<>("count", LongSerializer.INSTANCE));
        for (long number = 0; number < keys; number++) {
            backend.setCurrentKey(key.applyAsLong(number));
            count.update((long) random.nextInt(1_000));
        }
    }
}
