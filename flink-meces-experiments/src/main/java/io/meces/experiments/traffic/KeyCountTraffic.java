// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.traffic;

import io.meces.examples.keycount.CountResult;
import io.meces.examples.keycount.EpochMicros;
import io.meces.examples.keycount.Event;
import io.meces.examples.load.OpenLoopSchedule;
import io.meces.examples.load.OpenLoopSender;
import io.meces.experiments.cluster.Watchdog;
import io.meces.experiments.measure.ExactnessVerifier;
import io.meces.experiments.measure.Samples;
import io.meces.experiments.measure.Stages;
import io.meces.experiments.measure.Verdict;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import javax.annotation.Nullable;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * The events of the key-count job, and its counts: each key once at full speed, then what is wanted
 * on an open-loop schedule by a thread of its own. The events of a key go to one partition in the
 * order of their sequence numbers.
 */
public final class KeyCountTraffic implements Traffic {
    private static final Duration PRELOAD_STALL = Duration.ofSeconds(120);
    private static final int LEAST_PRELOADED_PER_SECOND = 10_000;
    private static final long LEAST_BYTES_PER_SECOND = 10_000_000;

    private final JobTopics topics;
    private final int payloadBytes;
    private final OpenLoopSender sender;
    private final ResultReader<Counts> reader;
    private final int[] sentPerKey;
    private int rate;
    private Load load;

    /** What is sent at a position of the schedule. */
    @FunctionalInterface
    public interface Load {
        /**
         * Sends any number of events.
         *
         * @param index the position, from 0
         * @param event sends one
         */
        void due(long index, Out event);
    }

    /** Sends an event of a key. */
    @FunctionalInterface
    public interface Out {
        void accept(int key, boolean marker);
    }

    /**
     * Begins to read; nothing has been sent yet.
     *
     * @param keys how many there are
     * @param payloadBytes of state of each, which the job may have to write to disks
     * @param watchdog told if sending or reading fails
     * @param committed whether to see only what committed transactions have written
     */
    public KeyCountTraffic(
            JobTopics topics, int keys, int payloadBytes, Watchdog watchdog, boolean committed) {
        this.topics = topics;
        this.payloadBytes = payloadBytes;
        this.sentPerKey = new int[keys];
        this.sender = new OpenLoopSender(topics.bootstrapServers, watchdog::fail);
        this.reader = new ResultReader<>(topics, new Counts(keys), watchdog, committed);
    }

    /**
     * What to send.
     *
     * @param positionsPerSecond of the schedule
     * @param events what goes at each of them
     */
    public KeyCountTraffic load(int positionsPerSecond, Load events) {
        rate = positionsPerSecond;
        load = events;
        return this;
    }

    /** An event of one of the keys at each position. */
    public KeyCountTraffic load(int positionsPerSecond, LongSupplier keys) {
        return load(
                positionsPerSecond, (index, event) -> event.accept((int) keys.getAsLong(), false));
    }

    /** Sends each key once, as fast as possible; returns when Kafka has them all. */
    public void preload() {
        for (int key = 0; key < sentPerKey.length; key++) {
            sender.send(next(key, EpochMicros.now(), false));
        }
        sender.flush();
    }

    /**
     * Sends each key once and waits until it is counted.
     *
     * @throws TimeoutException if they are not
     * @throws IOException if something else has failed meanwhile
     */
    @Override
    public void prefill() throws IOException, InterruptedException, TimeoutException {
        preload();
        int keys = sentPerKey.length;
        Duration limit =
                PRELOAD_STALL
                        .plusSeconds(keys / LEAST_PRELOADED_PER_SECOND)
                        .plusSeconds((long) keys * payloadBytes / LEAST_BYTES_PER_SECOND);
        if (!reader.await(keys, PRELOAD_STALL, limit)) {
            throw new TimeoutException(
                    String.format(
                            "Only %d of %d keys have been counted within %d s, or there was no"
                                    + " progress for %d s.",
                            reader.distinct(),
                            keys,
                            limit.getSeconds(),
                            PRELOAD_STALL.getSeconds()));
        }
    }

    @Override
    public long start() {
        long startMicros = EpochMicros.now();
        sender.start(
                new OpenLoopSchedule(startMicros, rate),
                (index, dueMicros, out) ->
                        load.due(index, (key, marker) -> out.accept(next(key, dueMicros, marker))));
        return startMicros;
    }

    private ProducerRecord<byte[], byte[]> next(int key, long dueMicros, boolean marker) {
        sentPerKey[key]++;
        Event event = new Event(key, sentPerKey[key], dueMicros, sender.sent(), marker);
        return new ProducerRecord<>(topics.input, key % topics.partitions, null, event.toBytes());
    }

    /** How many records have been sent. Any thread may ask. */
    public long sent() {
        return sender.sent();
    }

    /** Of how many different records a result has been read. Any thread may ask. */
    public long distinct() {
        return reader.distinct();
    }

    @Override
    public long stop(Duration timeout) throws InterruptedException, TimeoutException {
        return sender.stop(timeout);
    }

    @Override
    public boolean drain(Duration stall, Duration timeout)
            throws IOException, InterruptedException {
        return reader.await(sender.sent(), stall, timeout);
    }

    @Override
    public void finish(Duration timeout) throws InterruptedException, TimeoutException {
        reader.finish(timeout);
    }

    @Override
    public Verdict abort(Duration timeout) throws InterruptedException {
        sender.abort(timeout);
        Verdict verdict = new Verdict();
        if (reader.abort(timeout)) {
            verdict = reader.results().verifier.verdict(sentPerKey);
            // there may be results of them
            verdict.lost = null;
        }
        verdict.records = sender.sent();
        return verdict;
    }

    @Override
    public Samples results() {
        return reader.results().samples;
    }

    @Override
    public Samples markers() {
        return reader.results().markers;
    }

    @Override
    public Stages stages() {
        return reader.results().stages;
    }

    @Override
    public Verdict verdict(@Nullable Long stopped) {
        Verdict verdict = reader.results().verifier.verdict(sentPerKey);
        if (stopped != null) {
            verdict.repeatedAtStop =
                    reader.results().duplicates.stream()
                            .filter(times -> times[0] < stopped && times[1] >= stopped)
                            .count();
            verdict.duplicated -= verdict.repeatedAtStop;
        }
        if (verdict.isExact()) {
            verdict.examples.clear();
        }
        return verdict;
    }

    @Override
    public void close() {
        reader.close();
        sender.close();
    }

    /** The counts that have come, with the markers among them and the stages of their way. */
    private static final class Counts implements ResultReader.Results {
        private final ExactnessVerifier verifier;
        private final Samples samples = new Samples();
        private final Samples markers = new Samples();
        private final Stages stages = new Stages();

        /** Of results that came twice: when the record was due, when it was counted again. */
        private final List<long[]> duplicates = new ArrayList<>();

        private Counts(int keys) {
            this.verifier = new ExactnessVerifier(keys);
        }

        @Override
        public void accept(ConsumerRecord<byte[], byte[]> record) {
            CountResult result = CountResult.fromBytes(record.value());
            boolean duplicate = verifier.accept(result);
            samples.add(result.intendedMicros, record.timestamp());
            if (duplicate) {
                duplicates.add(new long[] {result.intendedMicros, result.processedMicros});
                return;
            }
            if (result.marker) {
                markers.add(result.intendedMicros, record.timestamp());
            }
            stages.add(
                    result.intendedMicros,
                    result.readMicros,
                    result.processedMicros,
                    (record.timestamp() + 1) * 1_000L);
        }

        @Override
        public long distinct() {
            return verifier.distinct();
        }
    }
}
