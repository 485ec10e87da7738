// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.load;

import io.meces.examples.keycount.EpochMicros;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import javax.annotation.Nullable;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Sends records to Kafka, by a thread of its own when they are due by an {@link OpenLoopSchedule}.
 * Those of a partition arrive in the order in which they were sent, each once.
 *
 * <p>Until {@link #start} and after {@link #stop} it belongs to the caller's thread.
 */
public final class OpenLoopSender implements AutoCloseable {

    /** The least time between looks at the schedule; more of them would cost a core. */
    private static final long TICK_NANOS = 1_000_000L;

    /**
     * How long a record waits for others to go with in one request; it is part of the latency. Sent
     * each 5 ms, the requests to fetch them and those with the results would take most of a machine
     * with two cores, whatever the rate.
     */
    private static final int LINGER_MILLIS = 20;

    private final KafkaProducer<byte[], byte[]> producer;
    private final Consumer<? super Exception> onFailure;
    private volatile long sent;
    private volatile long endMicros;
    private volatile boolean stopped;
    @Nullable private Thread thread;

    /** Makes the records of a schedule. Called in the order of the index, by one thread. */
    public interface Records {

        /**
         * What is to be sent.
         *
         * @param index the position in the schedule, from 0
         * @param dueMicros when that is due, in µs since the epoch
         * @param out takes any number of records
         */
        void due(long index, long dueMicros, Consumer<ProducerRecord<byte[], byte[]>> out);
    }

    /**
     * A sender that has sent nothing yet.
     *
     * @param bootstrapServers of Kafka
     * @param onFailure told by any thread if sending fails
     */
    public OpenLoopSender(String bootstrapServers, Consumer<? super Exception> onFailure) {
        Map<String, Object> config = new HashMap<>();
        config.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
        config.put(ProducerConfig.ACKS_CONFIG, "all");
        config.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        config.put(ProducerConfig.LINGER_MS_CONFIG, LINGER_MILLIS);
        this.producer =
                new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
        this.onFailure = onFailure;
    }

    /** Sends a record now. */
    public void send(ProducerRecord<byte[], byte[]> record) {
        producer.send(
                record,
                (metadata, failure) -> {
                    if (failure != null) {
                        onFailure.accept(failure);
                    }
                });
        sent = sent + 1;
    }

    /** Returns when Kafka has all that was sent. */
    public void flush() {
        producer.flush();
    }

    /** Starts to send what is due, at once what was due before. */
    public void start(OpenLoopSchedule schedule, Records records) {
        if (thread != null) {
            throw new IllegalStateException("A sender can be started once.");
        }
        thread = new Thread(() -> run(schedule, records), "open-loop-sender");
        thread.start();
    }

    /**
     * Stops sending; returns when Kafka has all that was sent.
     *
     * @return until when records were sent, in µs since the epoch
     * @throws TimeoutException if it has not after the time
     */
    public long stop(Duration timeout) throws InterruptedException, TimeoutException {
        abort(timeout);
        if (thread != null && thread.isAlive()) {
            throw new TimeoutException(
                    "Kafka has not taken all records after " + timeout.getSeconds() + " s.");
        }
        return endMicros;
    }

    /**
     * Stops sending, whatever has failed; what Kafka has not taken after the time, it may not get.
     */
    public void abort(Duration timeout) throws InterruptedException {
        stopped = true;
        if (thread != null) {
            LockSupport.unpark(thread);
            thread.join(timeout.toMillis());
        }
    }

    /** How many records have been sent. Any thread may ask. */
    public long sent() {
        return sent;
    }

    @Override
    public void close() {
        stopped = true;
        producer.close(Duration.ofSeconds(5));
    }

    private void run(OpenLoopSchedule schedule, Records records) {
        // The wall clock may be set while this runs.
        long startNanos = System.nanoTime();
        long startMicros = EpochMicros.now();
        try {
            long index = 0;
            while (!stopped) {
                long now = startMicros + (System.nanoTime() - startNanos) / 1_000L;
                long due = schedule.dueAt(now);
                for (; index < due && !stopped; index++) {
                    records.due(index, schedule.dueMicros(index), this::send);
                }
                long wait = TimeUnit.MICROSECONDS.toNanos(schedule.dueMicros(index) - now);
                LockSupport.parkNanos(Math.max(wait, TICK_NANOS));
            }
            endMicros = EpochMicros.now();
            producer.flush();
        } catch (RuntimeException e) {
            onFailure.accept(e);
        }
    }
}
