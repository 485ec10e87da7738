// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.api.common.state.AggregatingStateDescriptor;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;

/** One state of each kind, namespaces being strings. */
final class States {

    static final ValueStateDescriptor<Long> VALUE =
            new ValueStateDescriptor<>("value", LongSerializer.INSTANCE);
    static final ListStateDescriptor<String> LIST =
            new ListStateDescriptor<>("list", StringSerializer.INSTANCE);
    static final MapStateDescriptor<String, Integer> MAP =
            new MapStateDescriptor<>("map", StringSerializer.INSTANCE, IntSerializer.INSTANCE);
    static final ReducingStateDescriptor<Long> REDUCING =
            new ReducingStateDescriptor<>("reducing", Long::sum, LongSerializer.INSTANCE);
    static final AggregatingStateDescriptor<Long, Long, String> AGGREGATING =
            new AggregatingStateDescriptor<>("aggregating", new Max(), LongSerializer.INSTANCE);

    private States() {}

    /** Adds something that depends on {@code n} to all states. */
    static void fill(HeapKeyedStateBackend<String> backend, String key, String namespace, long n)
            throws Exception {
        StringSerializer names = StringSerializer.INSTANCE;
        Backends.state(backend, key, namespace, names, VALUE).update(n);
        Backends.state(backend, key, namespace, names, LIST).add("l" + n);
        Backends.state(backend, key, namespace, names, LIST).add("m" + n);
        Backends.state(backend, key, namespace, names, MAP).put("k" + n, (int) n);
        Backends.state(backend, key, namespace, names, REDUCING).add(n);
        Backends.state(backend, key, namespace, names, AGGREGATING).add(n);
    }

    /** What all states hold for the key and namespace. */
    static String read(HeapKeyedStateBackend<String> backend, String key, String namespace)
            throws Exception {
        StringSerializer names = StringSerializer.INSTANCE;
        Map<String, Integer> map = new TreeMap<>();
        for (Map.Entry<String, Integer> entry :
                Backends.state(backend, key, namespace, names, MAP).entries()) {
            map.put(entry.getKey(), entry.getValue());
        }
        return Backends.state(backend, key, namespace, names, VALUE).value()
                + " "
                + Backends.state(backend, key, namespace, names, LIST).get()
                + " "
                + map
                + " "
                + Backends.state(backend, key, namespace, names, REDUCING).get()
                + " "
                + Backends.state(backend, key, namespace, names, AGGREGATING).get();
    }

    /** What {@link #read} returns after {@link #fill} was called once. */
    static String filled(long n) {
        return n + " [l" + n + ", m" + n + "] {k" + n + "=" + n + "} " + n + " max " + n;
    }

    /** What {@link #read} returns for a key without any state. */
    static String none() {
        return "null null {} null null";
    }

    /** All keys of all states in the namespace, sorted. */
    static TreeSet<String> keys(HeapKeyedStateBackend<String> backend, String namespace) {
        TreeSet<String> keys = new TreeSet<>();
        for (String state : new String[] {"value", "list", "map", "reducing", "aggregating"}) {
            backend.getKeys(state, namespace).forEach(keys::add);
        }
        return keys;
    }

    /** The greatest of all, as text. */
    private static final class Max implements AggregateFunction<Long, Long, String> {

        @Override
        public Long createAccumulator() {
            return Long.MIN_VALUE;
        }

        @Override
        public Long add(Long value, Long accumulator) {
            return Math.max(value, accumulator);
        }

        @Override
        public String getResult(Long accumulator) {
            return "max " + accumulator;
        }

        @Override
        public Long merge(Long a, Long b) {
            return Math.max(a, b);
        }
    }
}
