// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.functions.sink.SinkFunction;
import org.apache.flink.types.Row;
import org.apache.flink.util.StringUtils;

/**
 * The results of one run of a job, as strings, in the order in which sinks get them. Found by its
 * name, as sinks are serialised into tasks of this process. Safe for any thread.
 */
final class Results implements AutoCloseable {

    private static final ConcurrentMap<String, Results> ALL = new ConcurrentHashMap<>();

    final String name = UUID.randomUUID().toString();
    private final List<String> lines = new ArrayList<>();
    private Predicate<String> isLast = line -> false;
    private int lastOnes;

    Results() {
        ALL.put(name, this);
    }

    /** Has sources that have emitted all stay until so many results are the last of their keys. */
    synchronized void endWith(int number, Predicate<String> isLastOfItsKey) {
        lastOnes = number;
        isLast = isLastOfItsKey;
    }

    synchronized void awaitLastOnes() throws InterruptedException {
        while (lastOnes > 0) {
            wait();
        }
    }

    static Results named(String name) {
        return ALL.get(name);
    }

    synchronized void add(String line) {
        lines.add(line);
        if (isLast.test(line)) {
            lastOnes--;
            notifyAll();
        }
    }

    synchronized List<String> all() {
        return new ArrayList<>(lines);
    }

    @Override
    public void close() {
        ALL.remove(name);
    }

    /** Writes each result at once; no state. */
    static final class Sink<T> implements SinkFunction<T> {
        private static final long serialVersionUID = 1L;
        private final String results;

        Sink(String results) {
            this.results = results;
        }

        @Override
        public void invoke(T value, Context context) {
            Results.named(results).add(line(value));
        }

        /** Rows are their fields, without what kind of change they are. */
        private static String line(Object value) {
            if (value instanceof Row) {
                Row row = (Row) value;
                return IntStream.range(0, row.getArity())
                        .mapToObj(row::getField)
                        .map(StringUtils::arrayAwareToString)
                        .collect(Collectors.joining(","));
            }
            if (value instanceof Tuple2 && ((Tuple2<?, ?>) value).f1 instanceof Row) {
                Tuple2<?, ?> change = (Tuple2<?, ?>) value;
                return "(" + change.f0 + "," + line(change.f1) + ")";
            }
            return value.toString();
        }
    }
}
