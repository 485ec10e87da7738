// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.graph;

import org.apache.flink.streaming.api.operators.StreamOperator;

/**
 * Flink's own operators that keep state of keys outside the backend, where it cannot be dropped
 * when keys leave: aggregates in Python have a cache in the Python process. (What those of the
 * Table API keep in fields is dropped by {@code io.meces.runtime.operator.OperatorAdapter}.)
 *
 * <p>PyFlink is not on the class path: the operator is known by name, as it is in 1.12.
 *
 * <p>Pure.
 */
final class KeyedCaches {

    private static final String AGGREGATE_IN_PYTHON =
            "org.apache.flink.table.runtime.operators.python.aggregate."
                    + "PythonStreamGroupAggregateOperator";

    private KeyedCaches() {}

    static boolean areUsedBy(StreamOperator<?> operator) {
        for (Class<?> type = operator.getClass(); type != null; type = type.getSuperclass()) {
            if (type.getName().equals(AGGREGATE_IN_PYTHON)) {
                return true;
            }
        }
        return false;
    }
}
