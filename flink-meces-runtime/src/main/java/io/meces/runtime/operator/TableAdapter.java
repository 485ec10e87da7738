// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.operator;

import io.meces.runtime.sink.ConnectorReflection;
import io.meces.state.ForgetsKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.operators.AbstractUdfStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperator;

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
 * <p>Stateless.
 */
final class TableAdapter implements OperatorAdapter {

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

    @Override
    public boolean knows(StreamOperator<?> operator) {
        return isTopNOf(operator, TOP_N_OF_ADDITIONS)
                || isTopNOf(operator, TOP_N_OF_UPDATES)
                || mergingFunction(operator) != null;
    }

    @Override
    public ForgetsKeys adapt(StreamOperator<?> operator) {
        Object merging = mergingFunction(operator);
        if (merging != null) {
            Object windows = ConnectorReflection.get(merging, MERGING, WINDOW_SET);
            return new Caches(
                    null,
                    ConnectorReflection.get(windows, windows.getClass().getName(), SORTED_WINDOWS));
        }
        Object function = ((AbstractUdfStreamOperator<?, ?>) operator).getUserFunction();
        return isTopNOf(operator, TOP_N_OF_ADDITIONS)
                ? new Caches(null, ConnectorReflection.get(function, TOP_N_OF_ADDITIONS, BUFFERS))
                : new Caches(
                        (CheckpointedFunction) function,
                        ConnectorReflection.get(function, TOP_N_OF_UPDATES, BUFFERS),
                        ConnectorReflection.get(function, TOP_N_OF_UPDATES, ROWS));
    }

    private static boolean isTopNOf(StreamOperator<?> operator, String function) {
        return operator instanceof AbstractUdfStreamOperator
                && ConnectorReflection.superclass(
                                ((AbstractUdfStreamOperator<?, ?>) operator).getUserFunction(),
                                function)
                        != null;
    }

    /** Of a window operator whose windows merge; otherwise null. */
    @Nullable
    private static Object mergingFunction(StreamOperator<?> operator) {
        if (ConnectorReflection.superclass(operator, WINDOWS) == null) {
            return null;
        }
        Object function = ConnectorReflection.get(operator, WINDOWS, WINDOW_FUNCTION);
        return ConnectorReflection.superclass(function, MERGING) == null ? null : function;
    }

    /** Those of one operator. Owned by the task thread. */
    private static final class Caches implements ForgetsKeys {
        @Nullable private final CheckpointedFunction writer;
        private final List<Map<?, ?>> caches = new ArrayList<>();

        Caches(@Nullable CheckpointedFunction writer, Object... caches) {
            this.writer = writer;
            for (Object cache : caches) {
                this.caches.add((Map<?, ?>) cache);
            }
        }

        @Override
        public void forgetKeys() throws Exception {
            if (writer != null) {
                // it does not look at the context
                writer.snapshotState(null);
            }
            caches.forEach(Map::clear);
        }
    }
}
