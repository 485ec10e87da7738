// SPDX-License-Identifier: Apache-2.0
package io.meces.benchmarks;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Taking units out and putting them in; the time is per key, which has a value or also a timer. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 4, time = 300, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 4, time = 300, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class UnitBenchmark {

    private static final int KEYS = 40_000;

    /** Units that stand in the receiver's place before they are installed. */
    @State(Scope.Thread)
    public static class Extracted {

        @Param({"10", "100", "1000", "10000"})
        public int keysPerUnit;

        @Param({"false", "true"})
        public boolean timers;

        private Units units;

        /** Takes all units out of their donor. */
        @Setup
        public void extract() throws Exception {
            units = new Units(KEYS / keysPerUnit, keysPerUnit, timers);
            for (int i = 0; i < units.count(); i++) {
                units.extract(i);
            }
        }

        /** Empties the receiver. */
        @TearDown(Level.Invocation)
        public void takeBack() throws Exception {
            for (int i = 0; i < units.count(); i++) {
                units.takeBack(i);
            }
        }
    }

    /** Units that are in their donor. */
    @State(Scope.Thread)
    public static class Filled {

        @Param({"10", "100", "1000", "10000"})
        public int keysPerUnit;

        @Param({"false", "true"})
        public boolean timers;

        private Units units;

        /** Fills the donor. */
        @Setup
        public void fill() throws Exception {
            units = new Units(KEYS / keysPerUnit, keysPerUnit, timers);
        }

        /** Fills it again. */
        @TearDown(Level.Invocation)
        public void restore() throws Exception {
            units.restoreDonor();
        }
    }

    /** Serialises all units, which leave the donor. */
    @Benchmark
    @OperationsPerInvocation(KEYS)
    public void extract(Filled filled) throws Exception {
        for (int i = 0; i < filled.units.count(); i++) {
            filled.units.extract(i);
        }
    }

    /** Reads all units into the receiver. */
    @Benchmark
    @OperationsPerInvocation(KEYS)
    public void install(Extracted extracted) throws Exception {
        for (int i = 0; i < extracted.units.count(); i++) {
            extracted.units.install(i);
        }
    }
}
