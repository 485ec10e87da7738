// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.sink;

import io.meces.flink.runtime.SinkOperators;
import java.io.IOException;
import javax.annotation.Nullable;
import org.apache.flink.streaming.api.functions.sink.filesystem.OutputFileConfig;
import org.apache.flink.streaming.api.functions.sink.filesystem.PartFileInfo;
import org.apache.flink.streaming.api.functions.sink.filesystem.RollingPolicy;
import org.apache.flink.streaming.api.functions.sink.filesystem.StreamingFileSink;
import org.apache.flink.streaming.api.operators.AbstractUdfStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;
import org.apache.flink.util.FlinkRuntimeException;
import org.apache.flink.util.function.ThrowingRunnable;

/**
 * What Flink's file sinks need when subtasks come and go. What they have written shows when a
 * checkpoint is complete, so there is nothing to drain before keys move.
 *
 * <p>A {@code FileSink} needs nothing: its files have random names, and it finishes them at the end
 * of its input. A {@link StreamingFileSink} numbers them per index of the subtask, and knows no end
 * of its input. So one in a subtask that is activated in the running job gets a random part of its
 * names, and one in a subtask that leaves rolls at the next checkpoint.
 */
public final class PartFiles {

    /** In the jar of the job. */
    private static final String FILE_SINK = "org.apache.flink.connector.file.sink.FileSink";

    private static final String SINK = StreamingFileSink.class.getName();
    private static final String ROWS = StreamingFileSink.RowFormatBuilder.class.getName();
    private static final String BULKS = StreamingFileSink.BulkFormatBuilder.class.getName();

    private static final String WARNING =
            "writes each file in one subtask. After a rescale results of a key that has moved go on"
                    + " in a file of another subtask, as after a restart at another parallelism."
                    + " Put partitionCustom() by the same key before the sink if readers go by the"
                    + " order of files.";

    private PartFiles() {}

    /** Whether it makes the writer or the committer of a {@code FileSink}. */
    public static boolean areWrittenBy(StreamOperatorFactory<?> factory) {
        return (SinkOperators.isWriter(factory) || SinkOperators.isCommitter(factory))
                && ConnectorReflection.superclass(
                                ConnectorReflection.get(
                                        factory, SinkOperators.classWithSink(factory), "sink"),
                                FILE_SINK)
                        != null;
    }

    /** Whether a function is a {@link StreamingFileSink} whose files we can name. */
    public static boolean areNumberedBy(Object function) {
        // a builder of another class may make its names by itself
        return function instanceof StreamingFileSink
                && builder(function).getClass().getEnclosingClass() == StreamingFileSink.class;
    }

    /**
     * What users should know, as {@link SinkDrain#warning}; null: nothing.
     *
     * @param factory of an operator of an elastic vertex
     */
    @Nullable
    public static String warning(StreamOperatorFactory<?> factory) {
        return SinkOperators.isWriter(factory) && areWrittenBy(factory) ? WARNING : null;
    }

    /**
     * To be called in a task of an elastic vertex before the state of its operators is initialised.
     *
     * @param activation tells apart a subtask that was activated in the running job; null: it was
     *     not, and has the number of the next file in its state
     */
    public static void begin(StreamOperator<?> operator, @Nullable String activation) {
        Object builder = numbering(operator);
        if (builder == null) {
            return;
        }
        if (builder instanceof StreamingFileSink.RowFormatBuilder) {
            roll((StreamingFileSink.RowFormatBuilder<?, ?, ?>) builder);
        }
        if (activation != null) {
            name(builder, activation);
        }
    }

    /** The subtask leaves: all that its sink has written is to be finished by a checkpoint. */
    public static void leave(StreamOperator<?> operator) {
        Object builder = numbering(operator);
        // files of a bulk format end with each checkpoint
        if (builder instanceof StreamingFileSink.RowFormatBuilder) {
            ((LastRoll<?, ?>) ConnectorReflection.get(builder, ROWS, "rollingPolicy")).leaves =
                    true;
        }
    }

    @Nullable
    private static Object numbering(StreamOperator<?> operator) {
        if (!(operator instanceof AbstractUdfStreamOperator)) {
            return null;
        }
        Object function = ((AbstractUdfStreamOperator<?, ?>) operator).getUserFunction();
        return areNumberedBy(function) ? builder(function) : null;
    }

    private static Object builder(Object function) {
        return ConnectorReflection.get(function, SINK, "bucketsBuilder");
    }

    @SuppressWarnings("unchecked")
    private static <IN, ID> void roll(StreamingFileSink.RowFormatBuilder<IN, ID, ?> builder) {
        builder.withRollingPolicy(
                new LastRoll<>(
                        (RollingPolicy<IN, ID>)
                                ConnectorReflection.get(builder, ROWS, "rollingPolicy")));
    }

    private static void name(Object builder, String activation) {
        if (builder instanceof StreamingFileSink.RowFormatBuilder) {
            ((StreamingFileSink.RowFormatBuilder<?, ?, ?>) builder)
                    .withOutputFileConfig(named(builder, ROWS, activation));
        } else if (builder instanceof StreamingFileSink.BulkFormatBuilder) {
            ((StreamingFileSink.BulkFormatBuilder<?, ?, ?>) builder)
                    .withOutputFileConfig(named(builder, BULKS, activation));
        } else {
            throw new FlinkRuntimeException("Not a builder of Flink 1.12: " + builder);
        }
    }

    private static OutputFileConfig named(Object builder, String declaring, String activation) {
        OutputFileConfig names =
                (OutputFileConfig) ConnectorReflection.get(builder, declaring, "outputFileConfig");
        return new OutputFileConfig(
                names.getPartPrefix() + "-" + activation, names.getPartSuffix());
    }

    /** {@link StreamingFileSink}, as the other sinks that hold nothing back. */
    static final class Numbered implements SinkDrain {
        @Override
        public boolean knows(Object sink) {
            return areNumberedBy(sink);
        }

        @Override
        @Nullable
        public ThrowingRunnable<Exception> workToDrain(Object sink) {
            return null;
        }

        @Override
        public String warning(Object sink) {
            return WARNING;
        }
    }

    /** As another policy, until the subtask leaves. Owned by the task thread. */
    private static final class LastRoll<IN, ID> implements RollingPolicy<IN, ID> {
        private static final long serialVersionUID = 1L;
        private final RollingPolicy<IN, ID> policy;
        boolean leaves;

        LastRoll(RollingPolicy<IN, ID> policy) {
            this.policy = policy;
        }

        @Override
        public boolean shouldRollOnCheckpoint(PartFileInfo<ID> file) throws IOException {
            return leaves || policy.shouldRollOnCheckpoint(file);
        }

        @Override
        public boolean shouldRollOnEvent(PartFileInfo<ID> file, IN element) throws IOException {
            return policy.shouldRollOnEvent(file, element);
        }

        @Override
        public boolean shouldRollOnProcessingTime(PartFileInfo<ID> file, long time)
                throws IOException {
            return policy.shouldRollOnProcessingTime(file, time);
        }
    }
}
