// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition.kafka;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.annotation.Nullable;
import org.apache.flink.util.ExceptionUtils;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Sends records with an idempotent producer, and replaces it if it is broken for good. A record may
 * get lost while the brokers are away. Thread-safe.
 */
final class RecordProducer implements AutoCloseable {

    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Map<String, Object> settings;
    private final Outage outage;

    @Nullable private KafkaProducer<byte[], byte[]> producer;
    private long brokenAtNanos;
    private volatile boolean closed;

    /**
     * @throws KafkaException if the settings are no good
     */
    RecordProducer(Map<String, Object> settings, Outages outages) {
        this.settings = settings;
        this.outage = outages.of("Sending to Kafka", () -> {});
        this.producer = create();
    }

    private KafkaProducer<byte[], byte[]> create() {
        return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /**
     * Fetches what has to be known to send to the topic. Asks again until a time has come: the
     * producer itself gives up as early as a send must.
     *
     * @throws TimeoutException if there is no answer in time
     */
    void prepare(String topic, long deadlineNanos) throws Exception {
        Retries.DEFAULT.until(
                deadlineNanos,
                TimeoutException.class::isInstance,
                () -> current().partitionsFor(topic));
    }

    /**
     * Sends a record. Blocks for {@code max.block.ms} at most.
     *
     * @param done run once, when it is sent or given up, by any thread
     */
    void send(TopicPartition to, byte[] value, Iterable<Header> headers, Runnable done) {
        KafkaProducer<byte[], byte[]> used = current();
        if (used == null) {
            done.run();
            return;
        }
        try {
            used.send(
                    new ProducerRecord<byte[], byte[]>(
                            to.topic(), to.partition(), null, null, value, headers),
                    (metadata, failure) -> {
                        done.run();
                        if (failure == null) {
                            outage.succeeded();
                        } else if (!closed) {
                            outage.failed(failure);
                        }
                    });
        } catch (Throwable t) {
            ExceptionUtils.rethrowIfFatalErrorOrOOM(t);
            done.run();
            outage.failed(t);
            if (!(t instanceof ApiException)) {
                replace(used);
            }
        }
    }

    @Nullable
    private synchronized KafkaProducer<byte[], byte[]> current() {
        if (producer == null && !closed && System.nanoTime() - brokenAtNanos > PAUSE_NANOS) {
            try {
                producer = create();
            } catch (KafkaException e) {
                outage.failed(e);
                brokenAtNanos = System.nanoTime();
            }
        }
        return producer;
    }

    private void replace(KafkaProducer<byte[], byte[]> broken) {
        synchronized (this) {
            if (producer != broken) {
                return;
            }
            producer = null;
            brokenAtNanos = System.nanoTime();
        }
        broken.close(Duration.ZERO);
    }

    @Override
    public synchronized void close() {
        closed = true;
        if (producer != null) {
            producer.close(Duration.ZERO);
            producer = null;
        }
    }
}
