// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.traffic;

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
import io.meces.experiments.cluster.Watchdog;
import io.meces.experiments.measure.Samples;
import io.meces.experiments.measure.Stages;
import io.meces.experiments.measure.Verdict;
import java.time.Duration;
import java.util.HashMap;
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
public final class NexmarkTraffic implements Traffic {
    private static final long FAR_AHEAD_MICROS = TimeUnit.HOURS.toMicros(24);

    /** Numbers from here on are those of the last markers. */
    private static final long LAST_MARKERS = Long.MAX_VALUE / 2;

    private final NexmarkQuery query;
    private final WindowLengths windows;
    private final JobTopics topics;
    private final long seed;
    private final int rate;
    private final int recordsPerMarker;
    private final OpenLoopSender sender;
    private final ResultReader<Lines> reader;
    private volatile long events;
    private EventGenerator generator;
    @Nullable private Map<String, Integer> expected;

    /**
     * Begins to read; nothing has been sent yet.
     *
     * @param rate events per second
     * @param recordsPerMarker after so many events there is a marker
     * @param watchdog told if sending or reading fails
     */
    public NexmarkTraffic(
            NexmarkQuery query,
            WindowLengths windows,
            long seed,
            int rate,
            int recordsPerMarker,
            JobTopics topics,
            Watchdog watchdog) {
        this.seed = seed;
        this.rate = rate;
        this.recordsPerMarker = recordsPerMarker;
        this.query = query;
        this.windows = windows;
        this.topics = topics;
        this.sender = new OpenLoopSender(topics.bootstrapServers, watchdog::fail);
        this.reader = new ResultReader<>(topics, new Lines(), watchdog, false);
    }

    /** Nothing: the state is that of the windows, which fill as the load goes on. */
    @Override
    public void prefill() {}

    @Override
    public long start() {
        long startMicros = EpochMicros.now();
        generator = new EventGenerator(seed, new OpenLoopSchedule(startMicros, rate));
        NexmarkLoad load =
                new NexmarkLoad(generator, topics.input, topics.partitions, recordsPerMarker);
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
        return (events + recordsPerMarker - 1) / recordsPerMarker;
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
    public Verdict abort(Duration timeout) throws InterruptedException {
        sender.abort(timeout);
        reader.abort(timeout);
        Verdict verdict = new Verdict();
        verdict.records = sender.sent();
        return verdict;
    }

    @Override
    public Verdict verdict(@Nullable Long stopped) {
        return compare(expected(), reader.results().seen, stopped);
    }

    /**
     * Compares two collections of lines, each with how often it is in them.
     *
     * @param stopped as of {@link Traffic#verdict}
     */
    static Verdict compare(
            Map<String, Integer> expected, Map<String, Line> seen, @Nullable Long stopped) {
        Verdict verdict = new Verdict();
        verdict.lost = 0L;
        expected.forEach(
                (text, times) -> {
                    verdict.records += times;
                    Line come = seen.get(text);
                    int difference = (come == null ? 0 : come.count) - times;
                    if (difference > 0
                            && stopped != null
                            && come.firstMicros < stopped
                            && come.lastMicros >= stopped) {
                        verdict.repeatedAtStop += difference;
                    } else if (difference != 0) {
                        verdict.lost += Math.max(0, -difference);
                        verdict.duplicated += Math.max(0, difference);
                        verdict.example((difference < 0 ? "lost: " : "duplicated: ") + text);
                    }
                });
        seen.forEach(
                (text, line) -> {
                    verdict.results += line.count;
                    if (!expected.containsKey(text)) {
                        verdict.unknown += line.count;
                        verdict.example("unknown: " + text);
                    }
                });
        return verdict;
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
