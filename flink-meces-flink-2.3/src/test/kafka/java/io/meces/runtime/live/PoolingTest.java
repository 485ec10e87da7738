// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.testing.MecesMiniCluster;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.sink.TransactionNamingStrategy;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A {@code KafkaSink} that uses transactions again. */
@Tag("full")
@Timeout(180)
class PoolingTest {

    @Test
    void aJobWithItIsNotRescaled() throws Exception {
        Ledger ledger = new Ledger();
        StreamExecutionEnvironment env = Jobs.environment(60_000);
        Jobs.source(env, ledger, 10, Long.MAX_VALUE)
                .keyBy(r -> r.f0)
                .process(new Jobs.Counter(ledger.name))
                .returns(Jobs.RESULT)
                .name("count")
                .uid("count")
                .map(Object::toString)
                .returns(Types.STRING)
                .sinkTo(
                        KafkaSink.<String>builder()
                                // nobody is there: the job is not awaited
                                .setBootstrapServers("127.0.0.1:1")
                                .setRecordSerializer(
                                        KafkaRecordSerializationSchema.<String>builder()
                                                .setTopic("results")
                                                .setValueSerializationSchema(
                                                        new SimpleStringSchema())
                                                .build())
                                .setDeliveryGuarantee(DeliveryGuarantee.EXACTLY_ONCE)
                                .setTransactionalIdPrefix("results")
                                .setTransactionNamingStrategy(TransactionNamingStrategy.POOLING)
                                .build())
                .name("topic")
                .uid("topic");
        try (MecesMiniCluster cluster = Clusters.start(1, 2, new Configuration())) {
            JobID job = cluster.submit(TestGraphs.of(env, "pooling"));
            String refusal = cluster.elasticity(job).get().refusal();
            int reason = refusal.indexOf("is a KafkaSink with TransactionNamingStrategy.POOLING");
            assertThat(reason).isPositive();
            assertThat(
                            new String(
                                    Files.readAllBytes(Paths.get("..", "docs", "refusals.md")),
                                    StandardCharsets.UTF_8))
                    .contains(refusal.substring(reason));
            cluster.cancel(job).get(60, TimeUnit.SECONDS);
        }
    }
}
