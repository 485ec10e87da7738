// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.testing.MecesMiniCluster;
import io.meces.servers.KafkaBroker;
import io.meces.servers.ProcessGroup;
import io.meces.servers.ServerFiles;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.java.tuple.Tuple5;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.core.execution.CheckpointType;
import org.apache.flink.runtime.highavailability.nonha.embedded.EmbeddedHaServicesWithLeadershipControl;
import org.apache.flink.runtime.highavailability.nonha.embedded.HaLeadershipControl;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A {@code KafkaSink} that guarantees EXACTLY_ONCE in the chain of an elastic operator, by a real
 * broker: what a reader of committed records reads is what the job that is never rescaled writes,
 * once and in order, and no transaction stays open. {@code -Dkafka.seed=N} draws the same events.
 */
@Tag("full")
@Timeout(400)
class KafkaTransactionsTest {

    private static final Path LOGS = Paths.get("target", "servers");
    private static final Duration START = Duration.ofSeconds(120);
    private static final int PARTITIONS = 3;
    private static final int KEYS = 500;
    private static final int ROUNDS = 8;

    /** No periodic checkpoint comes in a test. */
    private static final long NEVER = 3_600_000;

    private static final AtomicBoolean FAILING = new AtomicBoolean();

    /** A transaction that nobody ends does not end by itself during a test. */
    private static final String TRANSACTION_TIMEOUT_MS = "600000";

    private static ProcessGroup group;
    private static KafkaBroker kafka;

    private final Ledger ledger = new Ledger();
    private final AtomicReference<HaLeadershipControl> leadership = new AtomicReference<>();

    private enum Event {
        NONE,
        TASK_FAILS,
        TASK_MANAGER_ENDS,
        NEW_LEADER
    }

    @BeforeAll
    static void start() throws Exception {
        group = new ProcessGroup("kafka-transactions-test");
        ServerFiles files = new ServerFiles(Paths.get(System.getProperty("meces.home")));
        kafka = KafkaBroker.start(files, group, LOGS);
        kafka.awaitReady(START);
    }

    @AfterAll
    static void stop() throws Exception {
        group.close();
    }

    @Test
    void eachResultIsCommittedOnceAndInOrderWhateverHappensMeanwhile() throws Exception {
        long seed = Long.getLong("kafka.seed", System.nanoTime());
        String replay = "-Dkafka.seed=" + seed;
        kafka.createTopic(ledger.name, PARTITIONS, Collections.emptyMap());
        try (MecesMiniCluster cluster =
                        Clusters.builder(2, 5, new Configuration())
                                .highAvailability(
                                        executor -> {
                                            EmbeddedHaServicesWithLeadershipControl embedded =
                                                    new EmbeddedHaServicesWithLeadershipControl(
                                                            executor);
                                            leadership.set(embedded);
                                            return embedded;
                                        })
                                .start();
                Reader reader = new Reader(ledger)) {
            ledger.rate = 2_000;
            JobID job = cluster.submit(TestGraphs.of(job(300), "transactions"));
            assertThat(cluster.elasticity(job).get().refusal()).isNull();
            ledger.awaitResults(2_000);
            try {
                runEvents(cluster, job, new Random(seed));
                Ledger.Verdict verdict = ledger.settle();
                assertThat(verdict.violations).as(replay).isEmpty();
                assertThat(verdict.duplicated).as(replay).isZero();
                assertThat(verdict.distinct).as(replay).isEqualTo(verdict.emitted);
                awaitNothingOpen();
            } catch (Exception e) {
                throw new AssertionError(replay, e);
            }
            cluster.cancel(job).get(60, TimeUnit.SECONDS);
        }
    }

    /** What an activated subtask has open that no checkpoint knows is aborted by the restart. */
    @Test
    void nothingStaysOpenOfASubtaskThatNoCheckpointHas() throws Exception {
        kafka.createTopic(ledger.name, PARTITIONS, Collections.emptyMap());
        FAILING.set(false);
        try (MecesMiniCluster cluster = Clusters.start(2, 3, new Configuration());
                Reader reader = new Reader(ledger)) {
            JobID job = cluster.submit(TestGraphs.of(job(NEVER), "transactions"));
            Clusters.awaitRunning(cluster, job);
            for (int i = 0; i < 3; i++) {
                checkpoint(cluster, job);
            }
            // the one that is asked for because the rescale has ended
            FAILING.set(true);
            cluster.rescale(job, "count", 4).get(120, TimeUnit.SECONDS);
            Ledger.awaitOrFail("the failure", () -> !FAILING.get());
            Ledger.awaitOrFail("the restart", () -> Clusters.knowsToRun(cluster, job, 1));
            Map<TopicPartition, Long> ends = ends("read_uncommitted");
            checkpoint(cluster, job);
            awaitCommitted(ends);
            cluster.cancel(job).get(60, TimeUnit.SECONDS);
            assertThat(ledger.verdict().violations).isEmpty();
            assertThat(ledger.verdict().duplicated).isZero();
        }
    }

