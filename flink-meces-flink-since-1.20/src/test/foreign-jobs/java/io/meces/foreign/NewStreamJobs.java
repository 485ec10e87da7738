// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import static io.meces.foreign.Comparison.ORDER_PER_KEY;
import static io.meces.foreign.Comparison.RESULTS;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.operators.Order;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple4;
import org.apache.flink.cep.CEP;
import org.apache.flink.cep.functions.PatternProcessFunction;
import org.apache.flink.cep.pattern.Pattern;
import org.apache.flink.cep.pattern.WithinType;
import org.apache.flink.cep.pattern.conditions.SimpleCondition;
import org.apache.flink.connector.file.src.FileSource;
import org.apache.flink.streaming.api.datastream.AsyncDataStream;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.KeyedStream;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.streaming.api.functions.async.AsyncRetryStrategy;
import org.apache.flink.streaming.api.functions.async.ResultFuture;
import org.apache.flink.streaming.api.functions.async.RichAsyncFunction;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.assigners.EventTimeSessionWindows;
import org.apache.flink.streaming.api.windowing.assigners.GlobalWindows;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.time.Time;
import org.apache.flink.streaming.api.windowing.windows.GlobalWindow;
import org.apache.flink.streaming.api.windowing.windows.Window;
import org.apache.flink.streaming.util.retryable.AsyncRetryStrategies;
import org.apache.flink.streaming.util.retryable.RetryPredicates;
import org.apache.flink.util.Collector;

/** What the DataStream API has got since 1.12. */
final class NewStreamJobs {

    private NewStreamJobs() {}

    static List<ForeignJob> all() {
        List<ForeignJob> jobs = new ArrayList<>();
        jobs.add(new ForeignJob("generated records", ORDER_PER_KEY, NewStreamJobs::generated));
        jobs.add(new ForeignJob("generated sessions", RESULTS, NewStreamJobs::sessions));
        jobs.add(new ForeignJob("aligned watermarks", RESULTS, NewStreamJobs::aligned));
        jobs.add(new ForeignJob("idle source", RESULTS, NewStreamJobs::idle));
        jobs.add(new ForeignJob("lines of files", RESULTS, NewStreamJobs::files));
        jobs.add(new ForeignJob("calls with retries before", RESULTS, NewStreamJobs::retries));
        jobs.add(new ForeignJob("window until the end", RESULTS, NewStreamJobs::untilTheEnd));
        jobs.add(new ForeignJob("partition of each key", RESULTS, NewStreamJobs::partition));
        jobs.add(new ForeignJob("sorted partition of each key", RESULTS, NewStreamJobs::sorted));
        jobs.add(new ForeignJob("CEP within two events", RESULTS, NewStreamJobs::withinTwo));
        return jobs;
    }

    private static KeyedStream<Tuple4<Long, Integer, Integer, Long>, Integer> keyed(
            DataStream<Tuple4<Long, Integer, Integer, Long>> events) {
        return events.keyBy(e -> e.f1, Types.INT);
    }

    private static void generated(Run run) {
        run.collect(HabitJobs.numbered(keyed(Generated.events(run, "a", 1))), e -> e.f0);
    }

    private static void sessions(Run run) {
        run.collect(
                keyed(Generated.events(run, "a", 2))
                        .window(EventTimeSessionWindows.withGap(Time.milliseconds(300)))
                        .process(new Ids<>()));
    }

    /** The faster of two sources waits for the slower one. */
    private static void aligned(Run run) {
        run.collect(
                keyed(alignedEvents(run, "a", 0).union(alignedEvents(run, "b", 1)))
                        .window(TumblingEventTimeWindows.of(Time.milliseconds(500)))
                        .process(new Ids<>()));
    }

    private static DataStream<Tuple4<Long, Integer, Integer, Long>> alignedEvents(
            Run run, String name, int factor) {
        return Generated.events(
                run,
                name,
                2,
                Generated.watermarks()
                        .withWatermarkAlignment(
                                "all", Duration.ofSeconds(2 + factor), Duration.ofMillis(50)));
    }

    /** One source has no record until the end; windows go on. */
    private static void idle(Run run) {
        DataStream<Tuple4<Long, Integer, Integer, Long>> none =
                Generated.events(
                                run,
                                "b",
                                1,
                                WatermarkStrategy
                                        .<Tuple4<Long, Integer, Integer, Long>>noWatermarks()
                                        .withIdleness(Duration.ofMillis(50)))
                        .filter(e -> false);
        run.collect(
                keyed(Generated.events(run, "a", 2).union(none))
                        .window(TumblingEventTimeWindows.of(Time.milliseconds(500)))
                        .process(new Ids<>()));
    }

    private static void files(Run run) throws Exception {
        Path folder =
                Files.createTempDirectory(
                        Files.createDirectories(Paths.get("target").toAbsolutePath()), "lines");
        Run.Events events = new Run.Events(7);
        for (int file = 0; file < Run.PARALLELISM; file++) {
            int first = file;
            Files.write(
                    folder.resolve("file" + file),
                    LongStream.range(0, Run.RECORDS / Run.PARALLELISM)
                            .map(n -> n * Run.PARALLELISM + first)
                            .mapToObj(n -> events.record(n).f1 + " " + n)
                            .collect(Collectors.toList()),
                    StandardCharsets.UTF_8);
        }
        run.feed.expect(Run.PARALLELISM);
        run.collect(
                run.env
                        .fromSource(
                                FileSource.forRecordStreamFormat(
                                                new FeedLines(
                                                        run.feed.name,
                                                        Run.RECORDS / Run.PARALLELISM),
                                                new org.apache.flink.core.fs.Path(folder.toUri()))
                                        .build(),
                                WatermarkStrategy.noWatermarks(),
                                "files")
                        .setParallelism(Run.PARALLELISM)
                        .keyBy(line -> line.substring(0, line.indexOf(' ')), Types.STRING)
                        .map(new HabitJobs.CountPerKey<>(), Types.LONG)
                        .map(count -> "count " + count)
                        .returns(Types.STRING));
    }

