// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition.kafka;

import io.meces.servers.FreePorts;
import io.meces.servers.ProcessGroup;
import io.meces.servers.RedisServer;
import io.meces.servers.ServerFiles;
import io.meces.servers.ServerProcess;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Redis servers that belong together: with a Sentinel, or as a cluster. */
final class RedisTopologies {
    /** Nodes of a cluster talk to each other at a port that is so much higher. */
    private static final int BUS = 10_000;

    private static final int MAX_CLUSTER_PORT = 65_535 - BUS;

    /** Of a cluster. */
    private static final int SLOTS = 16_384;

    private RedisTopologies() {}

    /** Starts a Sentinel that watches a server as the only one of its kind. */
    static RedisServer startSentinel(
            ServerFiles files,
            ProcessGroup group,
            Path logDirectory,
            String masterName,
            int masterPort)
            throws IOException {
        int port = FreePorts.find(1)[0];
        Path config = Files.createDirectories(group.directory()).resolve("sentinel-" + port);
        Files.write(
                config,
                Arrays.asList(
                        "port " + port,
                        "bind 127.0.0.1",
                        "sentinel monitor " + masterName + " 127.0.0.1 " + masterPort + " 1",
                        "sentinel down-after-milliseconds " + masterName + " 1000",
                        "sentinel failover-timeout " + masterName + " 3000"),
                StandardCharsets.UTF_8);
        return new RedisServer(
                group,
                () ->
                        ServerProcess.start(
                                "sentinel-" + port,
                                logDirectory,
                                Arrays.asList(
                                        files.redisServer().toString(),
                                        config.toString(),
                                        "--sentinel")),
                port);
    }

    /** Starts a cluster of masters without replicas, and waits until it serves. */
    static List<RedisServer> startCluster(
            ServerFiles files, ProcessGroup group, Path logDirectory, int masters, Duration timeout)
            throws Exception {
        List<RedisServer> cluster = new ArrayList<>();
        while (cluster.size() < masters) {
            cluster.add(startNode(files, group, logDirectory));
        }
        for (int i = 0; i < masters; i++) {
            RedisServer master = cluster.get(i);
            master.awaitReady(timeout);
            String slots =
                    IntStream.range(i * SLOTS / masters, (i + 1) * SLOTS / masters)
                            .mapToObj(String::valueOf)
                            .collect(Collectors.joining(" "));
            require(master, "CLUSTER ADDSLOTS " + slots);
            // else they agree on one only after having met
            require(master, "CLUSTER SET-CONFIG-EPOCH " + (i + 1));
            require(master, "CLUSTER MEET 127.0.0.1 " + cluster.get(0).port());
        }
        for (RedisServer master : cluster) {
            master.process()
                    .awaitReady(
                            () ->
                                    master.exchange("CLUSTER INFO", "")
                                            .containsAll(
                                                    Arrays.asList(
                                                            "cluster_state:ok",
                                                            "cluster_known_nodes:" + masters)),
                            timeout);
        }
        return cluster;
    }

    private static RedisServer startNode(ServerFiles files, ProcessGroup group, Path logDirectory)
            throws IOException {
        int port = FreePorts.find(1)[0];
        while (port > MAX_CLUSTER_PORT || !isFree(port + BUS)) {
            port = FreePorts.find(1)[0];
        }
        return RedisServer.start(
                files,
                group,
                logDirectory,
                port,
                "--cluster-enabled",
                "yes",
                "--cluster-node-timeout",
                "2000",
                // a replica takes over however long it has not heard of its master
                "--cluster-replica-validity-factor",
                "0");
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress("127.0.0.1", port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Starts a replica of the last master of a cluster, and waits until all know it as one. */
    static RedisServer startClusterReplica(
            ServerFiles files,
            ProcessGroup group,
            Path logDirectory,
            List<RedisServer> cluster,
            Duration timeout)
            throws Exception {
        RedisServer master = cluster.get(cluster.size() - 1);
        RedisServer replica = startNode(files, group, logDirectory);
        replica.awaitReady(timeout);
        require(replica, "CLUSTER MEET 127.0.0.1 " + master.port());
        String id =
                master.exchange("CLUSTER NODES", "").stream()
                        .filter(line -> line.contains("myself"))
                        .map(line -> line.substring(0, line.indexOf(' ')))
                        .findFirst()
                        .orElseThrow(() -> new IOException("no node at " + master.address()));
        // refused until it has heard of the master
        replica.process()
                .awaitReady(() -> replica.ask("CLUSTER REPLICATE " + id).startsWith("+"), timeout);
        replica.process().awaitReady(() -> follows(replica), timeout);
        for (RedisServer node : cluster) {
            // it could not win an election of those to whom it is a stranger
            node.process()
                    .awaitReady(
                            () ->
                                    node.exchange("CLUSTER NODES", "").stream()
                                            .anyMatch(line -> line.contains(" slave " + id)),
                            timeout);
        }
        return replica;
    }

    /** Whether this server is a replica that follows its master. */
    static boolean follows(RedisServer server) throws IOException {
        return server.exchange("INFO replication", "").contains("master_link_status:up");
    }

    /** Whether this server is a master, maybe since a failover. */
    static boolean isMaster(RedisServer server) throws IOException {
        return server.exchange("INFO replication", "").contains("role:master");
    }

    private static void require(RedisServer server, String command) throws IOException {
        String answer = server.ask(command);
        if (!answer.startsWith("+")) {
            throw new IOException("Redis at " + server.address() + " answered " + answer);
        }
    }
}