    private static void checkpoint(MecesMiniCluster cluster, JobID job) throws Exception {
        cluster.flink().triggerCheckpoint(job, CheckpointType.FULL).get(60, TimeUnit.SECONDS);
    }

    private void runEvents(MecesMiniCluster cluster, JobID job, Random random) throws Exception {
        List<Event> events = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++) {
            events.add(Event.values()[i % Event.values().length]);
        }
        Collections.shuffle(events, random);
        int parallelism = 2;
        int ended = 0;
        for (Event event : events) {
            Clusters.awaitRunning(cluster, job);
            parallelism = 1 + (parallelism + random.nextInt(4)) % 5;
            CompletableFuture<?> rescale = cluster.rescale(job, "count", parallelism);
            if (event == Event.NONE) {
                rescale.get(120, TimeUnit.SECONDS);
            } else {
                // in whatever phase of the rescale, or behind it
                long more = random.nextInt(1_500);
                long enough = ledger.emitted.get(0) + more;
                Ledger.awaitOrFail("input", () -> ledger.emitted.get(0) >= enough);
            }
            if (event == Event.TASK_FAILS) {
                ledger.failed.set(false);
                ledger.failOnce = true;
                Ledger.awaitOrFail("the failure", ledger.failed::get);
                ledger.failOnce = false;
            } else if (event == Event.TASK_MANAGER_ENDS) {
                cluster.startTaskManager();
                cluster.terminateTaskManager(ended++).get(60, TimeUnit.SECONDS);
            } else if (event == Event.NEW_LEADER) {
                leadership.get().revokeJobMasterLeadership(job).get(60, TimeUnit.SECONDS);
                leadership.get().grantJobMasterLeadership(job).get(60, TimeUnit.SECONDS);
            }
            int now = settled(cluster, job);
            // a new leader does not know of a rescale that no checkpoint has
            if (event != Event.NEW_LEADER) {
                assertThat(now).isEqualTo(parallelism);
            }
            parallelism = now;
            // what was open is closed: readers get on in all partitions
            awaitCommitted(ends("read_uncommitted"));
        }
    }

    /** Waits until no rescale runs, and gives the parallelism. */
    private static int settled(MecesMiniCluster cluster, JobID job) throws Exception {
        AtomicInteger parallelism = new AtomicInteger();
        Ledger.awaitOrFail(
                "end of the rescale",
                () -> {
                    try {
                        boolean ended =
                                cluster.rescales(job).get().stream()
                                        .allMatch(rescale -> rescale.status().isTerminal());
                        parallelism.set(
                                cluster.elasticity(job).get().vertices().get(0).parallelism());
                        return ended;
                    } catch (ExecutionException e) {
                        // no leader yet
                        return false;
                    }
                });
        Clusters.awaitRunning(cluster, job);
        return parallelism.get();
    }

    /** Waits until readers of committed records get as far; the job writes on. */
    private void awaitCommitted(Map<TopicPartition, Long> ends) throws Exception {
        Ledger.awaitOrFail(
                "end of the transactions before " + ends,
                () ->
                        ends("read_committed").entrySet().stream()
                                .allMatch(end -> end.getValue() >= ends.get(end.getKey())));
    }

    /** The job writes nothing more. */
    private void awaitNothingOpen() throws Exception {
        Ledger.awaitOrFail(
                "end of all transactions",
                () -> ends("read_committed").equals(ends("read_uncommitted")));
    }

    private Map<TopicPartition, Long> ends(String isolation) {
        try (KafkaConsumer<byte[], byte[]> consumer = consumer(isolation)) {
            return new HashMap<>(consumer.endOffsets(partitions(ledger.name)));
        }
    }

    private static List<TopicPartition> partitions(String topic) {
        List<TopicPartition> partitions = new ArrayList<>();
        for (int p = 0; p < PARTITIONS; p++) {
            partitions.add(new TopicPartition(topic, p));
        }
        return partitions;
    }

    private static KafkaConsumer<byte[], byte[]> consumer(String isolation) {
        Properties properties = new Properties();
        properties.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, kafka.address());
        properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, isolation);
        return new KafkaConsumer<>(
                properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    private StreamExecutionEnvironment job(long checkpointInterval) {
        StreamExecutionEnvironment env = Jobs.environment(checkpointInterval);
        TestGraphs.restart(env, 100, 50);
        Properties properties = new Properties();
        properties.put(ProducerConfig.LINGER_MS_CONFIG, "20");
        properties.put(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, TRANSACTION_TIMEOUT_MS);
        Jobs.source(env, ledger, KEYS, Long.MAX_VALUE)
                .keyBy(r -> r.f0)
                .process(new Jobs.Counter(ledger.name))
                .returns(Jobs.RESULT)
                .name("count")
                .uid("count")
                .map(new Failing())
                .returns(Jobs.RESULT)
                .uid("failing")
                .sinkTo(
                        KafkaSink.<Tuple5<Integer, Integer, Long, Long, Integer>>builder()
                                .setBootstrapServers(kafka.address())
                                .setKafkaProducerConfig(properties)
                                .setRecordSerializer(new ResultSchema(ledger.name))
                                .setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE)
                                .setTransactionalIdPrefix(ledger.name)
                                .build())
                .name("topic")
                .uid("topic");
        return env;
    }

    /** Fails once in a checkpoint when it is told to. */
    private static final class Failing
            implements MapFunction<
                            Tuple5<Integer, Integer, Long, Long, Integer>,
                            Tuple5<Integer, Integer, Long, Long, Integer>>,
                    CheckpointedFunction {
        private static final long serialVersionUID = 1L;

        @Override
        public Tuple5<Integer, Integer, Long, Long, Integer> map(
                Tuple5<Integer, Integer, Long, Long, Integer> result) {
            return result;
        }

        @Override
        public void snapshotState(FunctionSnapshotContext context) throws Exception {
            if (FAILING.compareAndSet(true, false)) {
                throw new IllegalStateException("a failure that the test asked for");
            }
        }

        @Override
        public void initializeState(FunctionInitializationContext context) {}
    }

    /** Books what is committed, and that it is in order. A thread of its own. */
    private static final class Reader implements AutoCloseable {
        private final Ledger ledger;
        private final Map<Long, Long> last = new HashMap<>();
        private final Thread thread = new Thread(this::read, "reader");
        private volatile boolean closed;

        Reader(Ledger ledger) {
            this.ledger = ledger;
            thread.start();
        }

        private void read() {
            try (KafkaConsumer<byte[], byte[]> consumer = consumer("read_committed")) {
                List<TopicPartition> partitions = partitions(ledger.name);
                consumer.assign(partitions);
                consumer.seekToBeginning(partitions);
                while (!closed) {
                    consumer.poll(Duration.ofMillis(100)).forEach(this::book);
                }
            } catch (RuntimeException e) {
                ledger.violation("the reader has failed: " + e);
            }
        }

        private void book(ConsumerRecord<byte[], byte[]> record) {
            int key = ByteBuffer.wrap(record.key()).getInt();
            ByteBuffer value = ByteBuffer.wrap(record.value());
            int source = value.getInt();
            long sequence = value.getLong();
            long state = value.getLong();
            Long before = last.put((long) source << 32 | key, sequence);
            if (sequence != (before == null ? 0 : before + 1)) {
                ledger.violation(
                        "key " + key + " source " + source + ": " + sequence + " after " + before);
            }
            if (state != Ledger.expectedState(sequence)) {
                ledger.violation("wrong state of key " + key + " at " + sequence);
            }
            ledger.result(source, key, sequence, state, value.getInt());
        }

        @Override
        public void close() throws InterruptedException {
            closed = true;
            thread.join(60_000);
        }
    }

    private static final class ResultSchema
            implements KafkaRecordSerializationSchema<
                    Tuple5<Integer, Integer, Long, Long, Integer>> {
        private static final long serialVersionUID = 1L;
        private final String topic;

        private ResultSchema(String topic) {
            this.topic = topic;
        }

        @Override
        public ProducerRecord<byte[], byte[]> serialize(
                Tuple5<Integer, Integer, Long, Long, Integer> result,
                KafkaSinkContext context,
                Long timestamp) {
            return new ProducerRecord<>(
                    topic,
                    ByteBuffer.allocate(4).putInt(result.f0).array(),
                    ByteBuffer.allocate(24)
                            .putInt(result.f1)
                            .putLong(result.f2)
                            .putLong(result.f3)
                            .putInt(result.f4)
                            .array());
        }
    }
}
