// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.lang.reflect.Field;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import javax.annotation.Nullable;
import org.apache.flink.api.connector.sink2.CommittingSinkWriter;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.StatefulSinkWriter;
import org.apache.flink.api.connector.sink2.SupportsCommitter;
import org.apache.flink.api.connector.sink2.SupportsWriterState;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;
import org.apache.flink.streaming.runtime.operators.sink.CommitterOperatorFactory;
import org.apache.flink.streaming.runtime.operators.sink.SinkWriterOperatorFactory;
import org.apache.flink.util.function.ThrowingRunnable;

/**
 * The operators of which Flink makes a unified sink.
 *
 * <p>An operator tells nobody of its writer; the fields are opened once, when this class is
 * initialized, and a Flink without them fails there.
 */
public final class SinkOperators {

    /** The class, which was package-private before it moved with Flink 2.0. */
    private static final Set<String> GLOBAL_COMMITTERS =
            new HashSet<>(
                    Arrays.asList(
                            "org.apache.flink.streaming.api.connector.sink2.GlobalCommitterOperator",
                            "org.apache.flink.streaming.runtime.operators.sink"
                                    + ".GlobalCommitterOperator"));

    /** The class is package-private, too. */
    private static final String WRITER =
            "org.apache.flink.streaming.runtime.operators.sink.SinkWriterOperator";

    private static final Field WRITER_OF_OPERATOR = fieldOfOperator("sinkWriter");
    private static final Field EMITS_COMMITTABLES = fieldOfOperator("emitDownstream");

    private SinkOperators() {}

    /** Whether an operator prepares a commit before each barrier. */
    public static boolean preparesCommits(StreamOperator<?> operator) {
        try {
            return operator.getClass().getName().equals(WRITER)
                    && EMITS_COMMITTABLES.getBoolean(operator);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Has one that prepares commits write what it has taken, as before a barrier, but without a
     * commit. In the task thread, which may run mails of the writer meanwhile.
     */
    @Nullable
    public static ThrowingRunnable<Exception> flush(StreamOperator<?> writer) {
        return () -> ((SinkWriter<?>) WRITER_OF_OPERATOR.get(writer)).flush(false);
    }

    /**
     * Has one that prepares commits, has state, and has taken nothing yet go on as after a
     * checkpoint, unless it began after that.
     */
    public static void goOnAfter(long checkpoint, StreamOperator<?> operator, Environment task)
            throws Exception {
        if (checkpoint <= task.getTaskStateManager().getRestoreCheckpointId().orElse(0L)) {
            return;
        }
        Object writer = WRITER_OF_OPERATOR.get(operator);
        ((CommittingSinkWriter<?, ?>) writer).prepareCommit();
        ((StatefulSinkWriter<?, ?>) writer).snapshotState(checkpoint);
    }

    /**
     * Whether it makes one that tells those behind it how many subtasks it has. A global committer
     * waits for so many.
     */
    public static boolean countsSubtasks(StreamOperatorFactory<?> factory) {
        return isCommitter(factory)
                || factory instanceof SinkWriterOperatorFactory
                        && sink(factory) instanceof SupportsCommitter;
    }

    /**
     * Whether it makes a writer that need not have all outside when it is flushed: with state, or
     * for commits. What others held back would be lost with a failure.
     */
    public static boolean isWriter(StreamOperatorFactory<?> factory) {
        return factory instanceof SinkWriterOperatorFactory
                && (sink(factory) instanceof SupportsWriterState
                        || sink(factory) instanceof SupportsCommitter);
    }

    private static Sink<?> sink(StreamOperatorFactory<?> factory) {
        return ((SinkWriterOperatorFactory<?, ?>) factory).getSink();
    }

    public static boolean isCommitter(StreamOperatorFactory<?> factory) {
        return factory instanceof CommitterOperatorFactory;
    }

    public static boolean isGlobalCommitter(StreamOperatorFactory<?> factory) {
        return GLOBAL_COMMITTERS.contains(
                factory.getStreamOperatorClass(factory.getClass().getClassLoader()).getName());
    }

    /** The class of a factory of a writer or committer that has the sink in its field "sink". */
    public static String classWithSink(StreamOperatorFactory<?> factory) {
        return (isWriter(factory)
                        ? SinkWriterOperatorFactory.class
                        : CommitterOperatorFactory.class)
                .getName();
    }

    private static Field fieldOfOperator(String name) {
        try {
            Field field = Class.forName(WRITER).getDeclaredField(name);
            field.setAccessible(true);
            return field;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("This Flink has no " + WRITER + "." + name, e);
        }
    }
}
