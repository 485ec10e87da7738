// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.harness;

import io.meces.examples.keycount.EpochMicros;
import io.meces.examples.keycount.Event;
import io.meces.examples.load.OpenLoopSchedule;
import io.meces.examples.load.OpenLoopSender;
import io.meces.experiments.run.Watchdog;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Sends events: each key once at full speed, then random ones on an open-loop schedule by a thread
 * of its own. The events of a key go to one partition in the order of their sequence numbers.
 */
public final class LoadGenerator implements AutoCloseable {
    private static final Duration PRELOAD_STALL = Duration.ofSeconds(60);
    private static final int LEAST_PRELOADED_PER_SECOND = 10_000;
    private static final long LEAST_BYTES_PER_SECOND = 10_000_000;

    private final OpenLoopSender sender;
    private final String topic;
    private final int partitions;
    private final int[] sentPerKey;

    /**
     * A generator that has sent nothing yet.
     *
     * @param bootstrapServers of Kafka
     * @param topic where to
     * @param partitions of the topic
     * @param keys how many there are
     * @param watchdog told if sending fails
     */
    public LoadGenerator(
            String bootstrapServers, String topic, int partitions, int keys, Watchdog watchdog) {
        this.sender = new OpenLoopSender(bootstrapServers, watchdog::fail);
        this.topic = topic;
        this.partitions = partitions;
        this.sentPerKey = new int[keys];
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
     * @param reader of the counts
     * @param bytesPerKey of state, which the job may have to write to disks
     * @throws TimeoutException if they do not come
     * @throws IOException if something else has failed meanwhile
     */
    public void preload(ResultReader<?> reader, int bytesPerKey)
            throws IOException, InterruptedException, TimeoutException {
        preload();
        int keys = sentPerKey.length;
        Duration limit =
                PRELOAD_STALL
                        .plusSeconds(keys / LEAST_PRELOADED_PER_SECOND)
                        .plusSeconds((long) keys * bytesPerKey / LEAST_BYTES_PER_SECOND);
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

    /**
     * Starts to send.
     *
     * @param rate records per second
     * @param keys draws the keys
     * @return when the first record is due, in µs since the epoch
     */
    public long start(int rate, LongSupplier keys) {
        return start(
                rate, (index, dueMicros, event) -> event.accept((int) keys.getAsLong(), false));
    }

    /**
     * Starts to send.
     *
     * @param rate positions of the schedule per second
     * @param events what goes at each of them
     * @return when the first one is due, in µs since the epoch
     */
    public long start(int rate, Events events) {
        long startMicros = EpochMicros.now();
        sender.start(
                new OpenLoopSchedule(startMicros, rate),
                (index, dueMicros, out) ->
                        events.due(
                                index,
                                dueMicros,
                                (key, marker) -> out.accept(next(key, dueMicros, marker))));
        return startMicros;
    }

    /** What is sent at a position of the schedule. */
    @FunctionalInterface
    public interface Events {

        /**
         * Sends any number of events.
         *
         * @param index the position, from 0
         * @param dueMicros when it is due, in µs since the epoch
         * @param event sends one
         */
        void due(long index, long dueMicros, Out event);
    }

    /** Sends an event of a key. */
    @FunctionalInterface
    public interface Out {
        void accept(int key, boolean marker);
    }

    /** As {@link OpenLoopSender#stop}. */
    public long stop(Duration timeout) throws InterruptedException, TimeoutException {
        return sender.stop(timeout);
    }

    /** As {@link OpenLoopSender#abort}. */
    public void abort(Duration timeout) throws InterruptedException {
        sender.abort(timeout);
    }

    /** How many records have been sent. Any thread may ask. */
    public long sent() {
        return sender.sent();
    }

    /**
     * How many records of each key have been sent. For when the generator has stopped; before that,
     * those of which {@link #sent()} has told are in it.
     */
    public int[] sentPerKey() {
        return sentPerKey;
    }

    @Override
    public void close() {
        sender.close();
    }

    private ProducerRecord<byte[], byte[]> next(int key, long dueMicros, boolean marker) {
        int sequence = sentPerKey[key] + 1;
        sentPerKey[key] = sequence;
        Event event = new Event(key, sequence, dueMicros, sender.sent(), marker);
        return new ProducerRecord<>(topic, key % partitions, null, event.toBytes());
    }
}
