// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.graph;

import io.meces.core.id.OperatorId;
import io.meces.flink.runtime.SinkOperators;
import io.meces.runtime.FlinkIds;
import io.meces.runtime.sink.KafkaWriters;
import io.meces.runtime.sink.PartFiles;
import java.util.HashMap;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.streaming.api.functions.sink.TwoPhaseCommitSinkFunction;
import org.apache.flink.streaming.api.functions.sink.filesystem.StreamingFileSink;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.api.operators.AbstractUdfStreamOperator;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;

/**
 * List state of Flink's own sinks that is of no use any more when a checkpoint is complete, its
 * subtask has been told so, and has got no record since: transactions that have been committed then
 * for good, and files that are finished. To commit them once more much later fails, as external
 * systems forget them.
 *
 * <p>Pure.
 */
final class SettledState {

    /** Private in {@link TwoPhaseCommitSinkFunction}. */
    private static final String TRANSACTIONS = "state";

    /** Private in the committer of the new sink API. */
    private static final String COMMITTABLES = "streaming_committer_raw_states";

    /** Private in the writer of the new sink API. */
    private static final String WRITER = "writer_raw_states";

    /** Private in the helper of {@link StreamingFileSink}. */
    private static final String FILES = "bucket-states";

    private SettledState() {}

    /** The name of that state of each operator of the vertex that has one. */
    static Map<OperatorId, String> of(JobVertex vertex, ClassLoader userCode) {
        Map<OperatorId, String> settled = new HashMap<>();
        for (StreamConfig config :
                new StreamConfig(vertex.getConfiguration())
                        .getTransitiveChainedTaskConfigsWithSelf(userCode)
                        .values()) {
            StreamOperatorFactory<?> factory = config.getStreamOperatorFactory(userCode);
            if (SinkOperators.isCommitter(factory)) {
                settled.put(FlinkIds.of(config.getOperatorID()), COMMITTABLES);
            } else if (KafkaWriters.guarantee(factory) != null) {
                // the prefix of all transactions, and those that have been committed
                settled.put(FlinkIds.of(config.getOperatorID()), WRITER);
            } else if (factory instanceof SimpleOperatorFactory) {
                String state = of(((SimpleOperatorFactory<?>) factory).getOperator());
                if (state != null) {
                    settled.put(FlinkIds.of(config.getOperatorID()), state);
                }
            }
        }
        return settled;
    }

    @Nullable
    private static String of(StreamOperator<?> operator) {
        if (!(operator instanceof AbstractUdfStreamOperator)) {
            return null;
        }
        Object function = ((AbstractUdfStreamOperator<?, ?>) operator).getUserFunction();
        if (function instanceof TwoPhaseCommitSinkFunction) {
            return TRANSACTIONS;
        }
        return PartFiles.areNumberedBy(function) ? FILES : null;
    }
}
