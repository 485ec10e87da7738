// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.operator;

import io.meces.runtime.sink.ConnectorReflection;
import io.meces.state.ForgetsKeys;
import javax.annotation.Nullable;
import org.apache.flink.streaming.api.operators.StreamOperator;

/**
 * Operators of Apache Beam's runner. They keep the watermark holds of all their keys in memory,
 * beside keyed state, and results of a bundle that is not finished.
 *
 * <p>Stateless.
 */
final class BeamAdapter implements OperatorAdapter {

    private static final String STREAMING =
            "org.apache.beam.runners.flink.translation.wrappers.streaming.";
    private static final String DO_FN = STREAMING + "DoFnOperator";

    @Override
    public boolean knows(StreamOperator<?> operator) {
        return ConnectorReflection.superclass(operator, DO_FN) != null;
    }

    @Override
    @Nullable
    public String refusal(StreamOperator<?> operator) {
        return "("
                + operator.getClass().getName()
                + ") is one of Apache Beam, which keeps the watermark holds of keys, and results of"
                + " a bundle, in memory, where a rescale cannot reach them. Stop such a job with a"
                + " savepoint and start it from that at another parallelism.";
    }

    @Override
    public ForgetsKeys adapt(StreamOperator<?> operator) {
        throw new IllegalStateException("A vertex with " + operator + " is not elastic.");
    }
}
