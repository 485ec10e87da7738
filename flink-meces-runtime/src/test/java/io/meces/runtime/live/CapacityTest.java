// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.testing.MecesMiniCluster;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What runs on a stock Flink with little memory, or a high max parallelism, runs and is rescaled.
 */
@Tag("full")
@Timeout(240)
class CapacityTest {

    private final Ledger ledger = new Ledger();

    /** Stages "stage 1" to "stage n - 1", which hand records on, and "count". */
    private JobGraph job(int keyed, int parallelism, int maxParallelism) {
        StreamExecutionEnvironment env = Jobs.environment(1_000);
        env.setParallelism(parallelism);
        env.setMaxParallelism(maxParallelism);
        DataStream<Tuple3<Integer, Integer, Long>> records =
                Jobs.source(env, ledger, 1_000, Long.MAX_VALUE);
        for (int i = 1; i < keyed; i++) {
            records =
                    records.keyBy(r -> r.f0, Types.INT)
                            .map(r -> r)
                            .returns(Jobs.RECORD)
                            .name("stage " + i)
                            .uid("stage " + i);
        }
        Jobs.count(records, ledger, parallelism);
        return TestGraphs.of(env, "stages");
    }

    private void awaitRunning(MecesMiniCluster cluster, JobID job) throws Exception {
        ledger.awaitResults(1_000);
        Ledger.awaitOrFail("the job runs", () -> Clusters.knowsToRun(cluster, job, 0));
    }

    private void rescale(MecesMiniCluster cluster, JobID job, String vertex, int parallelism)
            throws Exception {
        assertThat(cluster.rescale(job, vertex, parallelism).get(100, TimeUnit.SECONDS).failure())
                .isNull();
        ledger.awaitResults(1_000);
    }

    private void assertExact(MecesMiniCluster cluster, JobID job) throws Exception {
        assertThat(Clusters.restarts(cluster, job)).isZero();
        Ledger.Verdict verdict = ledger.settle();
        assertThat(verdict.violations).isEmpty();
        assertThat(verdict.duplicated).isZero();
        assertThat(verdict.distinct).isEqualTo(verdict.emitted);
    }

    /**
     * A slot has 9 result partitions of 9 buffers, 9 gates of 1 and, at most, 8 remote channels of
     * 2 in each: 234 buffers, 1,170 in 5 slots. With as many buffers for each as its consumers have
     * capacity, 33, it would be 2,250.
     */
    @Test
    void eightKeyedVerticesNeedAsManyBuffersAsTheyHaveActiveSubtasks() throws Exception {
        Configuration little = new Configuration();
        little.set(TaskManagerOptions.NETWORK_MEMORY_MIN, MemorySize.parse("40m"));
        little.set(TaskManagerOptions.NETWORK_MEMORY_MAX, MemorySize.parse("40m"));
        ledger.rate = 500;
        try (MecesMiniCluster cluster = Clusters.start(2, 5, little)) {
            JobID job = cluster.submit(job(8, 8, 128));
            awaitRunning(cluster, job);
            rescale(cluster, job, "stage 4", 10);
            rescale(cluster, job, "stage 4", 7);
            rescale(cluster, job, "stage 4", 9);
            rescale(cluster, job, "count", 10);
            assertExact(cluster, job);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2_048, 4_096, 32_768})
    void threeStagesRunWithAHighMaxParallelism(int maxParallelism) throws Exception {
        try (MecesMiniCluster cluster = Clusters.start(2, 2, new Configuration())) {
            JobID job = cluster.submit(job(3, 2, maxParallelism));
            awaitRunning(cluster, job);
            rescale(cluster, job, "stage 2", 3);
            rescale(cluster, job, "stage 2", 2);
            assertExact(cluster, job);
        }
    }
}
