// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.sinks;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.connectors.kafka.FlinkKafkaProducer;
import org.apache.flink.streaming.connectors.kafka.KafkaSerializationSchema;
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
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * In a topic the results of a key stand in the order of the key, by a real broker: also for a
 * consumer that reads committed records only, of transactions of several subtasks.
 */
@Tag("full")
@Timeout(400)
class KafkaSinkOrderTest {
    private static final Path LOGS = Paths.get("target", "servers");
    private static final Duration START = Duration.ofSeconds(120);
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int PARTITIONS = 2;
    private static final int RESCALES = 20;

    private static ProcessGroup group;
    private static KafkaBroker kafka;
    private static MecesMiniCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        group = new ProcessGroup("sink-order-test");
        ServerFiles files = new ServerFiles(Paths.get(System.getProperty("meces.home")));
        kafka = KafkaBroker.start(files, group, LOGS);
        kafka.awaitReady(START);
        cluster = ChainedSinksTest.cluster();
    }

    @AfterAll
    static void stop() throws Exception {
        if (cluster != null) {
            cluster.close();
        }
        group.close();
    }

    @ParameterizedTest
    @CsvSource({"AT_LEAST_ONCE, 1", "AT_LEAST_ONCE, 2", "AT_LEAST_ONCE, 3", "EXACTLY_ONCE, 4"})
    void theResultsOfAKeyAreInOrder(FlinkKafkaProducer.Semantic semantic, long seed)
            throws Exception {
        CountRun run = new CountRun();
        kafka.createTopic(run.name, PARTITIONS, Collections.emptyMap());
        Properties properties = new Properties();
        properties.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, kafka.address());
        properties.put(ProducerConfig.LINGER_MS_CONFIG, "100");
        properties.put(ProducerConfig.RETRIES_CONFIG, "10");
        properties.put(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, "120000");
        StreamExecutionEnvironment env = CountRun.environment(300);
        run.counts(env)
                .addSink(
                        new FlinkKafkaProducer<>(
                                run.name, new CountSchema(run.name), properties, semantic))
                .name("topic")
                .uid("topic");
        try (KafkaConsumer<byte[], byte[]> reader = reader()) {
            JobID job = cluster.submit(env.getStreamGraph(run.name).getJobGraph());
            run.rescale(cluster, job, seed, RESCALES);
            run.stop();
            List<TopicPartition> partitions = new ArrayList<>();
            for (int p = 0; p < PARTITIONS; p++) {
                partitions.add(new TopicPartition(run.name, p));
            }
            reader.assign(partitions);
            reader.seekToBeginning(partitions);
            List<String> inversions = new ArrayList<>();
            long[] last = new long[CountRun.KEYS];
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while (Arrays.stream(last).sum() < run.emitted() && System.nanoTime() < deadline) {
                for (ConsumerRecord<byte[], byte[]> record : reader.poll(Duration.ofMillis(200))) {
                    int key = ByteBuffer.wrap(record.key()).getInt();
                    long count = ByteBuffer.wrap(record.value()).getLong();
                    if (count != last[key] + 1) {
                        inversions.add("key " + key + ": " + count + " after " + last[key]);
                    }
                    last[key] = count;
                }
            }
            assertThat(inversions).isEmpty();
            assertThat(Arrays.stream(last).sum()).isEqualTo(run.emitted());
            cluster.cancel(job).get(PATIENCE.getSeconds(), TimeUnit.SECONDS);
        }
    }

    private static KafkaConsumer<byte[], byte[]> reader() {
        Properties properties = new Properties();
        properties.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, kafka.address());
        properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        return new KafkaConsumer<>(
                properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    private static final class CountSchema
            implements KafkaSerializationSchema<Tuple2<Integer, Long>> {
        private static final long serialVersionUID = 1L;
        private final String topic;

        private CountSchema(String topic) {
            this.topic = topic;
        }

        @Override
        public ProducerRecord<byte[], byte[]> serialize(
                Tuple2<Integer, Long> count, Long timestamp) {
            return new ProducerRecord<>(
                    topic,
                    ByteBuffer.allocate(4).putInt(count.f0).array(),
                    ByteBuffer.allocate(8).putLong(count.f1).array());
        }
    }
}
