// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.nexmark;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.runtime.testing.MecesMiniCluster;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.restartstrategy.RestartStrategies;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The queries, rescaled while they run, with the results of the same queries without Flink. All
 * keyed vertices are rescaled at once.
 */
@Tag("full")
@Timeout(180)
class NexmarkRescaleTest {
    private static final int EVENTS = 12_000;
    private static final int EVENTS_BEFORE_THE_END = 9_000;
    private static final int MARKERS_BEFORE_THE_END =
            EVENTS_BEFORE_THE_END / TestRun.EVENTS_PER_MARKER;

    private static MecesMiniCluster cluster;

    private JobID job;

    @BeforeAll
    static void start() throws Exception {
        cluster = ElasticCluster.start(2, 2);
    }

    @AfterAll
    static void stop() throws Exception {
        cluster.close();
    }

    @AfterEach
    void cancel() throws Exception {
        if (job != null) {
            cluster.cancel(job).get(ElasticCluster.LIMIT_SECONDS, TimeUnit.SECONDS);
        }
    }

    @ParameterizedTest
    @EnumSource(NexmarkQuery.class)
    void aRescaleChangesNoResult(NexmarkQuery query) throws Exception {
        long seed = Long.getLong("nexmark.seed", System.nanoTime());
        TestRun run = new TestRun(query, seed, EVENTS);
        run.holdAt(EVENTS_BEFORE_THE_END);
        job = submit(run);

        run.awaitMarkers(20);
        for (int parallelism : new int[] {3, 2, 3, 2}) {
            ElasticCluster.rescale(cluster, job, query, parallelism);
            run.awaitMarkers(Math.min(run.markers().size() + 10, MARKERS_BEFORE_THE_END));
        }
        run.release();

        JobResult end =
                cluster.flink()
                        .requestJobResult(job)
                        .get(ElasticCluster.LIMIT_SECONDS, TimeUnit.SECONDS);
        job = null;
        assertThat(end.getSerializedThrowable()).isEmpty();
        assertThat(run.lines()).as("-Dnexmark.seed=%s", seed).isEqualTo(run.expectedLines());
        assertThat(run.markers()).isEqualTo(run.expectedMarkers());
    }

    private static JobID submit(TestRun run) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(2);
        env.setMaxParallelism(32);
        env.setBufferTimeout(5);
        env.enableCheckpointing(200);
        env.setRestartStrategy(RestartStrategies.noRestart());
        run.build(env);
        return cluster.submit(env.getStreamGraph(run.query.name()).getJobGraph());
    }
}
