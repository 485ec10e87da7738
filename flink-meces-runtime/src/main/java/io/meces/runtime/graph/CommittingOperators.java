// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.graph;

import io.meces.flink.runtime.JobOutput;
import io.meces.runtime.sink.SinkDrains;
import io.meces.runtime.task.UserCode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.runtime.state.StateSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.checkpoint.ListCheckpointed;
import org.apache.flink.streaming.api.functions.sink.SinkFunction;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.api.operators.CoordinatedOperatorFactory;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;

/**
 * Operators, not of Flink itself, that write outside by themselves, such as those of Iceberg and
 * Hudi. What they write from one checkpoint to the next becomes visible together. Many count on it
 * that one subtask writes all of a key meanwhile: a delete by key in Iceberg does not reach what
 * another writer has for the same commit. No draining helps, as only the commit parts the two.
 *
 * <p>It is told by what an operator does, and by where it stands. It takes part in checkpoints, and
 * nobody reads from it, or one that commits does; or it commits itself: it acts when a checkpoint
 * is complete, or by a coordinator. An operator that only gives on what it has collected before a
 * barrier is none of them. Functions that are sinks are looked at by {@link UnknownSinks}.
 *
 * <p>Pure.
 */
final class CommittingOperators {

    private static final String FLINK = "org.apache.flink.";

    private final ClassLoader userCode;
    private final SinkDrains known;

    /** All operators of the job. */
    private final Map<Integer, StreamConfig> operators = new HashMap<>();

    /**
     * @param known operators of which somebody knows how to drain them are none of them
     */
    CommittingOperators(JobGraph graph, ClassLoader userCode, SinkDrains known) {
        this.userCode = userCode;
        this.known = known;
        for (JobVertex vertex : graph.getVertices()) {
            operators.putAll(chain(vertex));
        }
    }

    private Map<Integer, StreamConfig> chain(JobVertex vertex) {
        return new StreamConfig(vertex.getConfiguration())
                .getTransitiveChainedTaskConfigsWithSelf(userCode);
    }

    /** What the vertex has one of, and how that is seen; null: none. */
    @Nullable
    String in(JobVertex vertex) {
        for (StreamConfig config : chain(vertex).values()) {
            StreamOperatorFactory<?> factory = config.getStreamOperatorFactory(userCode);
            String what = isKnown(factory) ? null : what(vertex, config, factory);
            if (what != null) {
                return "operator '" + config.getOperatorName() + "' " + what;
            }
        }
        return null;
    }

    /**
     * An operator that gives what it has written to one that commits, before each barrier; null:
     * there is none. If a checkpoint is aborted behind that, two of them become one commit.
     */
    @Nullable
    String flushingBeforeBarriers(JobGraph graph) {
        for (JobVertex vertex : graph.getVerticesSortedTopologicallyFromSources()) {
            for (StreamConfig config : chain(vertex).values()) {
                if (overrides(
                        config.getStreamOperatorFactory(userCode),
                        "prepareSnapshotPreBarrier",
                        long.class)) {
                    for (int node : readers(config, vertex)) {
                        StreamConfig reader = operators.get(node);
                        if (commits(reader.getStreamOperatorFactory(userCode))) {
                            return "Operator '"
                                    + config.getOperatorName()
                                    + "' of vertex '"
                                    + vertex.getName()
                                    + "' gives what it has written to '"
                                    + reader.getOperatorName()
                                    + "', which commits, before each barrier.";
                        }
                    }
                }
            }
        }
        return null;
    }

    private List<Integer> readers(StreamConfig config, JobVertex vertex) {
        List<Integer> readers = new ArrayList<>();
        config.getChainedOutputs(userCode).forEach(edge -> readers.add(edge.getTargetId()));
        readers.addAll(JobOutput.readers(config, vertex, userCode));
        return readers;
    }

    @Nullable
    private String what(JobVertex vertex, StreamConfig config, StreamOperatorFactory<?> factory) {
        if (overrides(factory, "notifyCheckpointComplete", long.class)) {
            return "acts when a checkpoint is complete, as those do that commit";
        }
        if (!takesPartInCheckpoints(factory)) {
            return null;
        }
        List<Integer> readers = readers(config, vertex);
        if (readers.isEmpty() && !isSinkFunction(factory)) {
            return "takes part in checkpoints, and gives its results to no other, so it writes"
                    + " outside";
        }
        for (int node : readers) {
            StreamConfig reader = operators.get(node);
            if (commits(reader.getStreamOperatorFactory(userCode))) {
                return "takes part in checkpoints, and writes for '"
                        + reader.getOperatorName()
                        + "', which commits";
            }
        }
        return null;
    }

    private boolean isKnown(StreamOperatorFactory<?> factory) {
        return factory instanceof SimpleOperatorFactory
                && known.find(((SimpleOperatorFactory<?>) factory).getOperator()) != null;
    }

    private boolean commits(@Nullable StreamOperatorFactory<?> factory) {
        return overrides(factory, "notifyCheckpointComplete", long.class)
                || factory instanceof CoordinatedOperatorFactory && !isFlinks(factory.getClass());
    }

    private boolean takesPartInCheckpoints(StreamOperatorFactory<?> factory) {
        return overrides(factory, "prepareSnapshotPreBarrier", long.class)
                || overrides(factory, "snapshotState", StateSnapshotContext.class)
                || functions(factory).stream().anyMatch(CommittingOperators::isTold);
    }

    private static boolean isTold(Object function) {
        return !isFlinks(function.getClass())
                && (function instanceof CheckpointedFunction
                        || function instanceof ListCheckpointed
                        || function instanceof CheckpointListener);
    }

    private static boolean isSinkFunction(StreamOperatorFactory<?> factory) {
        return functions(factory).stream().anyMatch(SinkFunction.class::isInstance);
    }

    private static List<Object> functions(StreamOperatorFactory<?> factory) {
        if (!(factory instanceof SimpleOperatorFactory)) {
            return Collections.emptyList();
        }
        List<Object> code = UserCode.of(((SimpleOperatorFactory<?>) factory).getOperator());
        // the first one is the operator
        return code.subList(1, code.size());
    }

    /**
     * Whether a method of the operator is not one of Flink.
     *
     * @param factory null: an end of an iteration, which has no operator
     */
    private boolean overrides(
            @Nullable StreamOperatorFactory<?> factory, String method, Class<?> parameter) {
        if (factory == null) {
            return false;
        }
        Class<?> operator;
        if (factory instanceof SimpleOperatorFactory) {
            operator = ((SimpleOperatorFactory<?>) factory).getOperator().getClass();
        } else if (isFlinks(factory.getClass())) {
            return false;
        } else {
            operator = factory.getStreamOperatorClass(userCode);
        }
        try {
            return !isFlinks(operator.getMethod(method, parameter).getDeclaringClass());
        } catch (NoSuchMethodException e) {
            // an operator that has none of Flink's for a superclass
            return false;
        }
    }

    private static boolean isFlinks(Class<?> type) {
        return type.getName().startsWith(FLINK);
    }
}
