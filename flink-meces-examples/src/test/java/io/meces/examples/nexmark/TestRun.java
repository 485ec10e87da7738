// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.nexmark;

import io.meces.examples.load.OpenLoopSchedule;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.SinkFunction;
import org.apache.flink.streaming.api.functions.source.RichParallelSourceFunction;
import org.apache.flink.streaming.api.watermark.Watermark;

/**
 * A query over a number of generated events, on a cluster in this process: what its sources and
 * sinks share with the test, found by its name. Any thread.
 */
final class TestRun {
    static final int EVENTS_PER_MARKER = 40;

    private static final long START_MICROS = 1_700_000_000_000_000L;
    private static final int EVENTS_PER_SECOND = 200;

    private static final ConcurrentMap<String, TestRun> ALL = new ConcurrentHashMap<>();
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    final NexmarkQuery query;
    private final String name;
    private final WindowLengths windows;
    private final EventGenerator generator;
    private final int events;

    /** Sources emit the events before this one, slowly if there is still a limit. */
    private volatile int limit;

    private final Collection<Result> results = Collections.synchronizedList(new ArrayList<>());

    TestRun(NexmarkQuery query, long seed, int events) {
        this.query = query;
        this.name = query + "-" + NUMBERS.incrementAndGet();
        this.windows = windows(query);
        this.generator =
                new EventGenerator(seed, new OpenLoopSchedule(START_MICROS, EVENTS_PER_SECOND));
        this.events = events;
        this.limit = events;
        ALL.put(name, this);
    }

    /** Windows of which some thousand events fill several. */
    private static WindowLengths windows(NexmarkQuery query) {
        WindowLengths lengths = query.windows();
        return lengths.with(
                lengths.sizeMillis == 0 ? 0 : query == NexmarkQuery.Q3 ? 8_000 : 4_000,
                lengths.slideMillis == 0 ? 0 : 1_000);
    }

    void build(StreamExecutionEnvironment env) {
        Queries.add(
                        query,
                        env.addSource(new Source(name), EventType.ANY).name("events").uid("events"),
                        windows)
                .addSink(new Sink(name))
                .name("results")
                .uid("results");
    }

    /** Lets the sources emit so many events, slowly, and no more. */
    void holdAt(int event) {
        limit = event;
    }

    /** Lets the sources emit all events as fast as they can. */
    void release() {
        limit = events;
    }

    void awaitMarkers(int number) throws Exception {
        long deadline = System.nanoTime() + 60_000_000_000L;
        while (markers().size() < number) {
            if (System.nanoTime() > deadline) {
                throw new TimeoutException("There are " + markers().size() + " markers.");
            }
            LockSupport.parkNanos(10_000_000);
        }
    }

    List<String> lines() {
        return snapshot().stream()
                .filter(result -> !result.marker)
                .map(result -> result.line)
                .sorted()
                .collect(Collectors.toList());
    }

    /** The numbers of the markers that have come out, in their order. */
    List<Long> markers() {
        return snapshot().stream()
                .filter(result -> result.marker)
                .map(result -> Long.valueOf(result.line))
                .sorted()
                .collect(Collectors.toList());
    }

    List<Result> snapshot() {
        synchronized (results) {
            return new ArrayList<>(results);
        }
    }

    List<String> expectedLines() {
        List<Event> all = new ArrayList<>();
        for (int n = 0; n < events; n++) {
            all.add(generator.event(n));
        }
        return ReferenceQueries.lines(query, all, windows);
    }

    List<Long> expectedMarkers() {
        List<Long> all = new ArrayList<>();
        for (long n = 0; n < events; n += EVENTS_PER_MARKER) {
            all.add(n / EVENTS_PER_MARKER);
        }
        return all;
    }

    /** When the last event was to be sent. */
    long endMicros() {
        return generator.schedule().dueMicros(events - 1);
    }

    /** The events of all subtasks in turn, with watermarks right behind them. */
    private static final class Source extends RichParallelSourceFunction<Event> {
        private static final long serialVersionUID = 1L;
        private static final long PACE_NANOS = 1_000_000;

        private final String run;
        private volatile boolean running = true;

        Source(String run) {
            this.run = run;
        }

        @Override
        public void run(SourceContext<Event> out) {
            TestRun test = ALL.get(run);
            int step = getRuntimeContext().getNumberOfParallelSubtasks();
            int n = getRuntimeContext().getIndexOfThisSubtask();
            while (running && n < test.events) {
                if (test.limit < test.events) {
                    LockSupport.parkNanos(PACE_NANOS);
                }
                if (n < test.limit) {
                    synchronized (out.getCheckpointLock()) {
                        emit(n, test, out);
                    }
                    n += step;
                }
            }
        }

        private static void emit(int n, TestRun test, SourceContext<Event> out) {
            Event event = test.generator.event(n);
            out.collectWithTimestamp(event, event.time());
            if (n % EVENTS_PER_MARKER == 0) {
                Marker marker = new Marker(n / EVENTS_PER_MARKER, event.timeMicros);
                out.collectWithTimestamp(marker, marker.time());
            }
            out.emitWatermark(new Watermark(event.time() - 1));
        }

        @Override
        public void cancel() {
            running = false;
        }
    }

    private static final class Sink implements SinkFunction<Result> {
        private static final long serialVersionUID = 1L;

        private final String run;

        Sink(String run) {
            this.run = run;
        }

        @Override
        public void invoke(Result result, Context context) {
            ALL.get(run).results.add(result);
        }
    }
}
