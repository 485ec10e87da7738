// SPDX-License-Identifier: Apache-2.0
package io.meces.servers;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.Uuid;

/**
 * A Kafka broker, its own controller (KRaft), as a process that listens on 127.0.0.1, or on another
 * address. It can be ended and started again with its data at the same address. Not thread-safe.
 */
public final class KafkaBroker extends RestartableServer {
    private static final Duration FORMAT_TIMEOUT = Duration.ofSeconds(60);

    private KafkaBroker(ProcessGroup group, ProcessGroup.Starter starter, String host, int port)
            throws IOException {
        super(group, starter, host, port);
    }

    /**
     * Starts a broker without topics. It takes some seconds more until it is ready. One that is
     * killed can be restarted only after two minutes, when its session is over.
     *
     * @param files where its jars are
     * @param group gets the process; the data goes to its directory
     * @param logDirectory where {@code kafka.log} goes
     */
    public static KafkaBroker start(ServerFiles files, ProcessGroup group, Path logDirectory)
            throws Exception {
        return start(files, LOOPBACK, group, logDirectory);
    }

    /**
     * As {@link #start(ServerFiles, ProcessGroup, Path)}, for clients that reach it at another
     * address of this machine.
     */
    public static KafkaBroker start(
            ServerFiles files, String host, ProcessGroup group, Path logDirectory)
            throws Exception {
        // it is alone: on a busy machine it must not think itself gone
        return start(
                files,
                host,
                group,
                logDirectory,
                Collections.singletonMap("broker.session.timeout.ms", "120000"));
    }

    /**
     * As {@link #start(ServerFiles, ProcessGroup, Path)}, with settings of the broker that replace
     * those of this class; {@code {port}} and {@code {controller}} in them stand for its ports.
     */
    public static KafkaBroker start(
            ServerFiles files, ProcessGroup group, Path logDirectory, Map<String, String> settings)
            throws Exception {
        return start(files, LOOPBACK, group, logDirectory, settings);
    }

    private static KafkaBroker start(
            ServerFiles files,
            String host,
            ProcessGroup group,
            Path logDirectory,
            Map<String, String> settings)
            throws Exception {
        int[] ports = FreePorts.find(2);
        Path directory = Files.createDirectories(group.directory().resolve("kafka"));
        Path config = directory.resolve("server.properties");
        Map<String, String> all = config(directory, host, ports[0], ports[1]);
        settings.forEach(
                (key, value) ->
                        all.put(
                                key,
                                value.replace("{port}", "" + ports[0])
                                        .replace("{controller}", "" + ports[1])));
        Files.write(
                config,
                all.entrySet().stream()
                        .map(setting -> setting.getKey() + "=" + setting.getValue())
                        .collect(Collectors.toList()),
                StandardCharsets.UTF_8);
        List<Path> classPath = files.kafkaJars();
        List<String> flags = new ArrayList<>();
        // both: a heap that grows from small is marked concurrently all the time
        flags.add("-Xms512m");
        flags.add("-Xmx512m");
        // short collections: each is in the latency of all records
        flags.add("-Xmn32m");
        flags.addAll(ServerProcess.QUICK_START);
        flags.add("-Dlog4j2.configurationFile=" + ProcessLogging.write(directory));
        ServerProcess format =
                group.start(
                        () ->
                                ServerProcess.start(
                                        "kafka-format",
                                        logDirectory,
                                        flags,
                                        classPath,
                                        "kafka.tools.StorageTool",
                                        "format",
                                        "--cluster-id",
                                        Uuid.randomUuid().toString(),
                                        "--config",
                                        config.toString()));
        format.awaitSuccess(FORMAT_TIMEOUT);
        group.release(format);
        return new KafkaBroker(
                group,
                () ->
                        ServerProcess.start(
                                "kafka",
                                logDirectory,
                                flags,
                                classPath,
                                "kafka.Kafka",
                                config.toString()),
                host,
                ports[0]);
    }

    /** Waits until the broker answers. */
    @Override
    public void awaitReady(Duration timeout) throws Exception {
        try (Admin admin = Admin.create(adminConfig())) {
            process()
                    .awaitReady(
                            () -> {
                                try {
                                    return !admin.describeCluster()
                                            .nodes()
                                            .get(2, TimeUnit.SECONDS)
                                            .isEmpty();
                                } catch (ExecutionException | TimeoutException e) {
                                    throw new IOException(e);
                                }
                            },
                            timeout);
        }
    }

    /**
     * Creates a topic and waits until it exists, at most 30 s.
     *
     * @param name of the topic
     * @param partitions how many it has
     * @param config settings of the topic, by Kafka's names
     */
    public void createTopic(String name, int partitions, Map<String, String> config)
            throws Exception {
        try (Admin admin = Admin.create(adminConfig())) {
            NewTopic topic = new NewTopic(name, partitions, (short) 1).configs(config);
            admin.createTopics(Collections.singleton(topic)).all().get(30, TimeUnit.SECONDS);
        }
    }

    private Map<String, Object> adminConfig() {
        Map<String, Object> config = new HashMap<>();
        config.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, address());
        config.put(AdminClientConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, 200);
        return config;
    }

    private static Map<String, String> config(
            Path directory, String host, int port, int controllerPort) {
        Map<String, String> config = new LinkedHashMap<>();
        config.put("process.roles", "broker,controller");
        config.put("node.id", "1");
        config.put("controller.quorum.voters", "1@" + LOOPBACK + ":" + controllerPort);
        config.put("controller.listener.names", "CONTROLLER");
        config.put(
                "listeners",
                "PLAINTEXT://"
                        + host
                        + ":"
                        + port
                        + ",CONTROLLER://"
                        + LOOPBACK
                        + ":"
                        + controllerPort);
        config.put("advertised.listeners", "PLAINTEXT://" + host + ":" + port);
        config.put(
                "listener.security.protocol.map",
                "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT");
        config.put("log.dirs", directory.resolve("data").toString());
        config.put("auto.create.topics.enable", "false");
        // one that is killed is let in again when its session is over, and it waits so long for
        // that
        config.put("initial.broker.registration.timeout.ms", "180000");
        config.put("num.network.threads", "2");
        config.put("num.io.threads", "2");
        config.put("offsets.topic.num.partitions", "1");
        config.put("offsets.topic.replication.factor", "1");
        config.put("transaction.state.log.num.partitions", "1");
        config.put("transaction.state.log.replication.factor", "1");
        config.put("transaction.state.log.min.isr", "1");
        config.put("group.initial.rebalance.delay.ms", "0");
        return config;
    }
}