    private static void retries(Run run) {
        AsyncRetryStrategy<Tuple4<Long, Integer, Integer, Long>> twice =
                new AsyncRetryStrategies.FixedDelayRetryStrategyBuilder<
                                Tuple4<Long, Integer, Integer, Long>>(3, 1L)
                        .ifException(RetryPredicates.HAS_EXCEPTION_PREDICATE)
                        .build();
        run.collect(
                keyed(
                                AsyncDataStream.orderedWaitWithRetry(
                                        Generated.events(run, "a", 2),
                                        new Failing(),
                                        60,
                                        TimeUnit.SECONDS,
                                        20,
                                        twice))
                        .window(TumblingEventTimeWindows.of(Time.milliseconds(500)))
                        .process(new Ids<>()));
    }

    private static void untilTheEnd(Run run) {
        run.env.getCheckpointConfig().disableCheckpointing();
        run.collect(
                keyed(Generated.events(run, "a", 2))
                        .window(GlobalWindows.createWithEndOfStreamTrigger())
                        .process(new Ids<GlobalWindow>()));
    }

    private static void partition(Run run) {
        run.env.getCheckpointConfig().disableCheckpointing();
        run.collect(
                keyed(Generated.events(run, "a", 2))
                        .fullWindowPartition()
                        .mapPartition(
                                (Iterable<Tuple4<Long, Integer, Integer, Long>> events,
                                        Collector<String> out) -> {
                                    List<Tuple4<Long, Integer, Integer, Long>> all =
                                            new ArrayList<>();
                                    events.forEach(all::add);
                                    out.collect(ids(all));
                                })
                        .returns(Types.STRING));
    }

    /** Two records of a key follow each other in the same subtask. */
    private static void sorted(Run run) {
        run.env.getCheckpointConfig().disableCheckpointing();
        run.collect(
                keyed(Generated.events(run, "a", 2))
                        .fullWindowPartition()
                        .sortPartition(e -> e.f0, Order.ASCENDING)
                        .process(new Neighbours()));
    }

    private static void withinTwo(Run run) {
        Pattern<Tuple4<Long, Integer, Integer, Long>, ?> pattern =
                Pattern.<Tuple4<Long, Integer, Integer, Long>>begin("low")
                        .where(SimpleCondition.of(e -> e.f2 < 30))
                        .followedBy("high")
                        .where(SimpleCondition.of(e -> e.f2 > 80))
                        .within(Time.milliseconds(400), WithinType.PREVIOUS_AND_CURRENT);
        run.collect(
                CEP.pattern(keyed(Generated.events(run, "a", 1)), pattern).process(new Matches()));
    }

    private static String ids(Iterable<Tuple4<Long, Integer, Integer, Long>> events) {
        List<Long> ids = new ArrayList<>();
        int key = -1;
        for (Tuple4<Long, Integer, Integer, Long> event : events) {
            ids.add(event.f0);
            key = event.f1;
        }
        Collections.sort(ids);
        return key + " " + ids;
    }

    private static final class Ids<W extends Window>
            extends ProcessWindowFunction<
                    Tuple4<Long, Integer, Integer, Long>, String, Integer, W> {
        private static final long serialVersionUID = 1L;

        @Override
        public void process(
                Integer key,
                Context context,
                Iterable<Tuple4<Long, Integer, Integer, Long>> events,
                Collector<String> out) {
            out.collect(ids(events));
        }
    }

    private static final class Matches
            extends PatternProcessFunction<Tuple4<Long, Integer, Integer, Long>, String> {
        private static final long serialVersionUID = 1L;

        @Override
        public void processMatch(
                Map<String, List<Tuple4<Long, Integer, Integer, Long>>> match,
                Context context,
                Collector<String> out) {
            out.collect(match.get("low").get(0).f0 + " " + match.get("high").get(0).f0);
        }
    }

    /** Says of each record which one of its key was before it. */
    private static final class Neighbours
            extends ProcessFunction<Tuple4<Long, Integer, Integer, Long>, String> {
        private static final long serialVersionUID = 1L;
        private final Map<Integer, Long> last = new HashMap<>();

        @Override
        public void processElement(
                Tuple4<Long, Integer, Integer, Long> event,
                Context context,
                Collector<String> out) {
            out.collect(last.put(event.f1, event.f0) + " " + event.f0);
        }
    }

    /** Fails at the first try of each fifth record. */
    private static final class Failing
            extends RichAsyncFunction<
                    Tuple4<Long, Integer, Integer, Long>, Tuple4<Long, Integer, Integer, Long>> {
        private static final long serialVersionUID = 1L;
        private transient Set<Long> failed;

        @Override
        public void open(OpenContext context) {
            failed = ConcurrentHashMap.newKeySet();
        }

        @Override
        public void asyncInvoke(
                Tuple4<Long, Integer, Integer, Long> event,
                ResultFuture<Tuple4<Long, Integer, Integer, Long>> result) {
            CompletableFuture.runAsync(
                    () -> {
                        if (event.f0 % 5 == 0 && failed.add(event.f0)) {
                            result.completeExceptionally(new IllegalStateException("busy"));
                        } else {
                            result.complete(Collections.singletonList(event));
                        }
                    });
        }
    }
}
