// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.MecesOptions;
import io.meces.runtime.testing.MecesMiniCluster;
import java.time.Duration;
import java.util.Locale;
import javax.annotation.Nullable;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.memory.MemoryStateBackend;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.DiscardingSink;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What a capacity costs the JobManager: prints the heap that a job of three keyed stages keeps
 * there and how long its submission takes. There are no slots for it, so nothing is deployed. Not a
 * test: {@code mvn -pl flink-meces-runtime -am test -Dtest=CapacityCosts
 * -Dsurefire.failIfNoSpecifiedTests=false}.
 */
class CapacityCosts {

    private static final int MAX_PARALLELISM = 4_096;

    /** The first job loads classes. */
    @ParameterizedTest
    @CsvSource({
        "2, 2",
        "2, 0",
        "2, 2",
        "2, 0",
        "2, 32",
        "2, 128",
        "2, 512",
        "2, 1024",
        "2, 2048",
        "16, 16",
        "16, 0",
        "64, 64",
        "64, 0",
        "256, 256",
        "256, 0"
    })
    void ofThreeStages(int parallelism, int capacity) throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.parse("4m"));
        if (capacity > 0) {
            configuration.set(MecesOptions.MAX_RESCALE_PARALLELISM, capacity);
            configuration.set(MecesOptions.MAX_EDGES, Integer.MAX_VALUE);
        }
        StateBackend stock = capacity == parallelism ? new MemoryStateBackend() : null;
        try (MecesMiniCluster cluster =
                MecesMiniCluster.builder()
                        .taskManagers(1)
                        .slotsPerTaskManager(1)
                        .polling(Duration.ofMillis(5), Duration.ofMinutes(5))
                        .configuration(configuration)
                        .start()) {
            JobGraph job = job(parallelism, stock);
            long before = heapInUse();
            long start = System.nanoTime();
            JobID id = cluster.submit(job);
            long nanos = System.nanoTime() - start;
            System.out.printf(
                    Locale.ROOT,
                    "parallelism %d, %s: %.1f MB, %.2f s%n",
                    parallelism,
                    stock != null
                            ? "stock"
                            : "capacity "
                                    + cluster.elasticity(id).get().vertices().get(1).capacity()
                                    + (capacity > 0 ? "" : " (default)"),
                    (heapInUse() - before) / 1e6,
                    nanos / 1e9);
        }
    }

    private static JobGraph job(int parallelism, @Nullable StateBackend backend) {
        StreamExecutionEnvironment env = Jobs.environment(60_000);
        env.setParallelism(parallelism);
        env.setMaxParallelism(MAX_PARALLELISM);
        if (backend != null) {
            TestGraphs.setStateBackend(env, backend);
        }
        DataStream<Long> numbers = env.fromSequence(0, 10);
        for (int i = 1; i <= 3; i++) {
            numbers =
                    numbers.keyBy(n -> n, Types.LONG)
                            .map((MapFunction<Long, Long>) n -> n)
                            .returns(Types.LONG)
                            .name("stage " + i);
        }
        numbers.rebalance().addSink(new DiscardingSink<>());
        return TestGraphs.of(env, "stages");
    }

    private static long heapInUse() {
        long used = Long.MAX_VALUE;
        for (int i = 0; i < 4; i++) {
            System.gc();
            used =
                    Math.min(
                            used,
                            Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
        }
        return used;
    }
}
