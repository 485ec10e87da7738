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

import java.lang.reflect.Field;
import org.apache.flink.streaming.api.operators.AbstractUdfStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.util.FlinkRuntimeException;

/**
 * Flink's own operators that keep state of keys in fields, besides that in the backend. On a stock
 * Flink that is sound: while an operator lives, its keys stay. Here a key may leave, with what the
 * backend has, and come back when the fields have become outdated.
 *
 * <p>They belong to the Table API and to PyFlink, which are not on the class path: they are known
 * by name, as they are in 1.12.
 *
 * <ul>
 *   <li>Top-N that only sees additions reads through a cache by partition key; that which sees
 *       updates even writes to state at a checkpoint or when the cache is full only.
 *   <li>Merging windows (sessions) have a cache of the windows of each key.
 *   <li>Aggregates in Python have a cache of state in the Python process.
 * </ul>
 *
 * <p>Pure.
 */
final class KeyedCaches {

    private static final String TABLE_OPERATORS = "org.apache.flink.table.runtime.operators.";
    private static final String TOP_N_OF_ADDITIONS =
            TABLE_OPERATORS + "rank.AppendOnlyTopNFunction";
    private static final String TOP_N_OF_UPDATES = TABLE_OPERATORS + "rank.UpdatableTopNFunction";
    private static final String WINDOWS = TABLE_OPERATORS + "window.WindowOperator";
    private static final String WINDOW_ASSIGNER = "windowAssigner";
    private static final String MERGING_WINDOWS =
            TABLE_OPERATORS + "window.assigners.MergingWindowAssigner";
    private static final String AGGREGATE_IN_PYTHON =
            TABLE_OPERATORS + "python.aggregate.PythonStreamGroupAggregateOperator";

    private KeyedCaches() {}

    static boolean areUsedBy(StreamOperator<?> operator) {
        if (operator instanceof AbstractUdfStreamOperator) {
            Object function = ((AbstractUdfStreamOperator<?, ?>) operator).getUserFunction();
            if (superclass(function, TOP_N_OF_ADDITIONS) != null
                    || superclass(function, TOP_N_OF_UPDATES) != null) {
                return true;
            }
        }
        Class<?> windows = superclass(operator, WINDOWS);
        return superclass(operator, AGGREGATE_IN_PYTHON) != null
                || windows != null
                        && superclass(field(operator, windows, WINDOW_ASSIGNER), MERGING_WINDOWS)
                                != null;
    }

    /** The class or superclass of that name, or null. */
    private static Class<?> superclass(Object object, String name) {
        for (Class<?> type = object.getClass(); type != null; type = type.getSuperclass()) {
            if (type.getName().equals(name)) {
                return type;
            }
        }
        return null;
    }

    private static Object field(Object object, Class<?> type, String name) {
        try {
            Field field = type.getDeclaredField(name);
            field.setAccessible(true);
            return field.get(object);
        } catch (ReflectiveOperationException e) {
            throw new FlinkRuntimeException("Cannot read " + type.getName() + "." + name, e);
        }
    }
}
