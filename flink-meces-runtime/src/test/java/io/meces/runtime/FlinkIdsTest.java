// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.core.job.JobState;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.jobgraph.IntermediateDataSetID;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FlinkIdsTest {

    @Test
    void anIdentifierLooksAsFlinksDoes() {
        JobVertexID vertex = new JobVertexID(1, -2);
        IntermediateDataSetID dataSet = new IntermediateDataSetID();
        OperatorID operator = new OperatorID();
        ExecutionAttemptID attempt = new ExecutionAttemptID();
        assertThat(FlinkIds.of(vertex)).hasToString(vertex.toString());
        assertThat(FlinkIds.of(dataSet)).hasToString(dataSet.toString());
        assertThat(FlinkIds.of(operator)).hasToString(operator.toString());
        assertThat(FlinkIds.of(attempt)).hasToString(attempt.toString());
    }

    @Test
    void whatHasBeenConvertedIsFlinksAgain() {
        JobVertexID vertex = new JobVertexID();
        assertThat(FlinkIds.flinks(FlinkIds.of(vertex))).isEqualTo(vertex);
    }

    @Test
    void equalIdentifiersAreEqual() {
        JobVertexID vertex = new JobVertexID();
        assertThat(FlinkIds.of(vertex))
                .isEqualTo(
                        FlinkIds.of(new JobVertexID(vertex.getLowerPart(), vertex.getUpperPart())))
                .hasSameHashCodeAs(FlinkIds.of(vertex))
                .isNotEqualTo(FlinkIds.of(new JobVertexID()))
                .isNotEqualTo(FlinkIds.of(OperatorID.fromJobVertexID(vertex)));
    }

    @ParameterizedTest
    @EnumSource
    void whatAJobIsDoingIsCalledAsFlinkDoes(JobStatus status) {
        assertThat(JobState.valueOf(status.name()).isTerminal())
                .isEqualTo(status.isTerminalState());
    }
}
