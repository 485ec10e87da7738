// SPDX-License-Identifier: Apache-2.0
package io.meces.benchmarks;

import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.heap.HeapKeyedStateBackend;
import org.apache.flink.runtime.state.memory.MemCheckpointStreamFactory;
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

/** What goes over all entries of a state: filling, iteration and snapshots. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 4, time = 300, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 4, time = 300, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class WholeStateBenchmark {

    @Param({"flink", "1", "16", "128", "1024"})
    public String backend;

    @Param({"10000", "100000", "1000000"})
    public int keys;

    private HeapKeyedStateBackend<Long> filled;
    private Long[] order;

    /** Fills a backend. */
    @Setup
    public void prepare() throws Exception {
        order = Backends.shuffledKeys(keys);
        filled = fill();
    }

    /** A new backend gets all keys, in random order. */
    @Benchmark
    public HeapKeyedStateBackend<Long> fill() throws Exception {
        HeapKeyedStateBackend<Long> keyed = Backends.create(backend);
        ValueState<Long> value = value(keyed);
        for (Long key : order) {
            keyed.setCurrentKey(key);
            value.update(key);
        }
        return keyed;
    }

    /** Iterates over all keys. */
    @Benchmark
    public long iterate() {
        return filled.getKeys("value", VoidNamespace.INSTANCE).mapToLong(key -> key).sum();
    }

    /** What a checkpoint does in the task thread. */
    @Benchmark
    public boolean snapshotInTaskThread() throws Exception {
        // cancel(false) would not release it
        return snapshot(filled).cancel(true);
    }

    /** A whole checkpoint, into memory. */
    @Benchmark
    public Object snapshotAndWrite() throws Exception {
        RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot = snapshot(filled);
        snapshot.run();
        return snapshot.get();
    }

    /** Updates every tenth key while a snapshot is running, which has entries copied. */
    @Benchmark
    public boolean updateDuringSnapshot() throws Exception {
        RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot = snapshot(filled);
        ValueState<Long> value = value(filled);
        for (int i = 0; i < order.length; i += 10) {
            filled.setCurrentKey(order[i]);
            value.update(value.value());
        }
        return snapshot.cancel(true);
    }

    private static ValueState<Long> value(HeapKeyedStateBackend<Long> keyed) throws Exception {
        return keyed.getPartitionedState(
                VoidNamespace.INSTANCE,
                VoidNamespaceSerializer.INSTANCE,
                new ValueStateDescriptor<>("value", LongSerializer.INSTANCE));
    }

    private static RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot(
            HeapKeyedStateBackend<Long> keyed) throws Exception {
        return keyed.snapshot(
                1L,
                1L,
                new MemCheckpointStreamFactory(256 << 20),
                CheckpointOptions.forCheckpointWithDefaultLocation());
    }
}
