// SPDX-License-Identifier: Apache-2.0
package io.meces.servers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A Redis server, or a Sentinel, as a process that listens on 127.0.0.1. It can be ended and
 * started again, without its data, at the same address. Not thread-safe.
 */
public final class RedisServer extends RestartableServer {
    private static final int PROBE_TIMEOUT_MS = 2_000;

    /** Nodes of a cluster talk to each other at a port that is so much higher. */
    private static final int BUS = 10_000;

    private static final int MAX_CLUSTER_PORT = 65_535 - BUS;

    /** Of a cluster. */
    private static final int SLOTS = 16_384;

    private RedisServer(ProcessGroup group, ProcessGroup.Starter starter, int port)
            throws IOException {
        super(group, starter, port);
    }

    /**
     * Starts an empty server that keeps nothing on disk.
     *
     * @param files where its program is
     * @param group gets the process
     * @param logDirectory where {@code redis-<port>.log} goes
     * @param arguments for redis-server, such as {@code --requirepass secret}
     */
    public static RedisServer start(
            ServerFiles files, ProcessGroup group, Path logDirectory, String... arguments)
            throws IOException {
        return start(files, group, logDirectory, FreePorts.find(1)[0], arguments);
    }

    private static RedisServer start(
            ServerFiles files, ProcessGroup group, Path logDirectory, int port, String... arguments)
            throws IOException {
        List<String> command = command(files, group, port);
        command.addAll(Arrays.asList("--port", "" + port, "--bind", "127.0.0.1"));
        command.addAll(Arrays.asList("--save", "", "--appendonly", "no"));
        command.addAll(Arrays.asList(arguments));
        return new RedisServer(
                group, () -> ServerProcess.start("redis-" + port, logDirectory, command), port);
    }

    /** Starts a Sentinel that watches a server as the only one of its kind. */
    public static RedisServer startSentinel(
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
    public static List<RedisServer> startCluster(
            ServerFiles files, ProcessGroup group, Path logDirectory, int masters, Duration timeout)
            throws Exception {
        List<RedisServer> cluster = new ArrayList<>();
        while (cluster.size() < masters) {
            cluster.add(startClusterNode(files, group, logDirectory));
        }
        for (int i = 0; i < masters; i++) {
            RedisServer master = cluster.get(i);
            master.awaitReady(timeout);
            String slots =
                    IntStream.range(i * SLOTS / masters, (i + 1) * SLOTS / masters)
                            .mapToObj(String::valueOf)
                            .collect(Collectors.joining(" "));
            master.require("CLUSTER ADDSLOTS " + slots);
            // else they agree on one only after having met
            master.require("CLUSTER SET-CONFIG-EPOCH " + (i + 1));
            master.require("CLUSTER MEET 127.0.0.1 " + cluster.get(0).port());
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

    private static RedisServer startClusterNode(
            ServerFiles files, ProcessGroup group, Path logDirectory) throws IOException {
        int port = FreePorts.find(1)[0];
        while (port > MAX_CLUSTER_PORT || !isFree(port + BUS)) {
            port = FreePorts.find(1)[0];
        }
        return start(
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
    public static RedisServer startClusterReplica(
            ServerFiles files,
            ProcessGroup group,
            Path logDirectory,
            List<RedisServer> cluster,
            Duration timeout)
            throws Exception {
        RedisServer master = cluster.get(cluster.size() - 1);
        RedisServer replica = startClusterNode(files, group, logDirectory);
        replica.awaitReady(timeout);
        replica.require("CLUSTER MEET 127.0.0.1 " + master.port());
        String id =
                master.exchange("CLUSTER NODES", "").stream()
                        .filter(line -> line.contains("myself"))
                        .map(line -> line.substring(0, line.indexOf(' ')))
                        .findFirst()
                        .orElseThrow(() -> new IOException("no node at " + master.address()));
        // refused until it has heard of the master
        replica.process()
                .awaitReady(() -> replica.ask("CLUSTER REPLICATE " + id).startsWith("+"), timeout);
        replica.process().awaitReady(replica::follows, timeout);
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

    private void require(String command) throws IOException {
        String answer = ask(command);
        if (!answer.startsWith("+")) {
            throw new IOException("Redis at " + address() + " answered " + answer);
        }
    }

    private static List<String> command(ServerFiles files, ProcessGroup group, int port)
            throws IOException {
        Path directory = Files.createDirectories(group.directory().resolve("redis-" + port));
        List<String> command = new ArrayList<>();
        command.add(files.redisServer().toString());
        command.addAll(Arrays.asList("--dir", directory.toString()));
        return command;
    }

    /** Waits until the server answers, be it that it wants a password. */
    @Override
    public void awaitReady(Duration timeout) throws Exception {
        process()
                .awaitReady(
                        () -> {
                            String answer = ask("PING");
                            return answer.startsWith("+") || answer.startsWith("-NOAUTH");
                        },
                        timeout);
    }

    /** How many keys a server without password has. */
    public long keys() throws IOException {
        return number(ask("DBSIZE"), ':');
    }

    /** How many keys match a pattern. */
    public long keys(String pattern) throws IOException {
        return number(ask("KEYS " + pattern), '*');
    }

    private long number(String answer, char type) throws IOException {
        if (answer.isEmpty() || answer.charAt(0) != type) {
            throw new IOException("Redis at " + address() + " answered " + answer);
        }
        return Long.parseLong(answer.substring(1));
    }

    /** Whether this server is a replica that follows its master. */
    public boolean follows() throws IOException {
        return exchange("INFO replication", "").contains("master_link_status:up");
    }

    /** Whether this server is a master, maybe since a failover. */
    public boolean isMaster() throws IOException {
        return exchange("INFO replication", "").contains("role:master");
    }

    /** How often a command was executed, by its name in lower case. */
    public long calls(String command) throws IOException {
        String start = "cmdstat_" + command + ":calls=";
        // a bulk string: its length, then its lines, of which the last one is empty
        for (String line : exchange("INFO commandstats", "")) {
            if (line.startsWith(start)) {
                return Long.parseLong(line.substring(start.length(), line.indexOf(',')));
            }
        }
        return 0;
    }

    /** Sends a command of one line and returns the first line of the answer. */
    public String ask(String command) throws IOException {
        return exchange(command, null).get(0);
    }

    /**
     * Sends a command of one line and reads the answer up to a line.
     *
     * @param last the last line; null for the first
     */
    private List<String> exchange(String command, String last) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress("127.0.0.1", port()), PROBE_TIMEOUT_MS);
            socket.setSoTimeout(PROBE_TIMEOUT_MS);
            socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.UTF_8));
            BufferedReader in =
                    new BufferedReader(
                            new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            List<String> lines = new ArrayList<>();
            do {
                String line = in.readLine();
                if (line == null) {
                    throw new IOException("Redis at " + address() + " closed the connection.");
                }
                lines.add(line);
            } while (last != null && !lines.get(lines.size() - 1).equals(last));
            return lines;
        }
    }
}
