/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.examples.demo;

import io.meces.examples.keycount.EpochMicros;
import io.meces.examples.keycount.Event;
import io.meces.examples.run.Watchdog;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import javax.annotation.Nullable;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Sends events: each key once at full speed, then random ones on an open-loop schedule by a thread
 * of its own. The events of a key go to one partition in the order of their sequence numbers.
 */
final class LoadGenerator implements AutoCloseable {

    /** The least time between looks at the schedule; more of them would cost a core. */
    private static final long TICK_NANOS = 1_000_000L;

    /** How long a record waits for others to go with; it is part of the latency. */
    private static final int LINGER_MILLIS = 5;

    private final KafkaProducer<byte[], byte[]> producer;
    private final String topic;
    private final int partitions;
    private final Watchdog watchdog;
    private final int[] sentPerKey;
    private volatile long sent;
    private volatile long endMicros;
    private volatile boolean stopped;
    @Nullable private Thread thread;

    /**
     * A generator that has sent nothing yet.
     *
     * @param bootstrapServers of Kafka
     * @param topic where to
     * @param partitions of the topic
     * @param keys how many there are
     * @param watchdog told if sending fails
     */
    LoadGenerator(
            String bootstrapServers, String topic, int partitions, int keys, Watchdog watchdog) {
        Map<String, Object> config = new HashMap<>();
        config.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
        config.put(ProducerConfig.ACKS_CONFIG, "all");
        config.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        config.put(ProducerConfig.LINGER_MS_CONFIG, LINGER_MILLIS);
        this.producer =
                new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
        this.topic = topic;
        this.partitions = partitions;
        this.watchdog = watchdog;
        this.sentPerKey = new int[keys];
    }

    /** Sends each key once, as fast as possible; returns when Kafka has them all. */
    void preload() {
        for (int key = 0; key < sentPerKey.length; key++) {
            send(key, EpochMicros.now());
        }
        producer.flush();
    }

    /**
     * Starts to send.
     *
     * @param rate records per second
     * @param keys draws the keys
     * @return when the first record is due, in µs since the epoch
     */
    long start(int rate, LongSupplier keys) {
        long startNanos = System.nanoTime();
        long startMicros = EpochMicros.now();
        OpenLoopSchedule schedule = new OpenLoopSchedule(startMicros, rate);
        thread = new Thread(() -> run(schedule, startNanos, startMicros, keys), "load-generator");
        thread.start();
        return startMicros;
    }

    /**
     * Stops sending; returns when Kafka has all that was sent.
     *
     * @return until when records were sent, in µs since the epoch
     * @throws TimeoutException if it has not after the time
     */
    long stop(Duration timeout) throws InterruptedException, TimeoutException {
        stopped = true;
        LockSupport.unpark(thread);
        thread.join(timeout.toMillis());
        if (thread.isAlive()) {
            throw new TimeoutException(
                    "Kafka has not taken all records after " + timeout.getSeconds() + " s.");
        }
        return endMicros;
    }

    /**
     * Stops sending, whatever has failed; what Kafka has not taken after the time, it may not get.
     */
    void abort(Duration timeout) throws InterruptedException {
        stopped = true;
        if (thread != null) {
            LockSupport.unpark(thread);
            thread.join(timeout.toMillis());
        }
    }

    /** How many records have been sent. Any thread may ask. */
    long sent() {
        return sent;
    }

    /**
     * How many records of each key have been sent. For when the generator has stopped; before that,
     * those of which {@link #sent()} has told are in it.
     */
    int[] sentPerKey() {
        return sentPerKey;
    }

    @Override
    public void close() {
        stopped = true;
        producer.close(Duration.ofSeconds(5));
    }

    private void run(
            OpenLoopSchedule schedule, long startNanos, long startMicros, LongSupplier keys) {
        try {
            long index = 0;
            while (!stopped) {
                long now = startMicros + (System.nanoTime() - startNanos) / 1_000L;
                long due = schedule.dueAt(now);
                for (; index < due && !stopped; index++) {
                    send((int) keys.getAsLong(), schedule.dueMicros(index));
                }
                long wait = TimeUnit.MICROSECONDS.toNanos(schedule.dueMicros(index) - now);
                LockSupport.parkNanos(Math.max(wait, TICK_NANOS));
            }
            endMicros = EpochMicros.now();
            producer.flush();
        } catch (RuntimeException e) {
            watchdog.fail(e);
        }
    }

    private void send(int key, long dueMicros) {
        int sequence = sentPerKey[key] + 1;
        sentPerKey[key] = sequence;
        Event event = new Event(key, sequence, dueMicros, sent);
        producer.send(
                new ProducerRecord<>(topic, key % partitions, null, event.toBytes()),
                (metadata, failure) -> {
                    if (failure != null) {
                        watchdog.fail(failure);
                    }
                });
        sent = sent + 1;
    }
}
