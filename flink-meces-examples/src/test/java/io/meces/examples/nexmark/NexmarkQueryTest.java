// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.nexmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.apache.flink.api.java.utils.ParameterTool;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The vertices and windows of the queries. */
class NexmarkQueryTest {

    private static final String[] ARGUMENTS = {
        "--bootstrap-servers", "localhost:1", "--input", "in", "--output", "out", "--query"
    };

    @ParameterizedTest
    @EnumSource(NexmarkQuery.class)
    void eachKeyedOperatorBeginsAVertexOfTheJob(NexmarkQuery query) {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        NexmarkJob.build(env, arguments(query.name()));
        List<String> vertices =
                StreamSupport.stream(
                                env.getStreamGraph("nexmark")
                                        .getJobGraph()
                                        .getVertices()
                                        .spliterator(),
                                false)
                        .map(JobVertex::getName)
                        .collect(Collectors.toList());

        assertThat(vertices).hasSize(1 + query.operators().size());
        assertThat(query.operators())
                .allSatisfy(
                        name -> assertThat(vertices).anyMatch(vertex -> vertex.startsWith(name)));
        assertThat(vertices).filteredOn(v -> v.startsWith("Source: events")).hasSize(1);
        assertThat(vertices).filteredOn(v -> v.endsWith(" -> Sink: results")).hasSize(1);
    }

    @Test
    void windowsCanBeShorter() {
        WindowLengths windows = NexmarkQuery.Q5.windows().with(4_000, 500);

        assertThat(windows.sizeMillis).isEqualTo(4_000);
        assertThat(windows.slideMillis).isEqualTo(500);
    }

    @Test
    void windowsThatAQueryCannotHaveAreRejected() {
        assertRejected("Q1", "--window", "10");
        assertRejected("Q7", "--window", "0");
        assertRejected("Q7", "--slide", "10");
        assertRejected("Q5", "--slide", "60001");
        assertRejected("Q8", "--window", "1");
    }

    private static void assertRejected(String query, String option, String value) {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();

        assertThatThrownBy(() -> NexmarkJob.build(env, arguments(query, option, value)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("indow");
    }

    private static ParameterTool arguments(String... last) {
        String[] all = new String[ARGUMENTS.length + last.length];
        System.arraycopy(ARGUMENTS, 0, all, 0, ARGUMENTS.length);
        System.arraycopy(last, 0, all, ARGUMENTS.length, last.length);
        return ParameterTool.fromArgs(all);
    }
}
