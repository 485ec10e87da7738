// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.graph;

import io.meces.flink.runtime.SinkOperators;
import io.meces.runtime.sink.KafkaWriters;
import io.meces.runtime.sink.PartFiles;
import io.meces.runtime.sink.SinkDrains;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.checkpoint.ListCheckpointed;
import org.apache.flink.streaming.api.functions.sink.SinkFunction;
import org.apache.flink.streaming.api.operators.AbstractUdfStreamOperator;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;
import org.apache.flink.streaming.runtime.operators.GenericWriteAheadSink;

/**
 * Sinks that hold records back, and of which nobody knows how to have them written before keys
 * move. A sink that takes part in checkpoints does so for that: what it held back would be lost by
 * a failure otherwise. One that does not writes at once.
 *
 * <p>Pure.
 */
final class UnknownSinks {

    private UnknownSinks() {}

    static boolean areMadeBy(StreamOperatorFactory<?> factory, SinkDrains known) {
        if (SinkOperators.isWriter(factory) || SinkOperators.isCommitter(factory)) {
            return !PartFiles.areWrittenBy(factory) && !KafkaWriters.areFlushedBy(factory);
        }
        if (!(factory instanceof SimpleOperatorFactory)) {
            return false;
        }
        StreamOperator<?> operator = ((SimpleOperatorFactory<?>) factory).getOperator();
        if (operator instanceof GenericWriteAheadSink) {
            return true;
        }
        if (!(operator instanceof AbstractUdfStreamOperator)) {
            return false;
        }
        Object function = ((AbstractUdfStreamOperator<?, ?>) operator).getUserFunction();
        return function instanceof SinkFunction
                && (function instanceof CheckpointedFunction
                        || function instanceof ListCheckpointed
                        || function instanceof CheckpointListener)
                && known.find(operator) == null;
    }
}
