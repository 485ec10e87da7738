// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition.kafka;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.abort;

import io.meces.runtime.MecesOptions;
import io.meces.runtime.live.Ledger;
import io.meces.runtime.transition.TestKeys;
import io.meces.runtime.transition.TransitionMetrics;
import io.meces.runtime.transition.TwoEnds;
import io.meces.servers.FreePorts;
import io.meces.servers.ProcessEndedException;
import io.meces.servers.RedisServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Jedis;

/** Kafka and Redis that want to know who we are, and encrypt. */
@Tag("full")
@Timeout(180)
class SecuredServersTest {

    private static final String SECRET = "open-sesame";
    private static final int MESSAGES = 300;
    private static final int LEASES = 2;

    @TempDir private static Path directory;

    private static TestKeys keys;
    private static TestKeys stranger;
    private static int saslPort;
    private static int tlsPort;
    private static Servers servers;

    private final Configuration configuration = servers.configuration();

    @BeforeAll
    static void startServers() throws Exception {
        keys = TestKeys.make(directory, "meces");
        stranger = TestKeys.make(directory, "stranger");
        int[] ports = FreePorts.find(2);
        saslPort = ports[0];
        tlsPort = ports[1];
        String listeners =
                "PLAINTEXT://127.0.0.1:{port},SASL_PLAINTEXT://127.0.0.1:"
                        + saslPort
                        + ",SSL://127.0.0.1:"
                        + tlsPort;
        Map<String, String> kafka = new HashMap<>();
        kafka.put("listeners", listeners + ",CONTROLLER://127.0.0.1:{controller}");
        kafka.put("advertised.listeners", listeners);
        kafka.put(
                "listener.security.protocol.map",
                "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT,SSL:SSL");
        kafka.put("sasl.enabled.mechanisms", "PLAIN");
        kafka.put(
                "listener.name.sasl_plaintext.plain.sasl.jaas.config",
                login("user_meces=\"" + SECRET + "\""));
        kafka.put("ssl.client.auth", "required");
        kafka.put("ssl.keystore.location", keys.store().toString());
        kafka.put("ssl.keystore.password", TestKeys.PASSWORD);
        kafka.put("ssl.truststore.location", keys.store().toString());
        kafka.put("ssl.truststore.password", TestKeys.PASSWORD);
        servers = Servers.start(kafka);
    }

    @AfterAll
    static void stopServers() {
        servers.close();
    }

    private static String login(String options) {
        return "org.apache.kafka.common.security.plain.PlainLoginModule required " + options + ";";
    }

    // ------------------------------------------------------------------------
    //  Kafka
    // ------------------------------------------------------------------------

    @Test
    void kafkaWithSaslPlain() throws Exception {
        useSasl(SECRET);
        exchange(servers.redis()::keys);
    }

    @Test
    void kafkaRefusesAWrongPasswordWithoutShowingIt() {
        useSasl("wrong-" + SECRET);
        assertRefused("cannot use Kafka at 127.0.0.1:" + saslPort, "Authentication failed");
    }

    private void useSasl(String password) {
        configuration.set(MecesOptions.KAFKA_BOOTSTRAP_SERVERS, "127.0.0.1:" + saslPort);
        setKafka("security.protocol", "SASL_PLAINTEXT");
        setKafka("sasl.mechanism", "PLAIN");
        setKafka(
                "secret.sasl.jaas.config",
                login("username=\"meces\" password=\"" + password + "\""));
    }

    @Test
    void kafkaWithTls() throws Exception {
        useKafkaTls(keys);
        exchange(servers.redis()::keys);
    }

    @Test
    void aKafkaThatIsNotTrustedIsRefused() {
        useKafkaTls(stranger);
        assertRefused("cannot use Kafka at 127.0.0.1:" + tlsPort, "certification path");
    }

    private void useKafkaTls(TestKeys own) {
        configuration.set(MecesOptions.KAFKA_BOOTSTRAP_SERVERS, "127.0.0.1:" + tlsPort);
        setKafka("security.protocol", "SSL");
        setKafka("ssl.keystore.location", own.store().toString());
        setKafka("ssl.keystore.password", TestKeys.PASSWORD);
        setKafka("ssl.truststore.location", own.store().toString());
        setKafka("ssl.truststore.password", TestKeys.PASSWORD);
    }

