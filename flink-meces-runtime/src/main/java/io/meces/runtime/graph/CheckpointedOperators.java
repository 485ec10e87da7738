// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.graph;

import io.meces.runtime.task.UserCode;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.checkpoint.ListCheckpointed;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorV2;
import org.apache.flink.streaming.api.operators.AbstractUdfStreamOperator;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;

/**
 * Operators that take part in checkpoints with more than keyed state: they keep list state, or wait
 * for a checkpoint to complete. A subtask that has one of them cannot leave without a checkpoint;
 * one that has none has nothing to leave behind.
 *
 * <p>Pure.
 */
final class CheckpointedOperators {

    /** What they do in a checkpoint is for keyed state, or for the functions in them. */
    private static final Set<Class<?>> PLAIN =
            new HashSet<>(
                    Arrays.asList(
                            AbstractStreamOperator.class,
                            AbstractStreamOperatorV2.class,
                            AbstractUdfStreamOperator.class));

    private CheckpointedOperators() {}

    /** Which operator of a vertex is one, and that it is, as a clause; null: none is. */
    @Nullable
    static String in(JobVertex vertex, ClassLoader userCode) {
        for (StreamConfig config :
                new StreamConfig(vertex.getConfiguration())
                        .getTransitiveChainedTaskConfigsWithSelf(userCode)
                        .values()) {
            if (isOne(config.getStreamOperatorFactory(userCode), userCode)) {
                return "operator '"
                        + config.getOperatorName()
                        + "' keeps other than keyed state, or waits for checkpoints to complete";
            }
        }
        return null;
    }

    private static boolean isOne(StreamOperatorFactory<?> factory, ClassLoader userCode) {
        if (!(factory instanceof SimpleOperatorFactory)) {
            return isOne(factory.getStreamOperatorClass(userCode));
        }
        return UserCode.of(((SimpleOperatorFactory<?>) factory).getOperator()).stream()
                .anyMatch(CheckpointedOperators::isOne);
    }

    /** A function, or an operator that Flink does not make by a factory of its own. */
    private static boolean isOne(Object code) {
        return code instanceof StreamOperator
                ? isOne(code.getClass())
                : code instanceof CheckpointedFunction
                        || code instanceof ListCheckpointed
                        || code instanceof CheckpointListener;
    }

    private static boolean isOne(Class<?> operator) {
        return overrides(operator, "initializeState", StateInitializationContext.class)
                || overrides(operator, "snapshotState", StateSnapshotContext.class)
                || overrides(operator, "notifyCheckpointComplete", long.class);
    }

    private static boolean overrides(Class<?> operator, String method, Class<?> parameter) {
        try {
            return !PLAIN.contains(operator.getMethod(method, parameter).getDeclaringClass());
        } catch (NoSuchMethodException e) {
            // it is not based on Flink's, so nothing is known of it
            return true;
        }
    }
}
