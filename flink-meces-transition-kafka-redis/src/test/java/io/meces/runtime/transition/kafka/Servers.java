// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition.kafka;

import io.meces.runtime.MecesOptions;
import io.meces.runtime.live.Ledger;
import io.meces.runtime.transition.TransitionServiceFactory;
import io.meces.servers.KafkaBroker;
import io.meces.servers.ProcessGroup;
import io.meces.servers.RedisServer;
import io.meces.servers.ServerFiles;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.Configuration;

/** A Kafka and a Redis for tests, as processes of their own. For one thread. */
public final class Servers implements AutoCloseable {

    private static final Duration START = Duration.ofSeconds(180);

    private static final Path LOGS = Paths.get("target", "servers");

    /** Those of the build. */
    static final ServerFiles FILES = new ServerFiles(Paths.get(System.getProperty("meces.home")));

    private final ServerFiles files;
    private final ProcessGroup group;
    private final KafkaBroker kafka;
    private final RedisServer redis;

    private Servers(ServerFiles files, Map<String, String> kafkaSettings) throws Exception {
        this.files = files;
        group = new ProcessGroup("meces-test");
        try {
            redis = RedisServer.start(files, group, LOGS);
            kafka = KafkaBroker.start(files, group, LOGS, kafkaSettings);
            redis.awaitReady(START);
            kafka.awaitReady(START);
        } catch (Exception e) {
            group.close();
            throw e;
        }
    }

    /** Starts both and waits until they are ready. */
    public static Servers start() throws Exception {
        return start(Collections.emptyMap());
    }

    /** As {@link #start()}, with settings of the broker. */
    static Servers start(Map<String, String> kafkaSettings) throws Exception {
        return new Servers(FILES, kafkaSettings);
    }

    /** As {@link #start()}, with other programs. */
    static Servers start(ServerFiles files) throws Exception {
        return new Servers(files, Collections.emptyMap());
    }

    /** Starts one more Redis and waits until it is ready. */
    RedisServer startRedis(String... arguments) throws Exception {
        RedisServer another = RedisServer.start(files, group, LOGS, arguments);
        another.awaitReady(START);
        return another;
    }

    /** Starts a Sentinel for a master and waits until it is ready. */
    RedisServer startSentinel(String masterName, RedisServer master) throws Exception {
        RedisServer sentinel =
                RedisTopologies.startSentinel(files, group, LOGS, masterName, master.port());
        sentinel.awaitReady(START);
        return sentinel;
    }

    /** Starts a cluster of masters and waits until it serves. */
    List<RedisServer> startCluster(int masters) throws Exception {
        return RedisTopologies.startCluster(files, group, LOGS, masters, START);
    }

    /** Starts a replica of the last master of a cluster and waits until all know it as one. */
    RedisServer startClusterReplica(List<RedisServer> cluster) throws Exception {
        return RedisTopologies.startClusterReplica(files, group, LOGS, cluster, START);
    }

    public KafkaBroker kafka() {
        return kafka;
    }

    public RedisServer redis() {
        return redis;
    }

    /** For TaskManagers that use them. */
    public Configuration configuration() {
        Configuration configuration = new Configuration();
        configuration.set(MecesOptions.TRANSITION_SERVICE, TransitionServiceFactory.KAFKA_REDIS);
        configuration.set(MecesOptions.KAFKA_BOOTSTRAP_SERVERS, kafka.address());
        configuration.set(MecesOptions.REDIS_HOSTS, redis.address());
        configuration.set(MecesOptions.KAFKA_REDIS_PARTITIONS, 2);
        configuration.set(MecesOptions.KAFKA_REDIS_REPLICATION, 1);
        return configuration;
    }

    /** Waits until Redis has as many keys, which are leases. */
    public void awaitKeys(int number) throws Exception {
        Ledger.awaitOrFail(number + " keys in Redis", () -> redis.keys() == number);
    }

    @Override
    public void close() {
        group.close();
    }
}
