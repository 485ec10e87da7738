// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;
import org.apache.flink.streaming.runtime.operators.sink.StatefulSinkWriterOperatorFactory;
import org.apache.flink.streaming.runtime.operators.sink.StreamingCommitterOperatorFactory;
import org.apache.flink.streaming.runtime.operators.sink.StreamingGlobalCommitterOperatorFactory;

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
