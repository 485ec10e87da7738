// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.operator;

import io.meces.state.ForgetsKeys;
import javax.annotation.Nullable;
import org.apache.flink.streaming.api.operators.StreamOperator;

/**
 * Knows one kind of operators that keep something in memory beside their state: values of keys, or
 * results that they have not given on. On a stock Flink that is filled when a task starts, as keys
 * stay as long as it lives. Here they leave and come meanwhile.
 *
 * <p>For operators that cannot be changed, such as those of a framework. Code of your own can
 * implement {@link ForgetsKeys}.
 *
 * <p>Found by {@link java.util.ServiceLoader}, with the class loader of the job: it can be in the
 * jar of the job, or in a jar in {@code lib/} of the JobManager and of each TaskManager. It needs a
 * public constructor without parameters, and may be used by several tasks at the same time.
 */
public interface OperatorAdapter {

    /**
     * Whether an operator in a vertex that can be rescaled is of this kind. Also asked on the
     * JobManager, when the operator is not open.
     */
    boolean knows(StreamOperator<?> operator);

    /**
     * Why a vertex with such an operator cannot be rescaled, and what to do about it; null if it
     * can. It goes on after "Vertex '…' cannot be rescaled: its operator '…' ". Asked on the
     * JobManager, when the operator is not open. If members of the operator's classes are reached
     * by reflection, this is where to look whether they are there.
     */
    @Nullable
    default String refusal(StreamOperator<?> operator) {
        return null;
    }

    /**
     * What drops the values of keys that one operator keeps in memory. Called for each rescale,
     * when the operator is open.
     */
    ForgetsKeys adapt(StreamOperator<?> operator);
}
