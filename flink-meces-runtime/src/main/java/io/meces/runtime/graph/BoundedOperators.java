// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.graph;

import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import javax.annotation.Nullable;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.api.operators.BoundedMultiInput;
import org.apache.flink.streaming.api.operators.BoundedOneInput;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;

/**
 * Operators that are told when their input ends. A subtask that leaves ends the input of its
 * operators while the job goes on. That is right for those that flush what is in flight, and wrong
 * for one that emits a final result, as that would come too early, and of a part of the input.
 *
 * <p>Those of Flink that can be in an elastic vertex flush, but for the ones that are named here.
 * What one of a user's does cannot be known.
 *
 * <p>Pure.
 */
final class BoundedOperators {

    private static final String FLINK = "org.apache.flink.";

    /** They emit all that they have, or commit to the outside world, at the end of their input. */
    private static final Set<String> FINAL =
            new HashSet<>(
                    Arrays.asList(
                            "org.apache.flink.table.runtime.operators.sort.StreamSortOperator",
                            "org.apache.flink.table.filesystem.stream.compact.CompactOperator"));

    private BoundedOperators() {}

    /** What of a vertex forbids to have fewer subtasks, as the end of a sentence; null: nothing. */
    @Nullable
    static String withFinalResult(JobVertex vertex, ClassLoader userCode) {
        Collection<StreamConfig> chain =
                new StreamConfig(vertex.getConfiguration())
                        .getTransitiveChainedTaskConfigsWithSelf(userCode)
                        .values();
        for (StreamConfig config : chain) {
            Class<?> operator = operator(config.getStreamOperatorFactory(userCode), userCode);
            if (operator != null && isToldOfTheEnd(operator) && !onlyFlushes(operator)) {
                return "operator '"
                        + config.getOperatorName()
                        + "' ("
                        + operator.getName()
                        + ") acts at the end of its input (BoundedOneInput, BoundedMultiInput)";
            }
        }
        return null;
    }

    /** Null: one of Flink that a factory makes; they flush, or are refused elsewhere. */
    @Nullable
    private static Class<?> operator(StreamOperatorFactory<?> factory, ClassLoader userCode) {
        if (factory instanceof SimpleOperatorFactory) {
            return ((SimpleOperatorFactory<?>) factory).getOperator().getClass();
        }
        return factory.getClass().getName().startsWith(FLINK)
                ? null
                : factory.getStreamOperatorClass(userCode);
    }

    private static boolean isToldOfTheEnd(Class<?> operator) {
        return BoundedOneInput.class.isAssignableFrom(operator)
                || BoundedMultiInput.class.isAssignableFrom(operator);
    }

    private static boolean onlyFlushes(Class<?> operator) {
        return operator.getName().startsWith(FLINK) && !FINAL.contains(operator.getName());
    }
}
