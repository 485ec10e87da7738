// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.core.exchange.PeerMessage;
import io.meces.core.exchange.Priority;
import io.meces.core.id.AttemptId;
import io.meces.runtime.MecesOptions;
import io.meces.runtime.live.Ledger;
import io.meces.runtime.transition.DropReason;
import io.meces.runtime.transition.TransitionCodec;
import io.meces.runtime.transition.TransitionInbox;
import io.meces.runtime.transition.TransitionMessage;
import io.meces.runtime.transition.TransitionMetrics;
import io.meces.runtime.transition.TransitionOrigin;
import io.meces.runtime.transition.TransitionServiceFactory;
import io.meces.servers.FreePorts;
import io.meces.servers.RedisServer;
import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Starting, slots, and what strangers put into topics. */
@Timeout(120)
class KafkaRedisTransitionServiceTest {

    private static final String SECRET = "open-sesame";

    private static Servers servers;

    private final List<KafkaRedisTransitionService> services = new ArrayList<>();
    private final TransitionMetrics metrics = TransitionMetrics.unregistered();
    private final Configuration configuration = servers.configuration();
    private final AttemptId bob = AttemptId.random();
    private final TransitionOrigin messages =
            new TransitionOrigin(
                    new JobID(), new JobVertexID(), UUID.randomUUID(), AttemptId.random(), 0);

    @BeforeAll
    static void startServers() throws Exception {
        servers = Servers.start();
    }

    @AfterAll
    static void stopServers() {
        servers.close();
    }

    @AfterEach
    void stopServices() throws Exception {
        services.forEach(KafkaRedisTransitionService::close);
        servers.awaitKeys(0);
    }

    private KafkaRedisTransitionService start() throws Exception {
        KafkaRedisTransitionService service =
                (KafkaRedisTransitionService)
                        TransitionServiceFactory.of(configuration)
                                .create(InetAddress.getLoopbackAddress(), configuration, metrics);
        services.add(service);
        return service;
    }

    @Test
    @Timeout(30)
    void aKafkaThatIsNotThereIsRefusedByItsAddress() throws Exception {
        String address = "127.0.0.1:" + FreePorts.find(1)[0];
        configuration.set(MecesOptions.KAFKA_BOOTSTRAP_SERVERS, address);
        configuration.set(MecesOptions.KAFKA_REDIS_START_TIMEOUT, Duration.ofSeconds(3));

        assertThatThrownBy(this::start)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cannot use Kafka at " + address)
                .hasMessageContaining("meces.kafka.bootstrap.servers")
                .hasMessageContaining("refused");
    }

    @Test
    @Timeout(30)
    void aRedisThatIsNotThereIsRefusedByItsAddress() throws Exception {
        String address = "127.0.0.1:" + FreePorts.find(1)[0];
        configuration.set(MecesOptions.REDIS_HOSTS, address);
        configuration.set(MecesOptions.KAFKA_REDIS_START_TIMEOUT, Duration.ofSeconds(3));

        assertThatThrownBy(this::start)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cannot use Redis at " + address)
                .hasMessageContaining("meces.redis.hosts")
                .hasMessageContaining("refused");
    }

    @Test
    @Timeout(30)
    void aRedisThatHangsIsRefusedInTime() throws Exception {
        configuration.set(MecesOptions.KAFKA_REDIS_START_TIMEOUT, Duration.ofSeconds(3));
        servers.redis().process().pause();
        try {
            assertThatThrownBy(this::start)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("cannot use Redis at " + servers.redis().address())
                    .hasMessageContaining("timed out");
        } finally {
            servers.redis().process().resume();
        }
    }

    @Test
    void aRedisThatStartsLaterIsAwaited() throws Exception {
        servers.redis().stop(true);
        CompletableFuture<KafkaRedisTransitionService> starting = startInBackground();
        assertThatThrownBy(() -> starting.get(1, TimeUnit.SECONDS))
                .isInstanceOf(TimeoutException.class);
        servers.redis().restart();
        assertThat(starting.get(60, TimeUnit.SECONDS).address().partition()).isZero();
    }

