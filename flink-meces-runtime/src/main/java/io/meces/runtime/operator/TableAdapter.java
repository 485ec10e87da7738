// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.operator;

import io.meces.flink.runtime.TableCaches;
import io.meces.runtime.sink.ConnectorReflection;
import io.meces.state.ForgetsKeys;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import org.apache.flink.shaded.guava18.com.google.common.cache.Cache;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.operators.AbstractUdfStreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperator;

/**
 * Drops what operators of the Table API keep of keys in fields, besides that in the backend. On a
 * stock Flink that is sound: while an operator lives, its keys stay. Here a key may leave, with
 * what the backend has, and come back when the fields have become outdated.
 *
 * <ul>
 *   <li>Top-N that only sees additions reads through a cache by partition key.
 *   <li>Top-N that sees updates, and that of one row since 1.20, write to state only at a
 *       checkpoint or when the cache is full. They are told to write as at a checkpoint.
 *   <li>Merging windows (sessions) read the windows of each key through a cache.
 * </ul>
 *
 * <p>The Table API is not on the class path, or is in the class loader of a job: its classes are
 * known by name.
 *
 * <p>Stateless.
 */
final class TableAdapter implements OperatorAdapter {

    @Override
    public boolean knows(StreamOperator<?> operator) {
        return !caches(operator).isEmpty();
    }

    @Override
    public ForgetsKeys adapt(StreamOperator<?> operator) {
        Object code = code(operator);
        return new Caches(
                code instanceof CheckpointedFunction ? (CheckpointedFunction) code : null,
                caches(operator));
    }

    private static List<Map<?, ?>> caches(StreamOperator<?> operator) {
        return TableCaches.PATHS.stream()
                .flatMap(
                        path ->
                                Stream.of(operator, code(operator))
                                        .map(start -> follow(start, path))
                                        .filter(Objects::nonNull))
                .map(cache -> cache instanceof Cache ? ((Cache<?, ?>) cache).asMap() : cache)
                .map(cache -> (Map<?, ?>) cache)
                .collect(Collectors.toList());
    }

    @Nullable
    private static Object code(StreamOperator<?> operator) {
        return operator instanceof AbstractUdfStreamOperator
                ? ((AbstractUdfStreamOperator<?, ?>) operator).getUserFunction()
                : null;
    }

    /** What is at the end of a path; null if it does not begin here, or if nothing is open yet. */
    @Nullable
    private static Object follow(@Nullable Object start, List<String> path) {
        Object at = start;
        for (String field : path) {
            int dot = field.lastIndexOf('.');
            String declaring = field.substring(0, dot);
            if (ConnectorReflection.superclass(at, declaring) == null) {
                return null;
            }
            at = ConnectorReflection.get(at, declaring, field.substring(dot + 1));
        }
        return at;
    }

    /** Those of one operator. Owned by the task thread. */
    private static final class Caches implements ForgetsKeys {
        @Nullable private final CheckpointedFunction writer;
        private final List<Map<?, ?>> caches;

        Caches(@Nullable CheckpointedFunction writer, List<Map<?, ?>> caches) {
            this.writer = writer;
            this.caches = caches;
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
