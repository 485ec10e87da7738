// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.table.runtime.operators.TableKeyedAsyncWaitOperatorFactory;
import org.apache.flink.table.runtime.operators.sink.WatermarkCompactingSinkMaterializer;
import org.junit.jupiter.api.Test;

/** Operators that keep records of keys where no rescale finds them. */
class LineRefusalsTest {

    private final StreamExecutionEnvironment env =
            StreamExecutionEnvironment.getExecutionEnvironment();
    private final KeyedStream<Long, Long> keyed =
            env.fromSequence(0, 10)
                    .keyBy((KeySelector<Long, Long>) number -> number % 3, Types.LONG);

    private List<String> refusals() {
        return StreamSupport.stream(
                        env.getStreamGraph().getJobGraph().getVertices().spliterator(), false)
                .map(this::refusal)
                .filter(Objects::nonNull)
                .collect(Collectors.toList());
    }

    private String refusal(JobVertex vertex) {
        return LineRefusals.ofVertex(vertex, true, getClass().getClassLoader());
    }

    @Test
    void stateIsNoReason() {
        keyed.reduce(Long::sum).sinkTo(new DiscardingSink<>());
        assertThat(refusals()).isEmpty();
    }

    @Test
    void asynchronousStateIs() {
        keyed.enableAsyncState().reduce(Long::sum).name("sum").sinkTo(new DiscardingSink<>());
        assertThat(refusals())
                .singleElement()
                .asString()
                .startsWith("Operator 'sum' of vertex 'sum")
                .contains("uses asynchronous state")
                .endsWith("Use the synchronous state API.");
    }

    @Test
    void orderByTheRestoredCheckpointIs() {
        keyed.transform("compact", Types.LONG, new WatermarkCompactingSinkMaterializer())
                .sinkTo(new DiscardingSink<>());
        assertThat(refusals())
                .singleElement()
                .asString()
                .startsWith("Operator 'compact' of vertex 'compact")
                .endsWith("Use ON CONFLICT DO DEDUPLICATE.");
    }

    @Test
    void lookupsThatAreUnderWayAre() {
        keyed.transform("look up", Types.LONG, new TableKeyedAsyncWaitOperatorFactory())
                .sinkTo(new DiscardingSink<>());
        assertThat(refusals())
                .singleElement()
                .asString()
                .startsWith("Operator 'look up' of vertex 'look up")
                .contains("table.exec.async-lookup.key-ordered-enabled: false");
    }
}