    @Test
    void aKafkaThatStartsLaterIsAwaited() throws Exception {
        servers.kafka().stop(false);
        CompletableFuture<KafkaRedisTransitionService> starting = startInBackground();
        assertThatThrownBy(() -> starting.get(1, TimeUnit.SECONDS))
                .isInstanceOf(TimeoutException.class);
        servers.kafka().restart();
        assertThat(starting.get(60, TimeUnit.SECONDS).address().partition()).isZero();
    }

    private CompletableFuture<KafkaRedisTransitionService> startInBackground() {
        configuration.set(MecesOptions.KAFKA_REDIS_START_TIMEOUT, Duration.ofSeconds(60));
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return start();
                    } catch (Exception e) {
                        throw new CompletionException(e);
                    }
                });
    }

    @Test
    void whatIsNotConfiguredIsNamed() {
        configuration.removeConfig(MecesOptions.REDIS_HOSTS);
        assertThatThrownBy(this::start)
                .isInstanceOf(IllegalConfigurationException.class)
                .hasMessageContaining("meces.redis.hosts");
        configuration.removeConfig(MecesOptions.KAFKA_BOOTSTRAP_SERVERS);
        assertThatThrownBy(this::start)
                .isInstanceOf(IllegalConfigurationException.class)
                .hasMessageContaining("meces.kafka.bootstrap.servers");
    }

    @Test
    void aPasswordIsUsedAndAWrongOneIsRefusedWithoutShowingIt() throws Exception {
        RedisServer closed = servers.startRedis("--requirepass", SECRET);
        configuration.set(MecesOptions.REDIS_HOSTS, closed.address());
        configuration.set(MecesOptions.REDIS_PASSWORD, "wrong-" + SECRET);
        // not to be tried for so long
        configuration.set(MecesOptions.KAFKA_REDIS_START_TIMEOUT, Duration.ofMinutes(10));
        assertThatThrownBy(this::start)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cannot use Redis at " + closed.address())
                .hasMessageContaining("WRONGPASS")
                .hasMessageNotContaining(SECRET);

        configuration.set(MecesOptions.REDIS_PASSWORD, SECRET);
        assertThat(start().address().partition()).isZero();
    }

    @Test
    void eachTaskManagerHasPartitionsOfItsOwnAlsoBeyondThoseAtFirst() throws Exception {
        configuration.set(MecesOptions.KAFKA_REDIS_PREFIX, "growing");
        for (int i = 0; i < 4; i++) {
            assertThat(start().address().partition()).isEqualTo(i);
        }
        KafkaRedisTransitionService first = services.get(0);
        KafkaRedisTransitionService last = services.get(3);
        Inbox inbox = new Inbox();
        last.register(bob, inbox);
        for (Priority priority : Priority.values()) {
            first.send(
                    last.address(),
                    messages.to(bob, PeerMessage.unit(1, 5, new byte[10])).sequenced(priority, 0));
            assertThat(inbox.take().priority()).isEqualTo(priority);
        }
    }

    @Test
    void aSlotThatIsGivenBackIsUsedAgain() throws Exception {
        start();
        start();
        start();
        services.get(1).close();

        KafkaRedisTransitionService next = start();

        assertThat(next.address().partition()).isEqualTo(1);
        assertThat(next.address()).isNotEqualTo(services.get(1).address());
    }

    @Test
    void aSlotStaysTakenLongerThanItsLeaseLasts() throws Exception {
        configuration.set(MecesOptions.KAFKA_REDIS_LEASE, Duration.ofMillis(900));
        start();
        long renewed = servers.redis().calls("eval");
        Ledger.awaitOrFail("five renewals", () -> servers.redis().calls("eval") >= renewed + 5);

        assertThat(start().address().partition()).isEqualTo(1);
    }

    @Test
    void aPayloadThatIsMissingAndRecordsOfStrangersAreDroppedAndCounted() throws Exception {
        KafkaRedisTransitionService service = start();
        Inbox inbox = new Inbox();
        service.register(bob, inbox);
        String topic = "meces-responses";
        int urgent = 2 * service.address().partition();
        byte[] reference =
                TransitionCodec.encode(
                        messages.to(bob, PeerMessage.unit(1, 5, new byte[0]))
                                .sequenced(Priority.URGENT, 0));
        byte[] sound =
                TransitionCodec.encode(
                        messages.to(bob, PeerMessage.aligned(1)).sequenced(Priority.URGENT, 1));
        byte[] damaged = sound.clone();
        damaged[20] ^= 1;
        Map<String, Object> settings = new HashMap<>();
        settings.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, servers.kafka().address());
        try (KafkaProducer<byte[], byte[]> stranger =
                new KafkaProducer<>(
                        settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            ProducerRecord<byte[], byte[]> dangling =
                    new ProducerRecord<>(topic, urgent, null, reference);
            dangling.headers().add(PrioritySender.REFERENCE, new byte[0]);
            stranger.send(dangling);
            stranger.send(new ProducerRecord<>(topic, urgent, null, null));
            stranger.send(new ProducerRecord<>(topic, urgent, null, "hello".getBytes()));
            stranger.send(new ProducerRecord<>(topic, urgent, null, damaged));
            stranger.send(new ProducerRecord<>(topic, urgent, null, sound));
        }

        assertThat(inbox.take().kind()).isEqualTo(PeerMessage.Kind.ALIGNED);
        assertThat(metrics.droppedFor(DropReason.PAYLOAD_MISSING)).isEqualTo(1);
        assertThat(metrics.droppedFor(DropReason.MALFORMED)).isEqualTo(3);
    }

    @Test
    void whatIsNotReleasedIsDeletedOnClose() throws Exception {
        KafkaRedisTransitionService here = start();
        KafkaRedisTransitionService there = start();
        Inbox inbox = new Inbox();
        there.register(bob, inbox);
        for (int i = 0; i < 20; i++) {
            here.send(
                    there.address(),
                    messages.to(bob, PeerMessage.unit(1, i, new byte[9]))
                            .sequenced(Priority.BULK, i));
            inbox.take();
        }
        servers.awaitKeys(2 + 20);

        here.close();

        servers.awaitKeys(1);
    }

    @Test
    void stateOfEachKindIsInRedisAndNotInRecords() throws Exception {
        configuration.set(MecesOptions.KAFKA_REDIS_PREFIX, "bare");
        KafkaRedisTransitionService here = start();
        KafkaRedisTransitionService there = start();
        Inbox inbox = new Inbox();
        there.register(bob, inbox);
        List<PeerMessage> all =
                Arrays.asList(
                        PeerMessage.unit(1, 2, SECRET.getBytes()),
                        PeerMessage.chunk(1, SECRET.getBytes()),
                        PeerMessage.keyData(1, 2, SECRET.getBytes()),
                        PeerMessage.data(1, 2, SECRET.getBytes()),
                        PeerMessage.broadcastState(1, SECRET.getBytes()));
        for (int i = 0; i < all.size(); i++) {
            TransitionMessage message = messages.to(bob, all.get(i)).sequenced(Priority.BULK, i);
            here.send(there.address(), message);
            assertThat(inbox.take().payload()).as("%s", message).isEqualTo(SECRET.getBytes());
            servers.awaitKeys(2 + 1);
            here.release(there.address(), message);
            servers.awaitKeys(2);
        }
        assertThat(records("bare-responses")).hasSize(all.size()).doesNotContain(SECRET);
    }

    /** What comes after the header, of all partitions. */
    private List<String> records(String topic) {
        Map<String, Object> settings = new HashMap<>();
        settings.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, servers.kafka().address());
        List<String> payloads = new ArrayList<>();
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(
                        settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions =
                    consumer.partitionsFor(topic).stream()
                            .map(each -> new TopicPartition(topic, each.partition()))
                            .collect(Collectors.toList());
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            while (partitions.stream().anyMatch(p -> consumer.position(p) < ends.get(p))) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofSeconds(1))) {
                    payloads.add(
                            new String(
                                    record.value(),
                                    TransitionCodec.HEADER_LENGTH,
                                    record.value().length - TransitionCodec.HEADER_LENGTH));
                }
            }
        }
        return payloads;
    }

    /** What has come for a task. */
    private static final class Inbox implements TransitionInbox {
        private final BlockingQueue<TransitionMessage> messages = new LinkedBlockingQueue<>();

        @Override
        public void onMessage(TransitionMessage message) {
            messages.add(message);
        }

        private TransitionMessage take() throws InterruptedException {
            TransitionMessage message = messages.poll(30, TimeUnit.SECONDS);
            assertThat(message).isNotNull();
            return message;
        }
    }
}
