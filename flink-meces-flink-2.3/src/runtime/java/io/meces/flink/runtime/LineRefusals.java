// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.Arrays;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.api.operators.AbstractUdfStreamOperator;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;
import org.apache.flink.streaming.runtime.operators.asyncprocessing.AsyncKeyOrderedProcessing;

/** What only some lines of Flink have, and no rescale can be combined with. Pure. */
public final class LineRefusals {

    private static final String TABLES = "org.apache.flink.table.runtime.operators.";

    /** What makes operators of the Table API that keep records of their keys beside their state. */
    private static final List<String> WITH_LOOKUPS =
            Arrays.asList(
                    TABLES + "StreamingDeltaJoinOperatorFactory",
                    TABLES + "TableKeyedAsyncWaitOperatorFactory");

    /**
     * Looks rows up in a map by another class of key than that which a key has become when its
     * state has moved, or been restored. In RocksDB both have the same bytes.
     */
    private static final String FINDS_NO_MOVED_ROWS =
            TABLES + "over.NonTimeRowsUnboundedPrecedingFunction";

    /** After a restart each of its keys goes by the checkpoint that its subtask began with. */
    private static final String GOES_BY_THE_CHECKPOINT =
            TABLES + "sink.WatermarkCompactingSinkMaterializer";

    private LineRefusals() {}

    /** Why the job cannot be rescaled; null if it can. */
    @Nullable
    public static String ofJob(JobGraph graph, Configuration cluster) {
        boolean merges =
                graph.getJobConfiguration()
                        .getOptional(CheckpointingOptions.FILE_MERGING_ENABLED)
                        .orElse(cluster.get(CheckpointingOptions.FILE_MERGING_ENABLED));
        return merges
                ? "The job has Flink put small files of checkpoints together, also those of state"
                        + " that moves. Set execution.checkpointing.file-merging.enabled: false."
                : null;
    }

    /**
     * Why a job with that vertex, in or next to one that changes, cannot be rescaled.
     *
     * @param onHeap whether its state is there
     */
    @Nullable
    public static String ofVertex(JobVertex vertex, boolean onHeap, ClassLoader userCode) {
        for (StreamConfig config :
                new StreamConfig(vertex.getConfiguration())
                        .getTransitiveChainedTaskConfigsWithSelf(userCode)
                        .values()) {
            String where =
                    "Operator '"
                            + config.getOperatorName()
                            + "' of vertex '"
                            + vertex.getName()
                            + "' ";
            StreamOperatorFactory<?> factory = config.getStreamOperatorFactory(userCode);
            if (WITH_LOOKUPS.contains(factory.getClass().getName())) {
                return where
                        + "looks rows up for records of its keys, and keeps both beside its state"
                        + " until they are answered. Set table.optimizer.delta-join.strategy: NONE"
                        + " and table.exec.async-lookup.key-ordered-enabled: false.";
            }
            if (isAsynchronous(factory, userCode)) {
                return where
                        + "uses asynchronous state (the State API V2, enableAsyncState(), or"
                        + " table.exec.async-state.enabled), whose records are under way while"
                        + " others come. Use the synchronous state API.";
            }
            if (GOES_BY_THE_CHECKPOINT.equals(className(operator(factory)))) {
                return where
                        + "orders the rows of a key by the checkpoint that its subtask has been"
                        + " restored from (ON CONFLICT DO NOTHING, DO ERROR), which one that is new"
                        + " does not know. Use ON CONFLICT DO DEDUPLICATE.";
            }
            if (onHeap && findsNoMovedRows(factory)) {
                return where
                        + "numbers rows of each key by other than time (OVER … ORDER BY … ROWS), and"
                        + " does not find them again in state on the heap when that has moved, nor"
                        + " when it has been restored. Use RANGE instead of ROWS, or"
                        + " state.backend.type: rocksdb.";
            }
            if (!config.getWatermarkDeclarations(userCode).isEmpty()) {
                return where
                        + "takes or declares watermarks of its own (those of the DataStream API"
                        + " V2), which do not follow the keys. Leave them out.";
            }
        }
        return null;
    }

    private static boolean findsNoMovedRows(StreamOperatorFactory<?> factory) {
        StreamOperator<?> operator = operator(factory);
        return operator instanceof AbstractUdfStreamOperator
                && FINDS_NO_MOVED_ROWS.equals(
                        className(((AbstractUdfStreamOperator<?, ?>) operator).getUserFunction()));
    }

    /** Null if it is made in the task. */
    @Nullable
    private static StreamOperator<?> operator(StreamOperatorFactory<?> factory) {
        return factory instanceof SimpleOperatorFactory
                ? ((SimpleOperatorFactory<?>) factory).getOperator()
                : null;
    }

    @Nullable
    private static String className(@Nullable Object object) {
        return object == null ? null : object.getClass().getName();
    }

    private static boolean isAsynchronous(StreamOperatorFactory<?> factory, ClassLoader userCode) {
        StreamOperator<?> operator = operator(factory);
        if (operator != null) {
            return operator instanceof AsyncKeyOrderedProcessing
                    && ((AsyncKeyOrderedProcessing) operator).isAsyncKeyOrderedProcessingEnabled();
        }
        return AsyncKeyOrderedProcessing.class.isAssignableFrom(
                factory.getStreamOperatorClass(userCode));
    }
}
