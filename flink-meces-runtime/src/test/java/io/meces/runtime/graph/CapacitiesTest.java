// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.graph;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.MecesOptions;
import io.meces.state.MecesStateBackend;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.utils.ParameterTool;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.DiscardingSink;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Jobs of stages "stage 1", "stage 2", ..., with the uids "first", "second" and "third". */
class CapacitiesTest {

    private static final String KEY = MecesOptions.MAX_RESCALE_PARALLELISM.key();
    private static final String[] UIDS = {"first", "second", "third"};

    private final Configuration cluster = new Configuration();
    private final Map<String, String> parameters = new LinkedHashMap<>();
    private final Map<JobVertexID, Integer> restored = new HashMap<>();

    private static StreamExecutionEnvironment environment(int parallelism, int maxParallelism) {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(parallelism);
        env.setMaxParallelism(maxParallelism);
        TestGraphs.setStateBackend(env, new MecesStateBackend());
        return env;
    }

    private JobGraph job(int stages, int parallelism, int maxParallelism) {
        StreamExecutionEnvironment env = environment(parallelism, maxParallelism);
        env.getConfig().setGlobalJobParameters(ParameterTool.fromMap(parameters));
        return job(env, stages);
    }

    private static JobGraph job(StreamExecutionEnvironment env, int stages) {
        DataStream<Long> numbers = env.fromSequence(0, 10);
        for (int i = 0; i < stages; i++) {
            numbers =
                    numbers.keyBy(n -> n, Types.LONG)
                            .map((MapFunction<Long, Long>) n -> n)
                            .returns(Types.LONG)
                            .name("stage " + (i + 1))
                            .uid(UIDS[i]);
        }
        numbers.addSink(new DiscardingSink<>());
        return TestGraphs.of(env, "stages");
    }

    private ElasticJobGraph rewrite(JobGraph job) throws Exception {
        return ElasticJobGraph.rewrite(
                job,
                cluster,
                getClass().getClassLoader(),
                new RestoredState() {
                    @Override
                    public Map<OperatorID, Integer> maxParallelisms(StateBackend backend) {
                        return Collections.emptyMap();
                    }

                    @Override
                    public Map<JobVertexID, Integer> parallelisms() {
                        return restored;
                    }
                });
    }

    private int[] capacities(JobGraph job) throws Exception {
        ElasticJobGraph elastic = rewrite(job);
        assertThat(elastic.refusal()).isNull();
        return elastic.vertices().stream().mapToInt(v -> v.capacity()).toArray();
    }

    @ParameterizedTest
    @CsvSource({
        "1, 128, 32",
        "2, 20, 20",
        "8, 128, 32",
        "9, 128, 36",
        "40, 128, 128",
        "2, 32768, 32",
        "128, 128, 128"
    })
    void areInProportionToTheParallelism(int parallelism, int maxParallelism, int capacity)
            throws Exception {
        assertThat(capacities(job(1, parallelism, maxParallelism))).containsExactly(capacity);
    }

    @Test
    void theMostSpecificOptionCounts() throws Exception {
        cluster.set(MecesOptions.MAX_RESCALE_PARALLELISM, 10);
        assertThat(capacities(job(3, 2, 128))).containsExactly(10, 10, 10);

        parameters.put(KEY, "64");
        assertThat(capacities(job(3, 2, 128))).containsExactly(64, 64, 64);

        parameters.put(KEY + ".stage 2", "1000");
        parameters.put(KEY + ".third", "1");
        assertThat(capacities(job(3, 2, 128))).containsExactly(64, 128, 2);
    }

    @Test
    void aVertexCanBeNamedByItsId() throws Exception {
        JobVertex stage = job(1, 2, 128).getVerticesSortedTopologicallyFromSources().get(1);
        parameters.put(KEY + "." + stage.getID(), "99");
        assertThat(capacities(job(1, 2, 128))).containsExactly(99);
    }

    /** As by {@code flink run -D pipeline.global-job-parameters=...}: no code of the job. */
    @Test
    void theParametersCanComeWithTheConfigurationOfTheJob() throws Exception {
        Configuration configuration = new Configuration();
        configuration.setString(
                PipelineOptions.GLOBAL_JOB_PARAMETERS.key(), KEY + ":20," + KEY + ".second:40");
        StreamExecutionEnvironment env = environment(2, 128);
        env.configure(configuration, getClass().getClassLoader());
        assertThat(capacities(job(env, 2))).containsExactly(20, 40);
    }

    @Test
    void aParameterThatNamesNoVertexIsToldOf() throws Exception {
        parameters.put(KEY + ".fourth", "64");
        ElasticJobGraph elastic = rewrite(job(1, 2, 128));
        String text =
                "but no vertex that can be rescaled is called so. It must end with the name of a"
                        + " vertex, its id, or the uid of an operator in it.";
        assertThat(elastic.warnings()).singleElement().asString().contains(KEY + ".fourth", text);
        assertDocumented(text);
    }

    @Test
    void aClusterWithABoundBelowOneIsRefused() {
        cluster.set(MecesOptions.MAX_RESCALE_PARALLELISM, 0);
        assertThatThrownBy(() -> rewrite(job(1, 2, 128)))
                .isInstanceOf(IllegalConfigurationException.class)
                .hasMessageContaining(KEY + " is 0; it must be at least 1.");
    }

    @Test
    void theLargestAreLoweredToTheEdgeBudget() throws Exception {
        cluster.set(MecesOptions.MAX_EDGES, 10_000);
        parameters.put(KEY, "32768");
        parameters.put(KEY + ".third", "10");
        // from 2 subtasks of the source
        ElasticJobGraph elastic = rewrite(job(3, 2, 32_768));
        assertThat(elastic.vertices().stream().mapToInt(v -> v.capacity()))
                .containsExactly(94, 94, 10);
        assertThat(2 * 94 + 94 * 94 + 94 * 10).isLessThanOrEqualTo(10_000);
        assertThat(2 * 95 + 95 * 95 + 95 * 10).isGreaterThan(10_000);
        assertThat(elastic.warnings())
                .hasSize(2)
                .allMatch(w -> w.contains("subtasks at most, instead of 32768: the job would have"))
                .allMatch(w -> w.contains("edges between subtasks, more than"));
        assertDocumented("subtasks at most, instead of …: the job would have … edges between");
    }

    @Test
    void noneIsLoweredBelowTheParallelism() throws Exception {
        cluster.set(MecesOptions.MAX_EDGES, 1);
        JobGraph job = job(3, 20, 1_000);
        restored.put(job.getVerticesSortedTopologicallyFromSources().get(2).getID(), 30);
        assertThat(capacities(job)).containsExactly(20, 30, 20);
    }

    @Test
    void whatWasRestoredKeepsItsParallelism() throws Exception {
        JobGraph job = job(2, 2, 128);
        restored.put(job.getVerticesSortedTopologicallyFromSources().get(1).getID(), 50);
        assertThat(capacities(job)).containsExactly(50, 32);
    }

    @Test
    void anOptionIsStrongerThanWhatWasRestored() throws Exception {
        cluster.set(MecesOptions.MAX_RESCALE_PARALLELISM, 10);
        JobGraph job = job(1, 2, 128);
        restored.put(job.getVerticesSortedTopologicallyFromSources().get(1).getID(), 50);
        assertThat(capacities(job)).containsExactly(10);
    }

    private static void assertDocumented(String text) throws Exception {
        assertThat(
                        new String(
                                Files.readAllBytes(Paths.get("..", "docs", "refusals.md")),
                                StandardCharsets.UTF_8))
                .contains(text);
    }
}
