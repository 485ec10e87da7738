// SPDX-License-Identifier: Apache-2.0
package io.meces.benchmarks;

import java.util.concurrent.TimeUnit;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
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

/** A queue of timers of constant length. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 300, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 4, time = 300, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class TimerBenchmark {

    @Param({"flink", "1", "16", "128", "1024"})
    public String backend;

    @Param({"10000", "100000", "1000000"})
    public int keys;

    private KeyGroupedInternalPriorityQueue<TimerHeapInternalTimer<Long, VoidNamespace>> queue;
    private Long[] order;
    private long[] times;
    private int next;

    /** Registers a timer for each key. */
    @Setup
    public void fill() throws Exception {
        queue = Backends.timers(Backends.create(backend));
        order = Backends.shuffledKeys(keys);
        times = new long[keys];
        for (int i = 0; i < keys; i++) {
            times[i] = Backends.key(i) >>> 24;
            queue.add(timer(i));
        }
    }

    private TimerHeapInternalTimer<Long, VoidNamespace> timer(int i) {
        return new TimerHeapInternalTimer<>(times[i], order[i], VoidNamespace.INSTANCE);
    }

    /** The first timer fires, and its key registers a later one. */
    @Benchmark
    public void pollAndAdd() {
        TimerHeapInternalTimer<Long, VoidNamespace> first = queue.poll();
        queue.add(
                new TimerHeapInternalTimer<>(
                        first.getTimestamp() + (1L << 40), first.getKey(), VoidNamespace.INSTANCE));
    }

    /** A timer is deleted and registered again. */
    @Benchmark
    public void removeAndAdd() {
        int i = next;
        next = i + 1 == keys ? 0 : i + 1;
        queue.remove(timer(i));
        queue.add(timer(i));
    }
}
