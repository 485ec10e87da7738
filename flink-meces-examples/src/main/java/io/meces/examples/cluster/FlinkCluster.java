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

import io.meces.examples.rest.JobManagerClient;
import io.meces.servers.FreePorts;
import io.meces.servers.ProcessGroup;
import io.meces.servers.ProcessLogging;
import io.meces.servers.ServerProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.Collectors;

/** A JobManager and TaskManagers, each a process that listens on 127.0.0.1. */
public final class FlinkCluster {
    private static final String ELASTIC_JOB_MANAGER =
            "io.meces.runtime.entrypoint.MecesSessionClusterEntrypoint";
    private static final String STOCK_JOB_MANAGER =
            "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint";
    private static final String TASK_MANAGER =
            "org.apache.flink.runtime.taskexecutor.TaskManagerRunner";

    private final ServerProcess jobManager;
    private final List<ServerProcess> taskManagers;
    private final ProcessGroup group;
    private final IntFunction<ProcessGroup.Starter> taskManagerStarter;
    private int started;
    private final int slots;
    private final JobManagerClient client;

    private FlinkCluster(
            ServerProcess jobManager,
            ProcessGroup group,
            IntFunction<ProcessGroup.Starter> taskManagerStarter,
            int taskManagers,
            int slots,
            JobManagerClient client)
            throws IOException {
        this.jobManager = jobManager;
        this.group = group;
        this.taskManagerStarter = taskManagerStarter;
        this.taskManagers = new ArrayList<>();
        this.slots = slots;
        this.client = client;
        for (int i = 0; i < taskManagers; i++) {
            this.taskManagers.add(startTaskManager());
        }
    }

    /** A TaskManager does not start with less heap. */
    public static final int LEAST_HEAP_MEGABYTES = 512;

    private static final int FRAMEWORK_HEAP_MEGABYTES = 128;

    /** What a cluster consists of. */
    public static final class Spec {
        private boolean stock;
        private boolean quickStart;
        private int taskManagers = 2;
        private int slotsPerTaskManager = 2;
        private int taskManagerHeapMegabytes = 1_024;
        private final Map<String, String> config = new LinkedHashMap<>();

        /** Flink as it is, without flink-meces. */
        public Spec stock(boolean value) {
            stock = value;
            return this;
        }

        public Spec taskManagers(int count, int slotsEach) {
            taskManagers = count;
            slotsPerTaskManager = slotsEach;
            return this;
        }

        /** The heap of a TaskManager, {@link #LEAST_HEAP_MEGABYTES} at least. */
        public Spec taskManagerHeapMegabytes(int value) {
            taskManagerHeapMegabytes = value;
            return this;
        }

        /** For a cluster that lives for a minute: see {@link ServerProcess#QUICK_START}. */
        public Spec quickStart(boolean value) {
            quickStart = value;
            return this;
        }

        /** Sets a key of {@code flink-conf.yaml}, in place of what this class would set. */
        public Spec config(String key, String value) {
            config.put(key, value);
            return this;
        }
    }

    /**
     * Starts a cluster. It takes some seconds more until it is ready.
     *
     * @param installation where the jars are
     * @param spec what to start
     * @param group gets the processes; data goes to its directory
     * @param logDirectory where {@code jobmanager.log} and {@code taskmanager-<n>.log} go
     */
    public static FlinkCluster start(
            Installation installation, Spec spec, ProcessGroup group, Path logDirectory)
            throws IOException {
        int[] ports = FreePorts.find(2);
        Path directory = Files.createDirectories(group.directory().resolve("flink"));
        Path logging = ProcessLogging.write(directory);
        writeConfig(directory, spec, ports[0], ports[1]);

        List<Path> classPath = new ArrayList<>();
        if (!spec.stock) {
            classPath.add(installation.mecesJar());
        }
        classPath.addAll(installation.flinkJars());
        ServerProcess jobManager =
                group.start(
                        () ->
                                ServerProcess.start(
                                        "jobmanager",
                                        logDirectory,
                                        flags(installation, spec, logging, "-Xmx512m"),
                                        classPath,
                                        spec.stock ? STOCK_JOB_MANAGER : ELASTIC_JOB_MANAGER,
                                        "--configDir",
                                        directory.toString()));
        return new FlinkCluster(
                jobManager,
                group,
                number ->
                        () ->
                                ServerProcess.start(
                                        name(number),
                                        logDirectory,
                                        flags(
                                                installation,
                                                spec,
                                                logging,
                                                "-Xmx" + spec.taskManagerHeapMegabytes + "m"),
                                        classPath,
                                        TASK_MANAGER,
                                        "--configDir",
                                        directory.toString(),
                                        "-Dtaskmanager.resource-id=" + name(number)),
                spec.taskManagers,
                spec.taskManagers * spec.slotsPerTaskManager,
                new JobManagerClient("127.0.0.1:" + ports[1]));
    }

