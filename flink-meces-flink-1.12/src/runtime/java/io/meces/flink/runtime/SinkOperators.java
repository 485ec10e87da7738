// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import javax.annotation.Nullable;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;
import org.apache.flink.streaming.runtime.operators.sink.StatefulSinkWriterOperatorFactory;
import org.apache.flink.streaming.runtime.operators.sink.StreamingCommitterOperatorFactory;
import org.apache.flink.streaming.runtime.operators.sink.StreamingGlobalCommitterOperatorFactory;
import org.apache.flink.util.function.ThrowingRunnable;

/** The operators of which Flink makes a unified sink. Pure. */
public final class SinkOperators {

    /** The class is package-private. */
    private static final String COMMITTING_WRITER =
            "org.apache.flink.streaming.runtime.operators.sink.StatefulSinkWriterOperator";

    private SinkOperators() {}

    /** Whether an operator prepares a commit before each barrier. */
    public static boolean preparesCommits(StreamOperator<?> operator) {
        return operator.getClass().getName().equals(COMMITTING_WRITER);
    }

    /**
     * Has one that prepares commits write what it has taken, without a commit: one of this line
     * writes for commits only, so there is nothing to do.
     */
    @Nullable
    public static ThrowingRunnable<Exception> flush(StreamOperator<?> writer) {
        return null;
    }

    /**
     * Has one that has taken nothing yet go on as after a checkpoint: one of this line does not
     * know by which checkpoints it is, so there is nothing to do.
     */
    public static void goOnAfter(long checkpoint, StreamOperator<?> operator, Environment task) {}

    /** Whether it makes one that tells those behind it how many subtasks it has. */
    public static boolean countsSubtasks(StreamOperatorFactory<?> factory) {
        return false;
    }

    /** Whether it makes a writer with state. */
    public static boolean isWriter(StreamOperatorFactory<?> factory) {
        return factory instanceof StatefulSinkWriterOperatorFactory;
    }

    public static boolean isCommitter(StreamOperatorFactory<?> factory) {
        return factory instanceof StreamingCommitterOperatorFactory;
    }

    public static boolean isGlobalCommitter(StreamOperatorFactory<?> factory) {
        return factory instanceof StreamingGlobalCommitterOperatorFactory;
    }

    /** The class of a factory of a writer or committer that has the sink in its field "sink". */
    public static String classWithSink(StreamOperatorFactory<?> factory) {
        return (isWriter(factory)
                        ? StatefulSinkWriterOperatorFactory.class
                        : StreamingCommitterOperatorFactory.class)
                .getName();
    }
}
