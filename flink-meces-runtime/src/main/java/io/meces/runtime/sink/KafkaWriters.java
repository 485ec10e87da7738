// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.sink;

import io.meces.flink.runtime.SinkOperators;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import javax.annotation.Nullable;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;
import org.apache.flink.streaming.runtime.tasks.OperatorChain;
import org.apache.flink.streaming.runtime.tasks.StreamOperatorWrapper;

/**
 * The {@code KafkaSink} of the API V2, which always has a committer and state of its writers. It
 * awaits the answers to all it has sent when it is flushed: so that is enough before keys move, as
 * a reader of committed records reads them in the order in which they were appended. With no
 * guarantee a flush awaits nothing.
 *
 * <p>At least once, it commits nothing, and its state says nothing. Exactly once, it has a
 * transaction for each checkpoint, named by the index of the subtask and the id of the checkpoint
 * before. A restart aborts what is open by trying the names after the checkpoint that it goes back
 * to, until one was never used, and so for the indexes of subtasks that are gone. So there must be
 * no gap in the names of a subtask: one that is activated in the running job begins after the
 * oldest checkpoint that a restart may go back to, and goes on after the last one that it is not
 * in.
 */
public final class KafkaWriters {

    /** In the jar of the job. */
    private static final String SINK = "org.apache.flink.connector.kafka.sink.KafkaSink";

    private static final String SCHEMA =
            "org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchemaBuilder"
                    + "$KafkaRecordSerializationSchemaWrapper";

    private static final String EXACTLY_ONCE = "EXACTLY_ONCE";

    /** In the class of the sink. */
    private static final String NAMING = "transactionNamingStrategy";

    private KafkaWriters() {}

    /** Whether it makes the writer or the committer of such a sink, whatever it guarantees. */
    @Nullable
    private static Object sink(StreamOperatorFactory<?> factory) {
        if (!SinkOperators.isWriter(factory) && !SinkOperators.isCommitter(factory)) {
            return null;
        }
        Object sink =
                ConnectorReflection.get(factory, SinkOperators.classWithSink(factory), "sink");
        return ConnectorReflection.superclass(sink, SINK) == null ? null : sink;
    }

    /** Whether it makes the writer or the committer of one that has all outside when flushed. */
    public static boolean areFlushedBy(StreamOperatorFactory<?> factory) {
        String guarantee = guarantee(factory);
        return guarantee != null && !guarantee.equals("NONE");
    }

    /** Whether it makes the writer or the committer of one that uses transactions again. */
    public static boolean arePooling(StreamOperatorFactory<?> factory) {
        if (!EXACTLY_ONCE.equals(guarantee(factory))) {
            return false;
        }
        Object sink = sink(factory);
        // connectors before 4.0 have one way to name transactions
        return Arrays.stream(ConnectorReflection.superclass(sink, SINK).getDeclaredFields())
                        .anyMatch(field -> field.getName().equals(NAMING))
                && ((Enum<?>) ConnectorReflection.get(sink, SINK, NAMING)).name().equals("POOLING");
    }

    /** Operators of a task that write in transactions. To be called before they are made. */
    public static Set<OperatorID> transactional(Environment task) {
        ClassLoader userCode = task.getUserCodeClassLoader().asClassLoader();
        Set<OperatorID> writers = new HashSet<>();
        for (StreamConfig config :
                new StreamConfig(task.getTaskConfiguration())
                        .getTransitiveChainedTaskConfigsWithSelf(userCode)
                        .values()) {
            StreamOperatorFactory<?> factory = config.getStreamOperatorFactory(userCode);
            if (SinkOperators.isWriter(factory) && EXACTLY_ONCE.equals(guarantee(factory))) {
                writers.add(config.getOperatorID());
            }
        }
        return writers;
    }

    /**
     * To be called in a subtask that has been activated in the running job, before it gets the
     * first record. Its transactions are then those after a checkpoint. Task thread.
     *
     * @param writers what {@link #transactional} told
     */
    public static void beginAfter(
            long checkpoint, OperatorChain<?, ?> chain, Set<OperatorID> writers, Environment task)
            throws Exception {
        for (StreamOperatorWrapper<?, ?> wrapper : chain.getAllOperators()) {
            StreamOperator<?> operator = wrapper.getStreamOperator();
            if (writers.contains(operator.getOperatorID())) {
                SinkOperators.goOnAfter(checkpoint, operator, task);
            }
        }
    }

    /** What the sink guarantees, of which it makes the writer or committer; null: of none. */
    @Nullable
    public static String guarantee(StreamOperatorFactory<?> factory) {
        Object sink = sink(factory);
        return sink == null
                ? null
                : ((Enum<?>) ConnectorReflection.get(sink, SINK, "deliveryGuarantee")).name();
    }

    /** What users should know, as {@link SinkDrain#warning}; null: nothing. */
    @Nullable
    public static String warning(StreamOperatorFactory<?> factory) {
        Object sink = SinkOperators.isWriter(factory) ? sink(factory) : null;
        if (sink == null) {
            return null;
        }
        Object schema = ConnectorReflection.get(sink, SINK, "recordSerializer");
        return ConnectorReflection.superclass(schema, SCHEMA) == null
                ? null
                : KafkaDrain.warningOf(ConnectorReflection.get(schema, SCHEMA, "partitioner"));
    }
}
