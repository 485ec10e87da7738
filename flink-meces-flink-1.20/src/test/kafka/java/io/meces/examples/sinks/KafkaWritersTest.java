// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.sinks;

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
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.ObjLongConsumer;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.restartstrategy.RestartStrategies;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.connectors.kafka.partitioner.FlinkFixedPartitioner;
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

/** A {@code KafkaSink} in the chain of an elastic operator, by a real broker. */
@Tag("full")
@Timeout(400)
class KafkaWritersTest {

    private static final Path LOGS = Paths.get("target", "servers");
    private static final Duration START = Duration.ofSeconds(120);
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int PARTITIONS = 2;
    private static final int RESCALES = 20;

    private static final AtomicBoolean FAIL = new AtomicBoolean();

    private static ProcessGroup group;
    private static KafkaBroker kafka;
    private static MecesMiniCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        group = new ProcessGroup("kafka-writers-test");
        ServerFiles files = new ServerFiles(Paths.get(System.getProperty("meces.home")));
        kafka = KafkaBroker.start(files, group, LOGS);
        kafka.awaitReady(START);
        Configuration configuration = new Configuration();
        configuration.set(TaskManagerOptions.NETWORK_MEMORY_MIN, MemorySize.parse("64m"));
        configuration.set(TaskManagerOptions.NETWORK_MEMORY_MAX, MemorySize.parse("64m"));
        configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.parse("4m"));
        cluster =
                MecesMiniCluster.builder()
                        .taskManagers(2)
                        .slotsPerTaskManager(2)
                        .configuration(configuration)
                        .start();
    }

    @AfterAll
    static void stop() throws Exception {
        if (cluster != null) {
            cluster.close();
        }
        group.close();
    }

    private static JobID submit(
            CountRun run,
            StreamExecutionEnvironment env,
            KafkaRecordSerializationSchema<Tuple2<Integer, Long>> schema,
            DeliveryGuarantee guarantee)
            throws Exception {
        Properties properties = new Properties();
        properties.put(ProducerConfig.LINGER_MS_CONFIG, "100");
        run.counts(env)
                .map(new Failing())
                .returns(Types.TUPLE(Types.INT, Types.LONG))
                .sinkTo(
                        KafkaSink.<Tuple2<Integer, Long>>builder()
                                .setBootstrapServers(kafka.address())
                                .setKafkaProducerConfig(properties)
                                .setRecordSerializer(schema)
                                .setDeliveryGuarantee(guarantee)
                                .setTransactionalIdPrefix(run.name)
                                .build())
                .name("topic")
                .uid("topic");
        return cluster.submit(TestGraphs.of(env, run.name));
    }

    /** With a single broker, a consumer of a partition reads what was appended, in that order. */
    private static void read(String topic, long records, ObjLongConsumer<Integer> count) {
        Properties properties = new Properties();
        properties.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, kafka.address());
        try (KafkaConsumer<byte[], byte[]> reader =
                new KafkaConsumer<>(
                        properties, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions = new ArrayList<>();
            for (int p = 0; p < PARTITIONS; p++) {
                partitions.add(new TopicPartition(topic, p));
            }
            reader.assign(partitions);
            long end = reader.endOffsets(partitions).values().stream().mapToLong(n -> n).sum();
            assertThat(end).isGreaterThanOrEqualTo(records);
            reader.seekToBeginning(partitions);
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            for (long n = 0; n < end && System.nanoTime() < deadline; ) {
                for (ConsumerRecord<byte[], byte[]> record : reader.poll(Duration.ofMillis(200))) {
                    count.accept(
                            ByteBuffer.wrap(record.key()).getInt(),
                            ByteBuffer.wrap(record.value()).getLong());
                    n++;
                }
            }
        }
    }

    @Test
    void atLeastOnceTheResultsOfAKeyAreInOrder() throws Exception {
        CountRun run = new CountRun();
        kafka.createTopic(run.name, PARTITIONS, Collections.emptyMap());
        JobID job =
                submit(
                        run,
                        CountRun.environment(300),
                        new CountSchema(run.name),
                        DeliveryGuarantee.AT_LEAST_ONCE);
        run.rescale(cluster, job, 1, RESCALES);
        run.stop();
        cluster.cancel(job).get(PATIENCE.getSeconds(), TimeUnit.SECONDS);
        List<String> inversions = new ArrayList<>();
        long[] last = new long[CountRun.KEYS];
        read(
                run.name,
                run.emitted(),
                (key, count) -> {
                    if (count != last[key] + 1) {
                        inversions.add("key " + key + ": " + count + " after " + last[key]);
                    }
                    last[key] = count;
                });
        assertThat(inversions).isEmpty();
        assertThat(Arrays.stream(last).sum()).isEqualTo(run.emitted());
    }

    @Test
    void atLeastOnceNoResultIsLostByAFailure() throws Exception {
        CountRun run = new CountRun();
        kafka.createTopic(run.name, PARTITIONS, Collections.emptyMap());
        StreamExecutionEnvironment env = CountRun.environment(300);
        env.setRestartStrategy(RestartStrategies.fixedDelayRestart(1, 100));
        JobID job = submit(run, env, new CountSchema(run.name), DeliveryGuarantee.AT_LEAST_ONCE);
        run.rescale(cluster, job, 2, 4);
        FAIL.set(true);
        CountRun.await("failure", () -> !FAIL.get());
        run.awaitCounts(5 * CountRun.KEYS);
        run.rescale(cluster, job, 3, 4);
        run.awaitCounts(5 * CountRun.KEYS);
        cluster.cancel(job).get(PATIENCE.getSeconds(), TimeUnit.SECONDS);
        BitSet[] seen = new BitSet[CountRun.KEYS];
        Arrays.setAll(seen, key -> new BitSet());
        read(run.name, CountRun.KEYS, (key, count) -> seen[key].set((int) count));
        for (int key = 0; key < CountRun.KEYS; key++) {
            // counts begin with 1, and the last ones may not have been sent
            assertThat(seen[key].nextClearBit(1)).as("key %s", key).isEqualTo(seen[key].length());
        }
    }

    @Test
    void noGuaranteeIsRefused() throws Exception {
        CountRun run = new CountRun();
        kafka.createTopic(run.name, PARTITIONS, Collections.emptyMap());
        JobID job =
                submit(
                        run,
                        CountRun.environment(60_000),
                        new CountSchema(run.name),
                        DeliveryGuarantee.NONE);
        String refusal = cluster.elasticity(job).get().refusal();
        cluster.cancel(job).get(PATIENCE.getSeconds(), TimeUnit.SECONDS);
        assertThat(refusal).contains("is a sink that may hold records back");
    }

    @Test
    void aPartitionByTheSubtaskIsWarnedOf() throws Exception {
        CountRun run = new CountRun();
        kafka.createTopic(run.name, PARTITIONS, Collections.emptyMap());
        JobID job =
                submit(
                        run,
                        CountRun.environment(300),
                        KafkaRecordSerializationSchema.<Tuple2<Integer, Long>>builder()
                                .setTopic(run.name)
                                .setValueSerializationSchema(
                                        count -> ByteBuffer.allocate(8).putLong(count.f1).array())
                                .setPartitioner(new FlinkFixedPartitioner<>())
                                .build(),
                        DeliveryGuarantee.AT_LEAST_ONCE);
        List<String> warnings = cluster.elasticity(job).get().warnings();
        cluster.cancel(job).get(PATIENCE.getSeconds(), TimeUnit.SECONDS);
        assertThat(warnings)
                .anySatisfy(
                        warning ->
                                assertThat(warning).contains("chooses the partition by the index"));
    }

    /** Fails once when it is told to. */
    private static final class Failing
            implements MapFunction<Tuple2<Integer, Long>, Tuple2<Integer, Long>> {
        private static final long serialVersionUID = 1L;

        @Override
        public Tuple2<Integer, Long> map(Tuple2<Integer, Long> count) {
            if (FAIL.compareAndSet(true, false)) {
                throw new IllegalStateException("a failure that the test asked for");
            }
            return count;
        }
    }

    private static final class CountSchema
            implements KafkaRecordSerializationSchema<Tuple2<Integer, Long>> {
        private static final long serialVersionUID = 1L;
        private final String topic;

        private CountSchema(String topic) {
            this.topic = topic;
        }

        @Override
        public ProducerRecord<byte[], byte[]> serialize(
                Tuple2<Integer, Long> count, KafkaSinkContext context, Long timestamp) {
            return new ProducerRecord<>(
                    topic,
                    ByteBuffer.allocate(4).putInt(count.f0).array(),
                    ByteBuffer.allocate(8).putLong(count.f1).array());
        }
    }
}
