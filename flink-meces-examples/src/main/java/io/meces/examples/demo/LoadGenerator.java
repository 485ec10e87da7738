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
import io.meces.examples.load.OpenLoopSchedule;
import io.meces.examples.load.OpenLoopSender;
import io.meces.examples.run.Watchdog;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Sends events: each key once at full speed, then random ones on an open-loop schedule by a thread
 * of its own. The events of a key go to one partition in the order of their sequence numbers.
 */
final class LoadGenerator implements AutoCloseable {
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
    LoadGenerator(
            String bootstrapServers, String topic, int partitions, int keys, Watchdog watchdog) {
        this.sender = new OpenLoopSender(bootstrapServers, watchdog::fail);
        this.topic = topic;
        this.partitions = partitions;
        this.sentPerKey = new int[keys];
    }

    /** Sends each key once, as fast as possible; returns when Kafka has them all. */
    void preload() {
        for (int key = 0; key < sentPerKey.length; key++) {
            sender.send(next(key, EpochMicros.now()));
        }
        sender.flush();
    }

    /**
     * Starts to send.
     *
     * @param rate records per second
     * @param keys draws the keys
     * @return when the first record is due, in µs since the epoch
     */
    long start(int rate, LongSupplier keys) {
        long startMicros = EpochMicros.now();
        sender.start(
                new OpenLoopSchedule(startMicros, rate),
                (index, dueMicros, out) -> out.accept(next((int) keys.getAsLong(), dueMicros)));
        return startMicros;
    }

    /** As {@link OpenLoopSender#stop}. */
    long stop(Duration timeout) throws InterruptedException, TimeoutException {
        return sender.stop(timeout);
    }

    /** As {@link OpenLoopSender#abort}. */
    void abort(Duration timeout) throws InterruptedException {
        sender.abort(timeout);
    }

    /** How many records have been sent. Any thread may ask. */
    long sent() {
        return sender.sent();
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
        sender.close();
    }

    private ProducerRecord<byte[], byte[]> next(int key, long dueMicros) {
        int sequence = sentPerKey[key] + 1;
        sentPerKey[key] = sequence;
        Event event = new Event(key, sequence, dueMicros, sender.sent());
        return new ProducerRecord<>(topic, key % partitions, null, event.toBytes());
    }
}
