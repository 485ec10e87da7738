// SPDX-License-Identifier: Apache-2.0
package io.meces.benchmarks;

import java.util.BitSet;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
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
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * As {@link StateAccessBenchmark}, of state in RocksDB at rest: Flink's backend, and the one of
 * ours that has taken over what Flink has built. Values have 100 random bytes.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 4, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class RocksDBAccessBenchmark {

    private static final int VALUE_BYTES = 100;

    /** The heap backends' parameter is a number of sub-groups; here any number is ours. */
    @Param({Backends.FLINK, "1"})
    public String backend;

    @Param({"100000", "1000000"})
    public int keys;

    private final byte[] bytes = new byte[VALUE_BYTES];
    private RocksDBBackend rocksDB;
    private AbstractKeyedStateBackend<Long> keyed;
    private ValueState<byte[]> value;
    private Long[] order;
    private int next;

    /** Opens a database and fills it. */
    @Setup
    public void fill() throws Exception {
        BitSet all = new BitSet();
        all.set(0, Backends.KEY_GROUPS);
        rocksDB =
                Backends.FLINK.equals(backend)
                        ? RocksDBBackend.flink(Backends.KEY_GROUPS)
                        : RocksDBBackend.meces(
                                Backends.KEY_GROUPS, all, new UnregisteredMetricsGroup());
        keyed = rocksDB.keyed();
        value = rocksDB.value();
        new Random(1).nextBytes(bytes);
        order = Backends.shuffledKeys(keys);
        for (Long key : order) {
            keyed.setCurrentKey(key);
            value.update(bytes);
        }
    }

    /** Deletes the database. */
    @TearDown
    public void close() throws Exception {
        rocksDB.close();
    }

    private Long nextKey() {
        int i = next;
        next = i + 1 == order.length ? 0 : i + 1;
        return order[i];
    }

    /** Reads the value of a key that has one. */
    @Benchmark
    public byte[] get() throws Exception {
        keyed.setCurrentKey(nextKey());
        return value.value();
    }

    /** Replaces the value of a key that has one. */
    @Benchmark
    public void put() throws Exception {
        keyed.setCurrentKey(nextKey());
        value.update(bytes);
    }
}
