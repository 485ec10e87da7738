// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.core.exchange.PeerMessage;
import io.meces.core.exchange.Priority;
import io.meces.core.id.AttemptId;
import io.meces.runtime.MecesOptions;
import io.meces.runtime.live.Ledger;
import io.meces.runtime.transition.TransitionMetrics;
import io.meces.runtime.transition.TransitionOrigin;
import io.meces.runtime.transition.TransitionService;
import io.meces.runtime.transition.TwoEnds;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisPooled;

/** An {@link Error} in each thread of the service: it is told, and the thread goes on. */
@Timeout(120)
class ThreadFaultsTest {

    private static final int MESSAGES = 300;
    private static final int FAULTS = 5;

    private static Servers servers;

    private final Configuration configuration = servers.configuration();

    @BeforeAll
    static void startServers() throws Exception {
        servers = Servers.start();
    }

    @AfterAll
    static void stopServers() {
        servers.close();
    }

    private KafkaRedisTransitionService connect() throws Exception {
        return KafkaRedisTransitionService.connect(configuration, TransitionMetrics.unregistered());
    }

    @Test
    void anErrorInAReceiverIsSurvived() throws Exception {
        survives(InterceptorFaults.POLLS);
    }

    @Test
    void anErrorInASenderIsSurvived() throws Exception {
        survives(InterceptorFaults.SENDS);
    }

    private void survives(AtomicInteger faults) throws Exception {
        configuration.setString(
                MecesOptions.KAFKA_PREFIX + "interceptor.classes",
                InterceptorFaults.class.getName());
        KafkaRedisTransitionService here = connect();
        KafkaRedisTransitionService there = connect();
        try (TwoEnds ends = new TwoEnds(here, there)) {
            faults.set(Integer.MAX_VALUE);
            ends.send(0, MESSAGES);
            awaitOutage(here, "injected/Fault");
            faults.set(FAULTS);
            ends.assertReceived(MESSAGES);
            assertThat(faults).hasValue(0);
            awaitNoOutage(here);
            awaitNoOutage(there);
        } finally {
            faults.set(0);
        }
        servers.awaitKeys(0);
    }

    private static void awaitOutage(TransitionService service, String reason) throws Exception {
        Ledger.awaitOrFail(
                "an outage", () -> service.outage() != null && service.outage().contains(reason));
    }

    private static void awaitNoOutage(TransitionService service) throws Exception {
        Ledger.awaitOrFail("no outage", () -> service.outage() == null);
    }

    @Test
    void anErrorOfATaskThatGetsAMessageIsSurvived() throws Exception {
        AttemptId task = AttemptId.random();
        TransitionOrigin origin =
                new TransitionOrigin(new JobID(), new JobVertexID(), UUID.randomUUID(), task, 0);
        AtomicInteger met = new AtomicInteger();
        try (KafkaRedisTransitionService here = connect();
                KafkaRedisTransitionService there = connect()) {
            there.register(
                    task,
                    message -> {
                        if (met.incrementAndGet() <= FAULTS) {
                            throw new NoClassDefFoundError("injected");
                        }
                    });
            for (int i = 0; i <= FAULTS; i++) {
                here.send(
                        there.address(),
                        origin.to(task, PeerMessage.unit(1, i, new byte[9]))
                                .sequenced(Priority.URGENT, i));
                int sent = i + 1;
                Ledger.awaitOrFail("message " + sent, () -> met.get() == sent);
                if (i == 0) {
                    awaitOutage(there, "injected");
                }
            }
            awaitNoOutage(there);
        }
        servers.awaitKeys(0);
    }

    @Test
    void anErrorInALeaseIsSurvivedBeforeAnotherOneTakesTheSlot() throws Exception {
        FaultyRedis redis = new FaultyRedis();
        Outages outages = new Outages();
        Duration duration = Duration.ofSeconds(3);
        try (SlotLease lease = new SlotLease(redis, "faulty", duration, outages);
                JedisPooled sound = new JedisPooled("127.0.0.1", servers.redis().port())) {
            for (int i = 0; i < 2; i++) {
                redis.faults.set(FAULTS);
                Ledger.awaitOrFail("faults", () -> redis.faults.get() == 0);
                long renewed = redis.renewals.get();
                Ledger.awaitOrFail("renewals", () -> redis.renewals.get() > renewed);
                Ledger.awaitOrFail("no outage", () -> outages.reasons() == null);
            }
            try (SlotLease next = new SlotLease(sound, "faulty", duration, outages)) {
                assertThat(lease.slot()).isZero();
                assertThat(next.slot()).isEqualTo(1);
            }
        } finally {
            redis.close();
        }
        servers.awaitKeys(0);
    }

    /** Some scripts are not sent. */
    private static final class FaultyRedis extends JedisPooled {
        private final AtomicInteger faults = new AtomicInteger();
        private final AtomicInteger renewals = new AtomicInteger();

        private FaultyRedis() {
            super(new HostAndPort("127.0.0.1", servers.redis().port()));
        }

        @Override
        public Object eval(String script, List<String> keys, List<String> arguments) {
            if (faults.getAndUpdate(number -> Math.max(0, number - 1)) > 0) {
                throw new NoClassDefFoundError("injected");
            }
            Object answer = super.eval(script, keys, arguments);
            renewals.incrementAndGet();
            return answer;
        }
    }

    @Test
    void recordsThatCannotBeReadAreToldAndSkipped() throws Exception {
        configuration.set(MecesOptions.KAFKA_REDIS_PREFIX, "altered");
        KafkaRedisTransitionService here = connect();
        KafkaRedisTransitionService there = connect();
        try (TwoEnds ends = new TwoEnds(here, there)) {
            ends.send(0, MESSAGES);
            ends.awaitReceived(Priority.BULK, MESSAGES);
            compress("altered-responses", "zstd");
            int sent = MESSAGES;
            while (here.outage() == null) {
                int next = sent + 10;
                ends.send(sent, next);
                Ledger.awaitOrFail(
                        "messages, or none any more",
                        () ->
                                ends.received(Priority.BULK) == next
                                        || here.outage() != null
                                        || there.outage() != null);
                sent = next;
            }
            awaitOutage(here, "zstd");
            ends.awaitReceived(Priority.CONTROL, sent);
            compress("altered-responses", "uncompressed");
            ends.assertReceived(sent);
            awaitNoOutage(here);
        }
        servers.awaitKeys(0);
    }

    private void compress(String topic, String codec) throws Exception {
        try (Admin admin = admin()) {
            admin.incrementalAlterConfigs(
                            Collections.singletonMap(
                                    new ConfigResource(ConfigResource.Type.TOPIC, topic),
                                    Collections.singletonList(
                                            new AlterConfigOp(
                                                    new ConfigEntry("compression.type", codec),
                                                    AlterConfigOp.OpType.SET))))
                    .all()
                    .get(30, TimeUnit.SECONDS);
            ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
            Ledger.awaitOrFail(
                    "the broker's knowledge",
                    () ->
                            admin.describeConfigs(Collections.singleton(resource))
                                    .values()
                                    .get(resource)
                                    .get(30, TimeUnit.SECONDS)
                                    .get("compression.type")
                                    .value()
                                    .equals(codec));
        }
    }

    private static Admin admin() {
        return Admin.create(
                Collections.singletonMap(
                        AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, servers.kafka().address()));
    }
}
