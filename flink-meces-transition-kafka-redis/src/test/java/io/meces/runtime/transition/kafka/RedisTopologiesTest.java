// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.runtime.MecesOptions;
import io.meces.runtime.live.Ledger;
import io.meces.runtime.transition.TransitionMetrics;
import io.meces.runtime.transition.TwoEnds;
import io.meces.servers.RedisServer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import redis.clients.jedis.exceptions.JedisException;

/** Redis that is more than one server. */
@Tag("full")
@Timeout(180)
class RedisTopologiesTest {

    private static final int LEASES = 2;
    private static final long PATIENCE_MS = 60_000;

    private static Servers servers;

    private final TransitionMetrics metrics = TransitionMetrics.unregistered();
    private final Configuration configuration = servers.configuration();

    @BeforeAll
    static void startServers() throws Exception {
        servers = Servers.start();
    }

    @AfterAll
    static void stopServers() {
        servers.close();
    }

    private TwoEnds start() throws Exception {
        return new TwoEnds(
                KafkaRedisTransitionService.connect(configuration, metrics),
                KafkaRedisTransitionService.connect(configuration, metrics));
    }

    @Test
    void aClusterHoldsPayloadsOnAllItsMastersAndIsLeftEmpty() throws Exception {
        List<RedisServer> cluster = servers.startCluster(3);
        configuration.set(MecesOptions.REDIS_MODE, MecesOptions.RedisMode.CLUSTER);
        configuration.set(MecesOptions.REDIS_HOSTS, cluster.get(0).address());
        try (TwoEnds ends = start()) {
            ends.send(0, 600);
            ends.assertReceived(600);
            for (RedisServer master : cluster) {
                assertThat(master.calls("set")).isGreaterThan(100);
            }
            awaitKeys(LEASES, cluster);
        }
        awaitKeys(0, cluster);
    }

    @Test
    void aClusterGoesOnWithTheReplicaOfAMasterThatIsGone() throws Exception {
        List<RedisServer> cluster = servers.startCluster(3);
        RedisServer replica = servers.startClusterReplica(cluster);
        configuration.set(MecesOptions.REDIS_MODE, MecesOptions.RedisMode.CLUSTER);
        configuration.set(MecesOptions.REDIS_HOSTS, cluster.get(0).address());
        Map<String, byte[]> payloads = new HashMap<>();
        for (int i = 0; i < 100; i++) {
            payloads.put("meces:" + i, new byte[] {1});
        }
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PATIENCE_MS);
        try (PayloadStore store = PayloadStore.connect(configuration, deadline)) {
            assertThat(store.update(payloads, Collections.emptySet())).isEmpty();

            replica.process().pause();
            cluster.get(2).stop(true);
            // the connections that stood are all found broken before the replica takes over
            for (int failures = 0; failures < 5; failures++) {
                assertThatThrownBy(() -> store.update(payloads, Collections.emptySet()))
                        .isInstanceOf(JedisException.class);
            }
            replica.process().resume();
            Ledger.awaitOrFail("failover", () -> RedisTopologies.isMaster(replica));

            Retries.DEFAULT.until(
                    deadline,
                    JedisException.class::isInstance,
                    () -> {
                        assertThat(store.update(payloads, Collections.emptySet())).isEmpty();
                        return null;
                    });
            assertThat(store.read(new ArrayList<>(payloads.keySet()))).doesNotContainNull();
            assertThat(replica.calls("set")).isPositive();
        }
    }

    @Test
    void whatAFailoverOfAMasterLosesIsSentAgain() throws Exception {
        RedisServer master = servers.startRedis();
        RedisServer replica = servers.startRedis("--replicaof", "127.0.0.1", "" + master.port());
        Ledger.awaitOrFail("replication", () -> RedisTopologies.follows(replica));
        RedisServer sentinel = servers.startSentinel("payloads", master);
        configuration.set(MecesOptions.REDIS_MODE, MecesOptions.RedisMode.SENTINEL);
        configuration.set(MecesOptions.REDIS_HOSTS, sentinel.address());
        configuration.set(MecesOptions.REDIS_MASTER, "payloads");
        try (TwoEnds ends = start()) {
            ends.send(0, 200);
            ends.assertReceived(200);
            Ledger.awaitOrFail("replication", () -> replica.keys() == LEASES);

            // what is written from now on does not get to the replica, and nobody reads it
            replica.process().pause();
            assertThat(master.ask("CLIENT KILL TYPE replica")).isEqualTo(":1");
            servers.kafka().process().pause();
            long repeated = ends.repeated();
            ends.send(200, 400);
            Ledger.awaitOrFail("payloads", () -> master.keys() > LEASES + 100);
            master.stop(true);
            replica.process().resume();
            servers.kafka().process().resume();
            ends.send(400, 600);

            ends.assertReceived(600);
            assertThat(RedisTopologies.isMaster(replica)).isTrue();
            // most are found missing first; one that is sent again early enough is not
            assertThat(ends.repeated() - repeated).isGreaterThan(100);
            awaitKeys(LEASES, Collections.singletonList(replica));
        }
        awaitKeys(0, Collections.singletonList(replica));
    }

    private static void awaitKeys(int number, List<RedisServer> redis) throws Exception {
        Ledger.awaitOrFail(
                number + " keys",
                () -> {
                    long keys = 0;
                    for (RedisServer server : redis) {
                        keys += server.keys();
                    }
                    return keys == number;
                });
    }
}
