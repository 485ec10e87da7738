// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.graph;

import io.meces.runtime.task.UserCode;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.checkpoint.ListCheckpointed;
import org.apache.flink.streaming.api.functions.sink.SinkFunction;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;

/**
 * Functions of users that may keep records in list state, such as those that they collect before
 * they give them on. What a subtask that leaves has of them is given on by nobody before a restart:
 * a warning, as nothing is lost, and as what is in the state is not known. (Sinks are looked at by
 * {@link UnknownSinks}.)
 *
 * <p>Pure.
 */
final class ListStates {

    private ListStates() {}

    /** One sentence, and the remedy, for each operator that has such a function. */
    static List<String> warnings(JobVertex vertex, ClassLoader userCode) {
        List<String> warnings = new ArrayList<>();
        for (StreamConfig config :
                new StreamConfig(vertex.getConfiguration())
                        .getTransitiveChainedTaskConfigsWithSelf(userCode)
                        .values()) {
            StreamOperatorFactory<?> factory = config.getStreamOperatorFactory(userCode);
            if (factory instanceof SimpleOperatorFactory
                    && UserCode.of(((SimpleOperatorFactory<?>) factory).getOperator()).stream()
                            .anyMatch(ListStates::mayHaveOne)) {
                warnings.add(
                        "Operator '"
                                + config.getOperatorName()
                                + "' of vertex '"
                                + vertex.getName()
                                + "' may have list state (CheckpointedFunction, ListCheckpointed)."
                                + " What a subtask that leaves in a rescale has in it is used again"
                                + " only after the next restart of the job. Keep records that wait"
                                + " in keyed state.");
            }
        }
        return warnings;
    }

    private static boolean mayHaveOne(Object code) {
        return !(code instanceof SinkFunction)
                && (code instanceof CheckpointedFunction || code instanceof ListCheckpointed)
                && !code.getClass().getName().startsWith("org.apache.flink.");
    }
}
