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

import org.apache.flink.streaming.api.operators.StreamOperator;

/**
 * Flink's own operators that keep state of keys outside the backend, where it cannot be dropped
 * when keys leave: aggregates in Python have a cache in the Python process. (What those of the
 * Table API keep in fields is dropped by {@code io.meces.runtime.task.TableCaches}.)
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
