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

package io.meces.runtime.task;

import io.meces.state.ForgetsKeys;
import java.lang.reflect.Field;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.operators.AbstractUdfStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.util.FlinkRuntimeException;

/**
 * Drops what operators of the Table API (Blink planner) keep of keys in fields, besides that in the
 * backend. On a stock Flink that is sound: while an operator lives, its keys stay. Here a key may
 * leave, with what the backend has, and come back when the fields have become outdated.
 *
 * <ul>
 *   <li>Top-N that only sees additions reads through a cache by partition key.
 *   <li>Top-N that sees updates writes to state only at a checkpoint or when the cache is full. It
 *       is told to write as at a checkpoint.
 *   <li>Merging windows (sessions) read the windows of each key through a cache.
 * </ul>
 *
 * <p>The Table API is not on the class path, or is in the class loader of a job: its classes are
 * known by name, as they are in 1.12.
 *
 * <p>Owned by the task thread.
 */
final class TableCaches implements ForgetsKeys {

    private static final String OPERATORS = "org.apache.flink.table.runtime.operators.";
    private static final String TOP_N_OF_ADDITIONS = OPERATORS + "rank.AppendOnlyTopNFunction";
    private static final String TOP_N_OF_UPDATES = OPERATORS + "rank.UpdatableTopNFunction";
    private static final String BUFFERS = "kvSortedMap";
    private static final String ROWS = "kvRowKeyMap";
    private static final String WINDOWS = OPERATORS + "window.WindowOperator";
    private static final String WINDOW_FUNCTION = "windowFunction";
    private static final String MERGING =
            OPERATORS + "window.internal.MergingWindowProcessFunction";
    private static final String WINDOW_SET = "mergingWindows";
    private static final String SORTED_WINDOWS = "cachedSortedWindows";

    private final Map<?, ?>[] caches;
    @Nullable private final CheckpointedFunction writer;

    private TableCaches(@Nullable CheckpointedFunction writer, Object... caches) {
        this.writer = writer;
        this.caches = new Map<?, ?>[caches.length];
        for (int i = 0; i < caches.length; i++) {
            this.caches[i] = (Map<?, ?>) caches[i];
        }
    }

    /**
     * The caches of an operator that has been opened.
     *
     * @return null if it has none
     */
    @Nullable
    static TableCaches of(StreamOperator<?> operator) {
        if (operator instanceof AbstractUdfStreamOperator) {
            Object function = ((AbstractUdfStreamOperator<?, ?>) operator).getUserFunction();
            if (superclass(function, TOP_N_OF_ADDITIONS) != null) {
                return new TableCaches(null, field(function, TOP_N_OF_ADDITIONS, BUFFERS));
            }
            if (superclass(function, TOP_N_OF_UPDATES) != null) {
                return new TableCaches(
                        (CheckpointedFunction) function,
                        field(function, TOP_N_OF_UPDATES, BUFFERS),
                        field(function, TOP_N_OF_UPDATES, ROWS));
            }
        }
        if (superclass(operator, WINDOWS) != null) {
            Object function = field(operator, WINDOWS, WINDOW_FUNCTION);
            if (superclass(function, MERGING) != null) {
                Object windows = field(function, MERGING, WINDOW_SET);
                return new TableCaches(
                        null, field(windows, windows.getClass().getName(), SORTED_WINDOWS));
            }
        }
        return null;
    }

    @Override
    public void forgetKeys() throws Exception {
        if (writer != null) {
            // it does not look at the context
            writer.snapshotState(null);
        }
        for (Map<?, ?> cache : caches) {
            cache.clear();
        }
    }

    /** The class or superclass of that name, or null. */
    @Nullable
    private static Class<?> superclass(Object object, String name) {
        for (Class<?> type = object.getClass(); type != null; type = type.getSuperclass()) {
            if (type.getName().equals(name)) {
                return type;
            }
        }
        return null;
    }

    private static Object field(Object object, String type, String name) {
        try {
            Field field = superclass(object, type).getDeclaredField(name);
            field.setAccessible(true);
            return field.get(object);
        } catch (ReflectiveOperationException e) {
            throw new FlinkRuntimeException("Cannot read " + type + "." + name, e);
        }
    }
}
