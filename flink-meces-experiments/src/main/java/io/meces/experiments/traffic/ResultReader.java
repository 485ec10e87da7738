// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.traffic;

import io.meces.experiments.cluster.Watchdog;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Reads the result topic from its beginning by a thread of its own.
 *
 * @param <R> what becomes of them
 */
final class ResultReader<R extends ResultReader.Results> implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(100);
    private static final int FETCH_BYTES = 1 << 20;

    private final KafkaConsumer<byte[], byte[]> consumer;
    private final R results;
    private final Watchdog watchdog;
    private final Thread thread;
    private final Object progress = new Object();
    private long distinct;
    private volatile boolean stopped;
    private volatile boolean stopAtEnd;

    /** What becomes of the results. Used by the thread of the reader until that has ended. */
    interface Results {
        /** Takes the next one. */
        void accept(ConsumerRecord<byte[], byte[]> result);

        /** Of how many different records, or lines, there are results. */
        long distinct();
    }

    /**
     * Starts to read.
     *
     * @param results takes them
     * @param watchdog told if reading fails
     * @param committed whether to see only what committed transactions have written
     */
    ResultReader(JobTopics topics, R results, Watchdog watchdog, boolean committed) {
        Map<String, Object> config = new HashMap<>();
        config.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, topics.bootstrapServers);
        config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        // asking for a topic that has been deleted must not bring it back
        config.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        config.put(
                ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                committed ? "read_committed" : "read_uncommitted");
        // Few, large fetches: when a result is read does not matter, what that costs does.
        config.put(ConsumerConfig.FETCH_MIN_BYTES_CONFIG, FETCH_BYTES);
        config.put(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, (int) POLL.toMillis());
        config.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 10_000);
        this.consumer =
                new KafkaConsumer<>(
                        config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        this.results = results;
        this.watchdog = watchdog;
        List<TopicPartition> assignment =
                IntStream.range(0, topics.partitions)
                        .mapToObj(partition -> new TopicPartition(topics.output, partition))
                        .collect(Collectors.toList());
        this.thread = new Thread(() -> run(assignment), "result-reader");
        thread.start();
    }

    /**
     * Waits until there are results of so many different records.
     *
     * @return whether there are
     * @throws IOException if something has failed
     */
    boolean await(long records, Duration stall, Duration timeout)
            throws IOException, InterruptedException {
        long start = System.nanoTime();
        long lastProgress = start;
        long before = distinct();
        while (true) {
            synchronized (progress) {
                if (distinct < records) {
                    progress.wait(POLL.toMillis());
                }
                if (distinct >= records) {
                    return true;
                }
                if (distinct > before) {
                    before = distinct;
                    lastProgress = System.nanoTime();
                }
            }
            long now = System.nanoTime();
            if (now - start >= timeout.toNanos() || now - lastProgress >= stall.toNanos()) {
                return false;
            }
            watchdog.check();
        }
    }

    /** Different records of which a result has been read. Any thread may ask. */
    long distinct() {
        synchronized (progress) {
            return distinct;
        }
    }

    /**
     * Reads what the topic has up to now, then stops.
     *
     * @throws TimeoutException if that takes longer than the time
     */
    void finish(Duration timeout) throws InterruptedException, TimeoutException {
        stopAtEnd = true;
        thread.join(timeout.toMillis());
        if (thread.isAlive()) {
            throw new TimeoutException(
                    "The results are not read to their end after " + timeout.getSeconds() + " s.");
        }
    }

    /**
     * Reads on for as long as the time if the topic has more, then stops, whatever has failed.
     *
     * @return whether it has stopped; if not, it hangs
     */
    boolean abort(Duration timeout) throws InterruptedException {
        stopAtEnd = true;
        thread.join(timeout.toMillis());
        if (thread.isAlive()) {
            close();
            thread.join(timeout.toMillis());
        }
        return !thread.isAlive();
    }

    /** What has been read. For when the reader has finished. */
    R results() {
        return results;
    }

    @Override
    public void close() {
        stopped = true;
        consumer.wakeup();
    }

    private void run(List<TopicPartition> assignment) {
        try {
            consumer.assign(assignment);
            consumer.seekToBeginning(assignment);
            boolean more = true;
            while (!stopped && more) {
                boolean last = stopAtEnd;
                consumer.poll(POLL).forEach(results::accept);
                synchronized (progress) {
                    distinct = results.distinct();
                    progress.notifyAll();
                }
                more = !last || !atEnd(assignment);
            }
        } catch (WakeupException e) {
            if (!stopped) {
                watchdog.fail(e);
            }
        } catch (RuntimeException e) {
            watchdog.fail(e);
        } finally {
            consumer.close(Duration.ofSeconds(5));
        }
    }

    private boolean atEnd(List<TopicPartition> assignment) {
        return consumer.endOffsets(assignment).entrySet().stream()
                .allMatch(end -> consumer.position(end.getKey()) >= end.getValue());
    }
}
