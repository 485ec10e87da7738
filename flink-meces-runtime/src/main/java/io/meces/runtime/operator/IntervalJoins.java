// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.operator;

import io.meces.runtime.sink.ConnectorReflection;
import org.apache.flink.streaming.api.operators.AbstractUdfStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperator;

/**
 * Joins of the Table API over an interval of time. They keep times of one key and use them for
 * others, in the belief that they are the same for all: they skip the look into their caches if
 * these have been cleaned up to a later time. They make no result twice, whatever the time.
 *
 * <p>Stateless.
 */
public final class IntervalJoins {

    private static final String JOIN =
            "org.apache.flink.table.runtime.operators.join.interval.TimeIntervalJoin";
    private static final String JOIN_OF_OLD_PLANNER =
            "org.apache.flink.table.runtime.join.TimeBoundedStreamJoin";

    private IntervalJoins() {}

    /** Whether an operator is one. */
    public static boolean contain(StreamOperator<?> operator) {
        if (!(operator instanceof AbstractUdfStreamOperator)) {
            return false;
        }
        Object function = ((AbstractUdfStreamOperator<?, ?>) operator).getUserFunction();
        return ConnectorReflection.superclass(function, JOIN) != null
                || ConnectorReflection.superclass(function, JOIN_OF_OLD_PLANNER) != null;
    }
}