    private void setKafka(String name, String value) {
        configuration.setString(MecesOptions.KAFKA_PREFIX + name, value);
    }

    // ------------------------------------------------------------------------
    //  Redis
    // ------------------------------------------------------------------------

    @Test
    void redisWithAPassword() throws Exception {
        RedisServer redis = servers.startRedis("--requirepass", SECRET);
        configuration.set(MecesOptions.REDIS_HOSTS, redis.address());
        configuration.set(MecesOptions.REDIS_PASSWORD, SECRET);
        exchange(
                () -> {
                    try (Jedis jedis = new Jedis("127.0.0.1", redis.port())) {
                        jedis.auth(SECRET);
                        return jedis.dbSize();
                    }
                });
    }

    @Test
    void redisWithTlsForAUserWhoMayUseOurKeysOnly() throws Exception {
        int port = FreePorts.find(1)[0];
        RedisServer redis = startTlsRedis(port);
        configuration.set(MecesOptions.REDIS_HOSTS, "127.0.0.1:" + port);
        configuration.set(MecesOptions.REDIS_USER, "meces");
        configuration.set(MecesOptions.REDIS_PASSWORD, SECRET);
        useRedisTls(keys);
        exchange(redis::keys);

        useRedisTls(stranger);
        assertRefused("cannot use Redis at 127.0.0.1:" + port, "certification path");
    }

    private void useRedisTls(TestKeys own) {
        configuration.set(MecesOptions.REDIS_TLS, true);
        configuration.set(MecesOptions.REDIS_KEYSTORE, own.store().toString());
        configuration.set(MecesOptions.REDIS_KEYSTORE_PASSWORD, TestKeys.PASSWORD);
        configuration.set(MecesOptions.REDIS_TRUSTSTORE, own.store().toString());
        configuration.set(MecesOptions.REDIS_TRUSTSTORE_PASSWORD, TestKeys.PASSWORD);
    }

    private static RedisServer startTlsRedis(int port) throws Exception {
        try {
            return servers.startRedis(
                    "--tls-port",
                    "" + port,
                    "--tls-cert-file",
                    keys.certificate().toString(),
                    "--tls-key-file",
                    keys.key().toString(),
                    "--tls-ca-cert-file",
                    keys.certificate().toString(),
                    "--user",
                    "meces",
                    "on",
                    ">" + SECRET,
                    "~meces:*",
                    "+@all");
        } catch (ProcessEndedException e) {
            if (e.getMessage().contains("Bad directive")) {
                return abort("The redis-server for this machine was built without TLS.");
            }
            throw e;
        }
    }

    // ------------------------------------------------------------------------

    /** Everything arrives, and nothing stays but the leases, and not these in the end. */
    private void exchange(Keys inRedis) throws Exception {
        TransitionMetrics metrics = TransitionMetrics.unregistered();
        try (TwoEnds ends =
                new TwoEnds(
                        KafkaRedisTransitionService.connect(configuration, metrics),
                        KafkaRedisTransitionService.connect(configuration, metrics))) {
            ends.send(0, MESSAGES);
            ends.assertReceived(MESSAGES);
            Ledger.awaitOrFail("only leases", () -> inRedis.count() == LEASES);
        }
        Ledger.awaitOrFail("no keys", () -> inRedis.count() == 0);
    }

    /** At once, as it is no use to try again. */
    private void assertRefused(String what, String why) {
        configuration.set(MecesOptions.KAFKA_REDIS_START_TIMEOUT, Duration.ofMinutes(10));
        assertThatThrownBy(
                        () ->
                                KafkaRedisTransitionService.connect(
                                        configuration, TransitionMetrics.unregistered()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(what)
                .hasMessageContaining(why)
                .hasMessageNotContaining(SECRET);
    }

    /** How many keys there are. */
    private interface Keys {
        long count() throws Exception;
    }
}
