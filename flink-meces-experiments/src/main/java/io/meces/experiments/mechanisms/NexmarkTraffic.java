// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.mechanisms;

import static java.util.stream.Collectors.toList;

import io.meces.examples.keycount.EpochMicros;
import io.meces.examples.load.OpenLoopSchedule;
import io.meces.examples.load.OpenLoopSender;
import io.meces.examples.nexmark.EventGenerator;
import io.meces.examples.nexmark.Marker;
import io.meces.examples.nexmark.NexmarkLoad;
import io.meces.examples.nexmark.NexmarkQuery;
import io.meces.examples.nexmark.ReferenceQueries;
import io.meces.examples.nexmark.Result;
import io.meces.examples.nexmark.WindowLengths;
import io.meces.experiments.harness.JobTopics;
import io.meces.experiments.harness.ResultReader;
import io.meces.experiments.harness.Samples;
import io.meces.experiments.run.Watchdog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.LongStream;
import javax.annotation.Nullable;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * The events of NEXMark, and the lines of a query. Behind the load comes a last marker in each
 * partition with a time far ahead: all windows end, and the lines are those of all events.
 */
final class NexmarkTraffic implements Traffic {
    private static final int MAX_EXAMPLES = 5;
    private static final long FAR_AHEAD_MICROS = TimeUnit.HOURS.toMicros(24);

    /** Numbers from here on are those of the last markers. */
    private static final long LAST_MARKERS = Long.MAX_VALUE / 2;

    private final NexmarkOptions options;
    private final NexmarkQuery query;
    private final WindowLengths windows;
    private final JobTopics topics;
    private final OpenLoopSender sender;
    private final ResultReader<Lines> reader;
    private volatile long events;
    private EventGenerator generator;
    @Nullable private Map<String, Integer> expected;

    NexmarkTraffic(
            NexmarkOptions options,
            NexmarkQuery query,
            WindowLengths windows,
            JobTopics topics,
            Watchdog watchdog) {
        this.options = options;
        this.query = query;
        this.windows = windows;
        this.topics = topics;
        this.sender = new OpenLoopSender(topics.bootstrapServers, watchdog::fail);
        this.reader =
                new ResultReader<>(
                        topics.bootstrapServers,
                        topics.output,
                        topics.partitions,
                        new Lines(),
                        watchdog,
                        false);
    }

    /** Nothing: the state is that of the windows, which fill as the load goes on. */
    @Override
    public void prefill() {}

    @Override
    public long start() {
        long startMicros = EpochMicros.now();
        generator =
                new EventGenerator(options.seed, new OpenLoopSchedule(startMicros, options.rate()));
        NexmarkLoad load =
                new NexmarkLoad(
                        generator, topics.input, topics.partitions, options.recordsPerMarker());
        sender.start(
                generator.schedule(),
                (index, dueMicros, out) -> {
                    load.due(index, dueMicros, out);
                    events = index + 1;
                });
        return startMicros;
    }

    @Override
    public long stop(Duration timeout) throws InterruptedException, TimeoutException {
        long endMicros = sender.stop(timeout);
        reader.results().loadEndMillis = endMicros / 1_000;
        for (int partition = 0; partition < topics.partitions; partition++) {
            Marker last = new Marker(LAST_MARKERS + partition, endMicros + FAR_AHEAD_MICROS);
            sender.send(new ProducerRecord<>(topics.input, partition, null, last.toBytes()));
        }
        sender.flush();
        return endMicros;
    }

    private long markersSent() {
        return (events + options.recordsPerMarker() - 1) / options.recordsPerMarker();
    }

    /** All lines and markers, each with how often it is to come. For when the load has ended. */
    private Map<String, Integer> expected() {
        if (expected == null) {
            Map<String, Integer> lines = new HashMap<>();
            ReferenceQueries.lines(
                            query,
                            LongStream.range(0, events)
                                    .mapToObj(generator::event)
                                    .collect(toList()),
                            windows)
                    .forEach(line -> lines.merge(line, 1, Integer::sum));
            LongStream.range(0, markersSent()).forEach(number -> lines.put(markerName(number), 1));
            LongStream.range(0, topics.partitions)
                    .forEach(partition -> lines.put(markerName(LAST_MARKERS + partition), 1));
            expected = lines;
        }
        return expected;
    }