    /** Waits until the JobManager answers and has the slots of all TaskManagers. */
    public void awaitReady(Duration timeout) throws Exception {
        jobManager.awaitReady(
                () -> {
                    for (ServerProcess taskManager : taskManagers) {
                        taskManager.requireAlive();
                    }
                    return client.slots() == slots;
                },
                timeout);
    }

    private static String name(int taskManager) {
        return "taskmanager-" + taskManager;
    }

    private ServerProcess startTaskManager() throws IOException {
        started++;
        return group.start(taskManagerStarter.apply(started));
    }

    /**
     * Kills a TaskManager as a crash would, and starts another one in its place. Returns when the
     * old one is gone; it takes some seconds until the JobManager knows that, and the new one.
     *
     * @param index its place in {@link #taskManagers()}
     * @return the id under which the JobManager knows the one that was killed
     */
    public String replaceTaskManager(int index) throws IOException, InterruptedException {
        ServerProcess victim = taskManagers.get(index);
        group.release(victim);
        victim.kill();
        taskManagers.set(index, startTaskManager());
        return victim.name();
    }

    /** The REST interface of the JobManager. */
    public JobManagerClient client() {
        return client;
    }

    public ServerProcess jobManager() {
        return jobManager;
    }

    public List<ServerProcess> taskManagers() {
        return Collections.unmodifiableList(taskManagers);
    }

    private static List<String> flags(
            Installation installation, Spec spec, Path logging, String heap) {
        List<String> flags = new ArrayList<>();
        flags.add(heap);
        flags.add("-XX:+UseG1GC");
        if (spec.quickStart) {
            flags.addAll(ServerProcess.QUICK_START);
        }
        flags.add("-Dlog4j2.configurationFile=" + logging);
        flags.addAll(installation.moduleFlags());
        return flags;
    }

    private static void writeConfig(Path directory, Spec spec, int rpcPort, int restPort)
            throws IOException {
        Path temporary = Files.createDirectories(directory.resolve("tmp"));
        Map<String, String> config = new LinkedHashMap<>();
        config.put("jobmanager.rpc.address", "127.0.0.1");
        config.put("jobmanager.rpc.port", String.valueOf(rpcPort));
        config.put("jobmanager.bind-host", "127.0.0.1");
        config.put("rest.address", "127.0.0.1");
        config.put("rest.bind-address", "127.0.0.1");
        config.put("rest.port", String.valueOf(restPort));
        config.put("taskmanager.host", "127.0.0.1");
        config.put("taskmanager.bind-host", "127.0.0.1");
        config.put("taskmanager.numberOfTaskSlots", String.valueOf(spec.slotsPerTaskManager));
        // They start at the same time: whoever comes too early tries again soon, not after 10 s.
        config.put("cluster.registration.error-delay", "500");
        config.put("cluster.evenly-spread-out-slots", "true");
        // A TaskManager that no script starts wants to be told about all of its memory.
        config.put("taskmanager.cpu.cores", String.valueOf((double) spec.slotsPerTaskManager));
        config.put("taskmanager.memory.framework.heap.size", FRAMEWORK_HEAP_MEGABYTES + "m");
        config.put("taskmanager.memory.framework.off-heap.size", "128m");
        config.put(
                "taskmanager.memory.task.heap.size",
                spec.taskManagerHeapMegabytes - FRAMEWORK_HEAP_MEGABYTES + "m");
        config.put("taskmanager.memory.task.off-heap.size", "64m");
        config.put("taskmanager.memory.managed.size", "16m");
        config.put("taskmanager.memory.network.min", "128m");
        config.put("taskmanager.memory.network.max", "128m");
        config.put("taskmanager.memory.jvm-metaspace.size", "256m");
        config.put("taskmanager.memory.jvm-overhead.min", "192m");
        config.put("taskmanager.memory.jvm-overhead.max", "192m");
        config.put("io.tmp.dirs", temporary.toString());
        config.put("web.tmpdir", temporary.toString());
        config.put("state.checkpoints.dir", directory.resolve("checkpoints").toUri().toString());
        if (spec.stock) {
            config.put("state.backend", "filesystem");
        } else {
            config.put("state.backend", "io.meces.state.MecesStateBackendFactory");
            config.put(
                    "shuffle-service-factory.class",
                    "io.meces.runtime.shuffle.ElasticShuffleServiceFactory");
        }
        config.putAll(spec.config);
        Files.write(
                directory.resolve("flink-conf.yaml"),
                config.entrySet().stream()
                        .map(entry -> entry.getKey() + ": " + entry.getValue())
                        .collect(Collectors.toList()),
                StandardCharsets.UTF_8);
    }
}
