// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.runtime.MecesOptions;
import io.meces.runtime.transition.TransitionMetrics;
import io.meces.runtime.transition.TwoEnds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Topics on a broker that compresses by a codec that our clients do not have, and topics that
 * somebody else has made.
 */
@Timeout(120)
class TopicSettingsTest {

    private static final int MESSAGES = 300;

    private static Servers servers;

    private final Configuration configuration = servers.configuration();

    @BeforeAll
    static void startServers() throws Exception {
        servers = Servers.start(Collections.singletonMap("compression.type", "zstd"));
    }

    @AfterAll
    static void stopServers() {
        servers.close();
    }

    private KafkaRedisTransitionService connect() throws Exception {
        return KafkaRedisTransitionService.connect(configuration, TransitionMetrics.unregistered());
    }

    private void exchange() throws Exception {
        try (TwoEnds ends = new TwoEnds(connect(), connect())) {
            ends.send(0, MESSAGES);
            ends.assertReceived(MESSAGES);
        }
        servers.awaitKeys(0);
    }

    @Test
    void topicsOfOursDoNotFollowABrokerThatCompresses() throws Exception {
        exchange();

        Collection<Config> made = describe("meces-requests", "meces-responses").values();
        assertThat(made)
                .hasSize(2)
                .allSatisfy(
                        topic -> {
                            assertThat(topic.get("compression.type").value())
                                    .isEqualTo("uncompressed");
                            assertThat(topic.get("cleanup.policy").value()).isEqualTo("delete");
                            assertThat(topic.get("retention.ms").value()).isEqualTo("600000");
                        });
    }

    private Map<ConfigResource, Config> describe(String... topics) throws Exception {
        Collection<ConfigResource> all = new ArrayList<>();
        for (String topic : topics) {
            all.add(new ConfigResource(ConfigResource.Type.TOPIC, topic));
        }
        try (Admin admin =
                Admin.create(
                        Collections.singletonMap(
                                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                                servers.kafka().address()))) {
            return admin.describeConfigs(all).all().get(30, TimeUnit.SECONDS);
        }
    }

    @Test
    void topicsOfOthersThatCanBeUsedAreUsed() throws Exception {
        configuration.set(MecesOptions.KAFKA_REDIS_PREFIX, "theirs");
        Map<String, String> settings = Collections.singletonMap("compression.type", "producer");
        servers.kafka().createTopic("theirs-requests", 2, settings);
        servers.kafka().createTopic("theirs-responses", 4, settings);
        exchange();
    }

    private static long in(Duration time) {
        return System.nanoTime() + time.toNanos();
    }

    /** A producer asks for no longer than a send may take. */
    @Test
    void aBrokerThatKnowsATopicLateIsWaitedFor() throws Exception {
        Map<String, Object> settings = new KafkaSettings(configuration).producer("late");
        settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, "20");
        try (RecordProducer producer = new RecordProducer(settings, new Outages())) {
            assertThatThrownBy(() -> producer.prepare("late-topic", in(Duration.ofMillis(100))))
                    .isInstanceOf(TimeoutException.class);
            FutureTask<?> prepared =
                    new FutureTask<>(
                            () -> {
                                producer.prepare("late-topic", in(Duration.ofMinutes(2)));
                                return null;
                            });
            new Thread(prepared, "prepares").start();
            servers.kafka().createTopic("late-topic", 1, Collections.emptyMap());
            prepared.get(2, TimeUnit.MINUTES);
        }
    }

    @Test
    void aTopicThatIsCompactedIsRefused() throws Exception {
        Map<String, String> settings = new HashMap<>();
        settings.put("compression.type", "producer");
        settings.put("cleanup.policy", "compact");
        servers.kafka().createTopic("compacted-responses", 4, settings);
        assertRefused("compacted", "compacted-responses", "cleanup.policy=compact", "delete");
    }

    @Test
    void aTopicThatIsCompressedAsTheBrokerSaysIsRefused() throws Exception {
        servers.kafka().createTopic("zipped-requests", 2, Collections.emptyMap());
        assertRefused("zipped", "zipped-requests", "compression.type=zstd", "uncompressed");
    }

    @Test
    void aTopicThatTakesNoLargeMessagesIsRefused() throws Exception {
        Map<String, String> settings = new HashMap<>();
        settings.put("compression.type", "uncompressed");
        settings.put("max.message.bytes", "100000");
        servers.kafka().createTopic("small-requests", 2, settings);
        assertRefused("small", "small-requests", "max.message.bytes=100000", "1048588");
    }

    private void assertRefused(String prefix, String topic, String setting, String wanted)
            throws Exception {
        configuration.set(MecesOptions.KAFKA_REDIS_PREFIX, prefix);
        assertThatThrownBy(this::connect)
                .isInstanceOf(IllegalConfigurationException.class)
                .hasMessageContaining(topic)
                .hasMessageContaining(setting)
                .hasMessageContaining(wanted)
                .hasMessageContaining("kafka-configs.sh")
                .hasMessageContaining(MecesOptions.KAFKA_REDIS_PREFIX.key());
        servers.awaitKeys(0);
    }
}