    @Override
    public boolean drain(Duration stall, Duration timeout) throws Exception {
        Map<String, Integer> lines = expected();
        reader.results().expected = lines;
        return reader.await(
                lines.values().stream().mapToLong(Integer::longValue).sum(), stall, timeout);
    }

    @Override
    public void finish(Duration timeout) throws InterruptedException, TimeoutException {
        reader.finish(timeout);
    }

    @Override
    public Samples results() {
        return reader.results().samples;
    }

    @Override
    public Samples markers() {
        return reader.results().markerSamples;
    }

    @Override
    public Stages stages() {
        return null;
    }

    @Override
    public Exactness exactness(@Nullable Long stopped) {
        return compare(expected(), reader.results().seen, stopped);
    }

    /**
     * Compares two collections of lines, each with how often it is in them.
     *
     * @param stopped as of {@link Traffic#exactness}
     */
    static Exactness compare(
            Map<String, Integer> expected, Map<String, Line> seen, @Nullable Long stopped) {
        long lost = 0;
        long duplicated = 0;
        long repeatedAtStop = 0;
        long unknown = 0;
        List<String> examples = new ArrayList<>();
        for (Map.Entry<String, Integer> line : expected.entrySet()) {
            Line come = seen.get(line.getKey());
            int difference = (come == null ? 0 : come.count) - line.getValue();
            if (difference > 0
                    && stopped != null
                    && come.firstMicros < stopped
                    && come.lastMicros >= stopped) {
                repeatedAtStop += difference;
                continue;
            }
            lost += Math.max(0, -difference);
            duplicated += Math.max(0, difference);
            if (difference != 0 && examples.size() < MAX_EXAMPLES) {
                examples.add((difference < 0 ? "lost: " : "duplicated: ") + line.getKey());
            }
        }
        for (Map.Entry<String, Line> line : seen.entrySet()) {
            if (!expected.containsKey(line.getKey())) {
                unknown += line.getValue().count;
                if (examples.size() < MAX_EXAMPLES) {
                    examples.add("unknown: " + line.getKey());
                }
            }
        }
        return new Exactness(
                expected.values().stream().mapToLong(Integer::longValue).sum(),
                seen.values().stream().mapToLong(line -> line.count).sum(),
                lost,
                duplicated,
                repeatedAtStop,
                null,
                unknown,
                examples);
    }

    private static String markerName(long number) {
        return "marker " + number;
    }

    @Override
    public void close() {
        reader.close();
        sender.close();
    }

    /** How often a line has come, and when it was given first and last. */
    static final class Line {
        private final long firstMicros;
        private long lastMicros;
        private int count;

        Line(long firstMicros) {
            this.firstMicros = firstMicros;
        }

        void again(long micros) {
            lastMicros = micros;
            count++;
        }
    }

    /** The lines and markers that have come. */
    private static final class Lines implements ResultReader.Results {
        private final Map<String, Line> seen = new HashMap<>();
        private final Samples samples = new Samples();
        private final Samples markerSamples = new Samples();

        /** What is to come; null while that is not known. */
        @Nullable private volatile Map<String, Integer> expected;

        /** Later lines are those that the last markers have brought forth. */
        private volatile long loadEndMillis = Long.MAX_VALUE;

        @Override
        public void accept(ConsumerRecord<byte[], byte[]> record) {
            Result result = Result.fromBytes(record.value());
            seen.computeIfAbsent(result.toString(), text -> new Line(result.emittedMicros))
                    .again(result.emittedMicros);
            if (!result.marker && record.timestamp() <= loadEndMillis) {
                samples.add(result.timeMicros, record.timestamp());
            } else if (result.marker && Long.parseLong(result.line) < LAST_MARKERS) {
                markerSamples.add(result.timeMicros, record.timestamp());
            }
        }

        /** Of what is to come; 0 while that is not known. */
        @Override
        public long distinct() {
            if (expected == null) {
                return 0;
            }
            long come = 0;
            for (Map.Entry<String, Integer> line : expected.entrySet()) {
                Line of = seen.get(line.getKey());
                come += of == null ? 0 : Math.min(of.count, line.getValue());
            }
            return come;
        }
    }
}
