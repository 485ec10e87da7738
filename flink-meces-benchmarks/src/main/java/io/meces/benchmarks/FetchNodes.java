// SPDX-License-Identifier: Apache-2.0
package io.meces.benchmarks;

import io.meces.runtime.MecesOptions;
import io.meces.servers.KafkaBroker;
import io.meces.servers.ProcessGroup;
import io.meces.servers.RedisServer;
import io.meces.servers.ServerFiles;
import io.meces.servers.ServerProcess;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;

/** Processes for the benchmark: nodes, and a Kafka and a Redis if need be. For one thread. */
final class FetchNodes implements FetchBenchmark.Nodes, AutoCloseable {

    private static final Duration START = Duration.ofSeconds(60);
    private static final List<String> FLAGS =
            Arrays.asList(
                    "-Xms3g",
                    "-Xmx3g",
                    "-XX:+AlwaysPreTouch",
                    "-XX:+UseG1GC",
                    "--add-opens=java.base/java.lang=ALL-UNNAMED",
                    "--add-opens=java.base/java.util=ALL-UNNAMED");

    private final ProcessGroup group = new ProcessGroup("meces-fetch");
    private final Path logs;
    private final ServerSocket callers;
    private final List<FetchNode> nodes = new ArrayList<>();
    private KafkaBroker kafka;
    private RedisServer redis;

    /**
     * @param logs where the output of the processes goes
     */
    FetchNodes(Path logs) throws IOException {
        this.logs = logs;
        callers = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        callers.setSoTimeout((int) START.toMillis());
    }

    /** The node of that number, which is started if it does not run. */
    @Override
    public FetchNode node(int number) throws Exception {
        while (nodes.size() <= number) {
            nodes.add(start("node-" + nodes.size()));
        }
        return nodes.get(number);
    }

    private FetchNode start(String name) throws Exception {
        List<Path> classPath =
                Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                        .map(Paths::get)
                        .collect(Collectors.toList());
        List<String> flags = new ArrayList<>(FLAGS);
        flags.addAll(Arrays.asList(System.getProperty("meces.node.flags", "").trim().split(" +")));
        flags.removeIf(String::isEmpty);
        group.start(
                () ->
                        ServerProcess.start(
                                name,
                                logs,
                                flags,
                                classPath,
                                FetchNodeServer.class.getName(),
                                String.valueOf(callers.getLocalPort())));
        return ProcessCalls.at(FetchNode.class, callers.accept());
    }

    /** The configuration of a TaskManager that uses the service. */
    @Override
    public Map<String, String> configuration(String service) throws Exception {
        Map<String, String> configuration = new HashMap<>();
        configuration.put(MecesOptions.TRANSITION_SERVICE.key(), service);
        if (service.equals("kafka-redis")) {
            if (kafka == null) {
                ServerFiles files = new ServerFiles(Paths.get(System.getProperty("meces.home")));
                redis = RedisServer.start(files, group, logs);
                kafka = KafkaBroker.start(files, group, logs);
                redis.awaitReady(START);
                kafka.awaitReady(START);
            }
            configuration.put(MecesOptions.KAFKA_BOOTSTRAP_SERVERS.key(), kafka.address());
            configuration.put(MecesOptions.REDIS_HOSTS.key(), redis.address());
            configuration.put(MecesOptions.KAFKA_REDIS_PARTITIONS.key(), "2");
            configuration.put(MecesOptions.KAFKA_REDIS_REPLICATION.key(), "1");
        }
        return configuration;
    }

    /** Records that Kafka has got so far; 0 without it. */
    @Override
    public long kafkaRecords() throws Exception {
        if (kafka == null) {
            return 0;
        }
        try (Admin admin =
                Admin.create(
                        Collections.singletonMap(
                                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, kafka.address()))) {
            Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
            admin.describeTopics(admin.listTopics().names().get(30, TimeUnit.SECONDS))
                    .allTopicNames()
                    .get(30, TimeUnit.SECONDS)
                    .forEach(
                            (topic, description) ->
                                    description
                                            .partitions()
                                            .forEach(
                                                    p ->
                                                            ends.put(
                                                                    new TopicPartition(
                                                                            topic, p.partition()),
                                                                    OffsetSpec.latest())));
            return admin.listOffsets(ends).all().get(30, TimeUnit.SECONDS).values().stream()
                    .mapToLong(end -> end.offset())
                    .sum();
        }
    }

    /** Commands that Redis has executed for payloads so far; 0 without it. */
    @Override
    public long redisCommands() throws IOException {
        return redis == null ? 0 : redis.calls("set") + redis.calls("get") + redis.calls("unlink");
    }

    @Override
    public void close() throws IOException {
        group.close();
        callers.close();
    }
}
