/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.examples.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.Uuid;

/** A Kafka broker, its own controller (KRaft), as a process that listens on 127.0.0.1. */
public final class KafkaBroker {
    private static final Duration FORMAT_TIMEOUT = Duration.ofSeconds(60);

    private final JavaProcess process;
    private final String address;

    private KafkaBroker(JavaProcess process, String address) {
        this.process = process;
        this.address = address;
    }

    /**
     * Starts a broker without topics. It takes some seconds more until it is ready.
     *
     * @param installation where the jars are
     * @param group gets the process; the data goes to its directory
     * @param logDirectory where {@code kafka.log} goes
     */
    public static KafkaBroker start(
            Installation installation, ProcessGroup group, Path logDirectory) throws Exception {
        int[] ports = FreePorts.find(2);
        Path directory = Files.createDirectories(group.directory().resolve("kafka"));
        Path config = directory.resolve("server.properties");
        Files.write(config, config(directory, ports[0], ports[1]), StandardCharsets.UTF_8);
        List<Path> classPath = installation.kafkaJars();
        List<String> flags = new ArrayList<>();
        flags.add("-Xmx512m");
        flags.addAll(JavaProcess.QUICK_START);
        flags.add("-Dlog4j2.configurationFile=" + ProcessLogging.write(directory));

        JavaProcess format =
                group.start(
                        () ->
                                JavaProcess.start(
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
        JavaProcess broker =
                group.start(
                        () ->
                                JavaProcess.start(
                                        "kafka",
                                        logDirectory,
                                        flags,
                                        classPath,
                                        "kafka.Kafka",
                                        config.toString()));
        return new KafkaBroker(broker, "127.0.0.1:" + ports[0]);
    }

    /** What clients call bootstrap servers. */
    public String address() {
        return address;
    }

    /** Waits until the broker answers. */
    public void awaitReady(Duration timeout) throws Exception {
        try (Admin admin = Admin.create(adminConfig())) {
            process.awaitReady(
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
        config.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, address);
        config.put(AdminClientConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, 200);
        return config;
    }

    private static List<String> config(Path directory, int port, int controllerPort) {
        return Arrays.asList(
                "process.roles=broker,controller",
                "node.id=1",
                "controller.quorum.voters=1@127.0.0.1:" + controllerPort,
                "controller.listener.names=CONTROLLER",
                "listeners=PLAINTEXT://127.0.0.1:"
                        + port
                        + ",CONTROLLER://127.0.0.1:"
                        + controllerPort,
                "advertised.listeners=PLAINTEXT://127.0.0.1:" + port,
                "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
                "log.dirs=" + directory.resolve("data"),
                "auto.create.topics.enable=false",
                "num.network.threads=2",
                "num.io.threads=2",
                "offsets.topic.num.partitions=1",
                "offsets.topic.replication.factor=1",
                "transaction.state.log.num.partitions=1",
                "transaction.state.log.replication.factor=1",
                "transaction.state.log.min.isr=1",
                "group.initial.rebalance.delay.ms=0");
    }
}
