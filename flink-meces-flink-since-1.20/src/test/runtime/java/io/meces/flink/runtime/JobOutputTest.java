// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.jobgraph.DistributionPattern;
import org.apache.flink.runtime.jobgraph.JobEdge;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.junit.jupiter.api.Test;

class JobOutputTest {

    @Test
    void aPointwiseExchangeBecomesOneOfAllWithAll() {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.disableOperatorChaining();
        env.setParallelism(2);
        env.fromSequence(0, 10)
                .keyBy(number -> number % 3, Types.LONG)
                .reduce(Long::sum)
                .sinkTo(new DiscardingSink<>());
        JobGraph graph = env.getStreamGraph().getJobGraph();
        assertThat(pointwise(graph)).hasSize(1);

        JobOutput.connectAll(pointwise(graph).get(0), "BY_KEY");

        assertThat(pointwise(graph)).isEmpty();
        assertThat(edges(graph))
                .allMatch(
                        edge ->
                                edge.getSource().getDistributionPattern()
                                                == DistributionPattern.ALL_TO_ALL
                                        && edge.getSource().getConsumers().contains(edge))
                .extracting(JobEdge::getShipStrategyName)
                .contains("BY_KEY");
    }

    private static List<JobEdge> pointwise(JobGraph graph) {
        return edges(graph).stream()
                .filter(edge -> edge.getDistributionPattern() == DistributionPattern.POINTWISE)
                .collect(Collectors.toList());
    }

    private static List<JobEdge> edges(JobGraph graph) {
        return StreamSupport.stream(graph.getVertices().spliterator(), false)
                .flatMap(vertex -> vertex.getInputs().stream())
                .collect(Collectors.toList());
    }
}
