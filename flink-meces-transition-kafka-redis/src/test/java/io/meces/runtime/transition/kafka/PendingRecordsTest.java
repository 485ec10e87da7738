// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.runtime.live.Clusters;
import io.meces.runtime.live.Ledger;
import io.meces.runtime.testing.MecesMiniCluster;
import io.meces.state.MecesStateBackend;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MetricOptions;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializer;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.functions.sink.DiscardingSink;
import org.apache.flink.streaming.connectors.kafka.FlinkKafkaConsumer;
import org.apache.flink.streaming.connectors.kafka.FlinkKafkaConsumerBase;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The metric {@code pendingRecords} of both kinds of Kafka sources, by which autoscalers see lag.
 */
@Tag("full")
@Timeout(180)
class PendingRecordsTest {

    private static final String TOPIC = "records";

    /** More than the network buffers and the client hold. */
    private static final int RECORDS = 40_000;

    private static final int RECORD_BYTES = 1_000;
    private static final long PATIENCE_MS = 60_000;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private static Servers servers;

    private static volatile CountDownLatch mayGoOn;
    private static final AtomicLong PROCESSED = new AtomicLong();

    @BeforeAll
    static void startServers() throws Exception {
        servers = Servers.start();
        servers.kafka().createTopic(TOPIC, 2, Collections.emptyMap());
        Properties properties = new Properties();
        properties.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, servers.kafka().address());
        String value = new String(new byte[RECORD_BYTES], StandardCharsets.US_ASCII);
        try (KafkaProducer<String, String> producer =
                new KafkaProducer<>(properties, new StringSerializer(), new StringSerializer())) {
            for (int i = 0; i < RECORDS; i++) {
                producer.send(new ProducerRecord<>(TOPIC, "" + i, value));
            }
        }
    }

    @AfterAll
    static void stopServers() {
        servers.close();
    }

    @BeforeEach
    void close() {
        mayGoOn = new CountDownLatch(1);
        PROCESSED.set(0);
    }

    @Test
    void theConsumerTellsItsLag() throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        Properties properties = new Properties();
        properties.put("bootstrap.servers", servers.kafka().address());
        // they are for an older client than that of this module
        properties.put(FlinkKafkaConsumerBase.KEY_DISABLE_METRICS, "true");
        tellsItsLag(
                env,
                env.addSource(
                        new FlinkKafkaConsumer<>(TOPIC, new SimpleStringSchema(), properties)
                                .setStartFromEarliest()));
    }

    @Test
    void theSourceTellsItsLag() throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        tellsItsLag(
                env,
                env.fromSource(
                        KafkaSource.<String>builder()
                                .setBootstrapServers(servers.kafka().address())
                                .setGroupId("source")
                                .setTopics(TOPIC)
                                .setStartingOffsets(OffsetsInitializer.earliest())
                                .setDeserializer(
                                        KafkaRecordDeserializer.valueOnly(StringDeserializer.class))
                                .build(),
                        WatermarkStrategy.noWatermarks(),
                        "source",
                        Types.STRING));
    }

    private void tellsItsLag(StreamExecutionEnvironment env, DataStream<String> records)
            throws Exception {
        env.setParallelism(1);
        env.setStateBackend(new MecesStateBackend());
        records.keyBy(record -> record.hashCode() % 2)
                .process(new Gate())
                .setMaxParallelism(8)
                .addSink(new DiscardingSink<>());
        Configuration configuration = new Configuration();
        configuration.set(MetricOptions.METRIC_FETCHER_UPDATE_INTERVAL, 200L);
        try (MecesMiniCluster cluster = Clusters.start(1, 2, configuration)) {
            JobID job = cluster.submit(env.getStreamGraph("lag").getJobGraph());
            try {
                Ledger.awaitOrFail(
                        "a lag",
                        () -> {
                            double pending = pendingRecords(cluster, job);
                            return pending > 0 && pending <= RECORDS;
                        });
                assertThat(PROCESSED.get()).isZero();
            } finally {
                mayGoOn.countDown();
            }
            Ledger.awaitOrFail("all records", () -> PROCESSED.get() == RECORDS);
            Ledger.awaitOrFail("no lag", () -> pendingRecords(cluster, job) == 0);
        }
    }

    /** As an autoscaler reads it; -1: it is not known. */
    private static double pendingRecords(MecesMiniCluster cluster, JobID job) throws Exception {
        String vertices = "/jobs/" + job;
        for (JsonNode vertex : get(cluster, vertices).path("vertices")) {
            String metrics = vertices + "/vertices/" + vertex.path("id").asText();
            for (JsonNode metric : get(cluster, metrics + "/subtasks/metrics")) {
                String id = metric.path("id").asText();
                if (id.endsWith(".pendingRecords")) {
                    return get(cluster, metrics + "/subtasks/metrics?get=" + id)
                            .path(0)
                            .path("sum")
                            .asDouble(-1);
                }
            }
        }
        return -1;
    }

    private static JsonNode get(MecesMiniCluster cluster, String path) throws Exception {
        return MAPPER.readTree(cluster.restAddress().resolve(path).toURL());
    }

    /** Lets no record pass until it may. */
    private static final class Gate extends KeyedProcessFunction<Integer, String, String> {
        private static final long serialVersionUID = 1L;

        @Override
        public void processElement(String record, Context context, Collector<String> out)
                throws Exception {
            if (!mayGoOn.await(PATIENCE_MS, TimeUnit.MILLISECONDS)) {
                throw new IllegalStateException("nobody lets records pass");
            }
            PROCESSED.incrementAndGet();
            out.collect(record);
        }
    }
}
