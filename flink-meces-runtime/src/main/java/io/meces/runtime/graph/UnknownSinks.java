/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.runtime.graph;

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
import org.apache.flink.streaming.runtime.operators.sink.StatefulSinkWriterOperatorFactory;
import org.apache.flink.streaming.runtime.operators.sink.StreamingCommitterOperatorFactory;

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
        if (factory instanceof StatefulSinkWriterOperatorFactory
                || factory instanceof StreamingCommitterOperatorFactory) {
            return !PartFiles.areWrittenBy(factory);
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
