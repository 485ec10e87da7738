// SPDX-License-Identifier: Apache-2.0
package io.meces.benchmarks;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Collection;
import java.util.Collections;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/**
 * The processor time of the benchmark's threads per operation, without garbage collection.
 *
 * <p>Unlike the time that has passed, it does not grow when other processes want the processors.
 */
public final class CpuTimeProfiler implements InternalProfiler {

    /** Label of the result, in nanoseconds. */
    static final String LABEL = "cpu";

    private long start;

    @Override
    public String getDescription() {
        return "processor time per operation";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        start = cpuTime();
    }

    @Override
    public Collection<? extends Result> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        double used = cpuTime() - start;
        long operations = result.getMetadata().getMeasuredOps();
        return operations == 0
                ? Collections.emptyList()
                : Collections.singleton(
                        new ScalarResult(LABEL, used / operations, "ns/op", AggregationPolicy.AVG));
    }

    private static long cpuTime() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long sum = 0;
        for (long id : threads.getAllThreadIds()) {
            sum += Math.max(0, threads.getThreadCpuTime(id));
        }
        return sum;
    }
}
