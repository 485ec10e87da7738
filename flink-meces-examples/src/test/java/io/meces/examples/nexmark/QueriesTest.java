// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.nexmark;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The queries on a stock Flink, with the results of the same queries without Flink. */
@Timeout(120)
class QueriesTest {
    private static final int EVENTS = 6_000;

    private static MiniCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(RestOptions.BIND_PORT, "0");
        configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.parse("4m"));
        cluster =
                new MiniCluster(
                        new MiniClusterConfiguration.Builder()
                                .setConfiguration(configuration)
                                .setNumTaskManagers(1)
                                .setNumSlotsPerTaskManager(3)
                                .build());
        cluster.start();
    }

    @AfterAll
    static void stop() throws Exception {
        cluster.close();
    }

    @ParameterizedTest
    @CsvSource({
        "Q1,1", "Q2,1", "Q3,1", "Q4,1", "Q5,1", "Q6,1", "Q7,1", "Q8,1", "Q1,-77", "Q2,-77",
        "Q3,-77", "Q4,-77", "Q5,-77", "Q6,-77", "Q7,-77", "Q8,-77",
    })
    void givesTheLinesOfTheReference(NexmarkQuery query, long seed) throws Exception {
        TestRun run = execute(new TestRun(query, seed, EVENTS), 2);

        assertThat(run.lines()).isEqualTo(run.expectedLines()).hasSizeGreaterThan(5);
    }

    @ParameterizedTest
    @EnumSource(NexmarkQuery.class)
    void givesTheSameLinesAtAnyParallelism(NexmarkQuery query) throws Exception {
        TestRun run = execute(new TestRun(query, 5, EVENTS), 3);

        assertThat(run.lines()).isEqualTo(run.expectedLines());
    }

    @ParameterizedTest
    @EnumSource(NexmarkQuery.class)
    void letsEachMarkerThrough(NexmarkQuery query) throws Exception {
        TestRun run = execute(new TestRun(query, 9, 2_000), 2);

        assertThat(run.markers()).isEqualTo(run.expectedMarkers());
        assertThat(run.snapshot())
                .allSatisfy(result -> assertThat(result.timeMicros).isPositive())
                .allSatisfy(
                        result ->
                                assertThat(result.timeMicros).isLessThanOrEqualTo(run.endMicros()))
                .allSatisfy(result -> assertThat(result.latencyMicros()).isPositive());
    }

    private static TestRun execute(TestRun run, int parallelism) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(parallelism);
        run.build(env);
        cluster.executeJobBlocking(env.getStreamGraph(run.query.name()).getJobGraph());
        return run;
    }
}
