// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;
import org.apache.flink.streaming.runtime.operators.sink.CommitterOperatorFactory;
import org.apache.flink.streaming.runtime.operators.sink.SinkWriterOperatorFactory;

/** The operators of which Flink makes a unified sink. Pure. */
public final class SinkOperators {

    /** The class is package-private. */
    private static final String GLOBAL_COMMITTER =
            "org.apache.flink.streaming.api.connector.sink2.GlobalCommitterOperator";

    /** The class is package-private. */
    private static final String COMMITTING_WRITER =
            "org.apache.flink.streaming.runtime.operators.sink.SinkWriterOperator";

    private SinkOperators() {}

    /** Whether an operator prepares a commit before each barrier. */
    public static boolean preparesCommits(StreamOperator<?> operator) {
        return operator.getClass().getName().equals(COMMITTING_WRITER);
    }

    /** Whether it makes a writer, with state or without. */
    public static boolean isWriter(StreamOperatorFactory<?> factory) {
        return factory instanceof SinkWriterOperatorFactory;
    }

    public static boolean isCommitter(StreamOperatorFactory<?> factory) {
        return factory instanceof CommitterOperatorFactory;
    }

    public static boolean isGlobalCommitter(StreamOperatorFactory<?> factory) {
        return factory.getStreamOperatorClass(factory.getClass().getClassLoader())
                .getName()
                .equals(GLOBAL_COMMITTER);
    }

    /** The class of a factory of a writer or committer that has the sink in its field "sink". */
    public static String classWithSink(StreamOperatorFactory<?> factory) {
        return (isWriter(factory)
                        ? SinkWriterOperatorFactory.class
                        : CommitterOperatorFactory.class)
                .getName();
    }
}
