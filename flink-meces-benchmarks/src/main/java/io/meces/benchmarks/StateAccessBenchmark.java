// SPDX-License-Identifier: Apache-2.0
package io.meces.benchmarks;

import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ReducingState;
import org.apache.flink.api.common.state.ReducingStateDescriptor;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.BenchmarkParams;

/**
 * One access to one state per invocation, on the way on which an operator takes it: the key is set,
 * then the state object asked. Keys come in random order, so caches miss as they do in a job.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 300, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 4, time = 300, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class StateAccessBenchmark {

    @Param({"flink", "1", "16", "16-moved", "128", "1024"})
    public String backend;

    @Param({"10000", "100000", "1000000"})
    public int keys;

    private HeapKeyedStateBackend<Long> keyed;
    private ValueState<Long> value;
    private ReducingState<Long> sum;
    private MapState<Long, Long> map;
    private Long[] order;
    private int next;

    /** Fills the states; those that a benchmark does not use stay empty. */
    @Setup
    public void fill(BenchmarkParams benchmark) throws Exception {
        keyed = Backends.create(backend);
        bind();
        String method = benchmark.getBenchmark();
        boolean sums = method.endsWith(".transform");
        boolean maps = method.endsWith(".mapPut");
        for (int i = 0; i < keys; i++) {
            keyed.setCurrentKey(Backends.key(i));
            if (sums) {
                sum.add((long) i);
            } else if (maps) {
                map.put(1L, (long) i);
            } else {
                value.update((long) i);
            }
        }
        keyed = Backends.moveIfNamedSo(backend, keyed);
        bind();
        order = Backends.shuffledKeys(keys);
    }

    private void bind() throws Exception {
        LongSerializer longs = LongSerializer.INSTANCE;
        value = state(new ValueStateDescriptor<>("value", longs));
        sum = state(new ReducingStateDescriptor<>("sum", Long::sum, longs));
        map = state(new MapStateDescriptor<>("map", longs, longs));
    }

    private <S extends org.apache.flink.api.common.state.State> S state(
            StateDescriptor<S, ?> descriptor) throws Exception {
        return keyed.getPartitionedState(
                VoidNamespace.INSTANCE, VoidNamespaceSerializer.INSTANCE, descriptor);
    }

    private Long nextKey() {
        int i = next;
        next = i + 1 == order.length ? 0 : i + 1;
        return order[i];
    }

    /** Reads the value of a key that has one. */
    @Benchmark
    public Long get() throws Exception {
        keyed.setCurrentKey(nextKey());
        return value.value();
    }

    /** Replaces the value of a key that has one. */
    @Benchmark
    public void put() throws Exception {
        Long key = nextKey();
        keyed.setCurrentKey(key);
        value.update(key);
    }

    /** Removes a value and adds it again: two accesses. */
    @Benchmark
    public void removeAndPut() throws Exception {
        Long key = nextKey();
        keyed.setCurrentKey(key);
        value.clear();
        value.update(key);
    }

    /** Adds to a reducing state. */
    @Benchmark
    public void transform() throws Exception {
        Long key = nextKey();
        keyed.setCurrentKey(key);
        sum.add(key);
    }

    /** Replaces the only entry of a map state. */
    @Benchmark
    public void mapPut() throws Exception {
        Long key = nextKey();
        keyed.setCurrentKey(key);
        map.put(1L, key);
    }
}
