// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.cluster;

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
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import javax.annotation.Nullable;

/**
 * JobManagers and TaskManagers, each a process that listens on 127.0.0.1 unless it is told
 * otherwise. Not thread-safe.
 */
public final class FlinkCluster {
    /** The option that names what carries state between TaskManagers. */
    public static final String TRANSITION_SERVICE = "meces.transition-service";

    /** One of its values, which needs a jar of its own. */
    public static final String KAFKA_REDIS = "kafka-redis";

    /** State on the heap, or on disk in RocksDB. */
    public enum StateBackendKind {
        HEAP,
        ROCKSDB;

        /** As a user writes it. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static final String LAUNCHER = "io.meces.runtime.entrypoint.MecesLauncher";
    private static final String JOB_MANAGER =
            "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint";
    private static final String TASK_MANAGER =
            "org.apache.flink.runtime.taskexecutor.TaskManagerRunner";

    private final Installation installation;
    private final Spec spec;
    private final ProcessGroup group;
    private final Path logDirectory;
    private final Path directory;
    private final Path logging;
    private final List<ServerProcess> jobManagers = new ArrayList<>();
    private final List<ServerProcess> taskManagers = new ArrayList<>();
    private final Map<ServerProcess, FlinkClient> clients = new HashMap<>();
    private int startedTaskManagers;

    private FlinkCluster(
            Installation installation, Spec spec, ProcessGroup group, Path logDirectory)
            throws IOException {
        this.installation = installation;
        this.spec = spec;
        this.group = group;
        this.logDirectory = logDirectory;
        this.directory = Files.createDirectories(group.directory().resolve("flink"));
        this.logging = ProcessLogging.write(directory);
    }

    /** A TaskManager does not start with less heap. */
    public static final int LEAST_HEAP_MEGABYTES = 512;

    private static final int MANAGED_MEGABYTES = 16;

    /** Block cache and write buffers of all that a slot has. */
    private static final int ROCKSDB_MEGABYTES_PER_SLOT = 128;

    private static final int FRAMEWORK_HEAP_MEGABYTES = 128;
    private static final int JOB_MANAGER_HEAP_MEGABYTES = 512;

    /** State that arrives stays on the heap: a collection copies most of what it finds. */
    private static final int YOUNG_GENERATION_MEGABYTES = 8;

    /** It goes on to RocksDB: the fewer collections, the less they cost. */
    private static final int YOUNG_GENERATION_MEGABYTES_WITH_ROCKSDB = 64;

    /** Where TaskManagers run; they count from 1. */
    public interface Hosts {

        /** Of the host, by which the others reach it. */
        String address(int taskManager);

        /** What a command is to be preceded by to run there. */
        List<String> on(int taskManager);
    }

    /** What a cluster consists of. */
    public static final class Spec {
        private boolean stock;
        private boolean quickStart;
        private boolean evenHeap;
        private StateBackendKind stateBackend = StateBackendKind.HEAP;
        private int taskManagers = 2;
        private int slotsPerTaskManager = 2;
        private int taskManagerHeapMegabytes = 1_024;
        @Nullable private String zooKeeper;
        @Nullable private Hosts hosts;
        private final List<Path> libraries = new ArrayList<>();
        private final Map<String, String> config = new LinkedHashMap<>();

        /** Flink as it is, without flink-meces. */
        public Spec stock(boolean value) {
            stock = value;
            return this;
        }

        /** Flink's own, or the one of ours in its place. Checkpoints of RocksDB are incremental. */
        public Spec stateBackend(StateBackendKind value) {
            stateBackend = value;
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

        /**
         * For measuring latencies. Each process touches all pages of its heap when it starts:
         * otherwise the system hands them out when state arrives. And its young generation is
         * small: otherwise it grows while little survives, and when state arrives, all of which
         * survives, a single collection copies hundreds of megabytes.
         */
        public Spec evenHeap(boolean value) {
            evenHeap = value;
            return this;
        }

        /**
         * Has ZooKeeper elect the JobManager that leads, so that there can be several, and jobs
         * outlive one that fails.
         *
         * @param quorum addresses of ZooKeeper
         */
        public Spec highAvailability(String quorum) {
            zooKeeper = quorum;
            return this;
        }

        /** Has TaskManagers run on hosts of their own. */
        public Spec taskManagersOn(Hosts value) {
            hosts = value;
            return this;
        }

        /** Puts one more jar into {@code lib} of each process. */
        public Spec library(Path jar) {
            libraries.add(jar);
            return this;
        }

        /** Sets a key as {@link #config(String, String)} unless that has been done. */
        public Spec configByDefault(String key, String value) {
            config.putIfAbsent(key, value);
            return this;
        }

        /** What has been set so, a view. */
        public Map<String, String> config() {
            return Collections.unmodifiableMap(config);
        }

        /** Sets a key of Flink's configuration, in place of what this class would set. */
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
        FlinkCluster cluster = new FlinkCluster(installation, spec, group, logDirectory);
        cluster.writeConfig(ports[0], ports[1]);
        cluster.startJobManager(ports[1]);
        for (int i = 0; i < spec.taskManagers; i++) {
            cluster.startTaskManager();
        }
        return cluster;
    }

    /**
     * Starts one more JobManager: for a cluster with high availability. It stands by if there is
     * one that leads.
     */
    public ServerProcess startJobManager() throws IOException {
        return startJobManager(FreePorts.find(1)[0]);
    }

    private ServerProcess startJobManager(int restPort) throws IOException {
        ServerProcess process =
                launch(
                        jobManagers.isEmpty() ? "jobmanager" : "jobmanager-" + (clients.size() + 1),
                        Collections.emptyList(),
                        JOB_MANAGER_HEAP_MEGABYTES,
                        JOB_MANAGER,
                        Collections.singletonList("-Drest.port=" + restPort));
        jobManagers.add(process);
        clients.put(process, new FlinkClient("127.0.0.1:" + restPort));
        return process;
    }

    /** Starts one more TaskManager. Its name is its id, too. */
    public ServerProcess startTaskManager() throws IOException {
        int number = ++startedTaskManagers;
        String name = "taskmanager-" + number;
        List<String> properties = new ArrayList<>();
        properties.add("-Dtaskmanager.resource-id=" + name);
        Hosts hosts = spec.hosts;
        if (hosts != null) {
            properties.add("-Dtaskmanager.host=" + hosts.address(number));
            properties.add("-Dtaskmanager.bind-host=" + hosts.address(number));
        }
        ServerProcess process =
                launch(
                        name,
                        hosts == null ? Collections.emptyList() : hosts.on(number),
                        spec.taskManagerHeapMegabytes,
                        TASK_MANAGER,
                        properties);
        taskManagers.add(process);
        return process;
    }

    /** Ends a JobManager or TaskManager by force, like a crash. Returns when it is gone. */
    public void kill(ServerProcess process) throws InterruptedException {
        group.release(process);
        process.kill();
        jobManagers.remove(process);
        taskManagers.remove(process);
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
        kill(victim);
        ServerProcess successor = startTaskManager();
        taskManagers.remove(successor);
        taskManagers.add(index, successor);
        return victim.name();
    }

    /** Waits until a JobManager answers and has the slots of all TaskManagers. */
    public void awaitReady(Duration timeout) throws Exception {
        jobManager()
                .awaitReady(
                        () -> {
                            for (ServerProcess taskManager : taskManagers) {
                                taskManager.requireAlive();
                            }
                            return client().slots()
                                    == taskManagers.size() * spec.slotsPerTaskManager;
                        },
                        timeout);
    }

    /** The REST interface of {@link #jobManager()}. */
    public FlinkClient client() {
        return client(jobManager());
    }

    /** The REST interface of a JobManager. One that stands by asks the one that leads. */
    public FlinkClient client(ServerProcess jobManager) {
        return clients.get(jobManager);
    }

    /** The JobManager that has run for the longest time. */
    public ServerProcess jobManager() {
        return jobManagers.get(0);
    }

    public List<ServerProcess> taskManagers() {
        return Collections.unmodifiableList(taskManagers);
    }

    private ServerProcess launch(
            String name,
            List<String> behind,
            int heapMegabytes,
            String mainClass,
            List<String> properties)
            throws IOException {
        List<Path> classPath = new ArrayList<>();
        if (!spec.stock) {
            classPath.add(installation.mecesJar());
            if (spec.stateBackend == StateBackendKind.ROCKSDB) {
                classPath.add(installation.rocksDBJar());
            }
            if (KAFKA_REDIS.equals(spec.config.get(TRANSITION_SERVICE))) {
                classPath.add(installation.kafkaRedisJar());
            }
        }
        classPath.addAll(spec.libraries);
        classPath.addAll(installation.flinkJars());
        List<String> command = new ArrayList<>();
        if (!spec.stock) {
            command.add(LAUNCHER);
        }
        Collections.addAll(command, mainClass, "--configDir", directory.toString());
        command.addAll(properties);
        return group.start(
                () ->
                        ServerProcess.start(
                                name,
                                logDirectory,
                                ServerProcess.javaCommand(
                                        behind,
                                        flags(heapMegabytes),
                                        classPath,
                                        command.get(0),
                                        command.subList(1, command.size())
                                                .toArray(new String[0]))));
    }

    private List<String> flags(int heapMegabytes) {
        List<String> flags = new ArrayList<>();
        // both, as by the scripts of Flink: a heap that has to grow first is collected all the time
        flags.add("-Xms" + heapMegabytes + "m");
        flags.add("-Xmx" + heapMegabytes + "m");
        flags.add("-XX:+UseG1GC");
        if (spec.evenHeap) {
            flags.add("-XX:+AlwaysPreTouch");
            int young =
                    spec.stateBackend == StateBackendKind.ROCKSDB
                            ? YOUNG_GENERATION_MEGABYTES_WITH_ROCKSDB
                            : YOUNG_GENERATION_MEGABYTES;
            flags.add("-Xmn" + young + "m");
        }
        if (spec.quickStart) {
            flags.addAll(ServerProcess.QUICK_START);
        }
        flags.add("-Dlog4j2.configurationFile=" + logging);
        flags.addAll(installation.moduleFlags());
        return flags;
    }

    private void writeConfig(int rpcPort, int restPort) throws IOException {
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
        // on a busy machine; by default 10 s
        config.put("akka.startup-timeout", "60 s");
        config.put("cluster.evenly-spread-out-slots", "true");
        // A TaskManager that no script starts wants to be told about all of its memory.
        config.put("taskmanager.cpu.cores", String.valueOf((double) spec.slotsPerTaskManager));
        config.put("taskmanager.memory.framework.heap.size", FRAMEWORK_HEAP_MEGABYTES + "m");
        config.put("taskmanager.memory.framework.off-heap.size", "128m");
        config.put(
                "taskmanager.memory.task.heap.size",
                spec.taskManagerHeapMegabytes - FRAMEWORK_HEAP_MEGABYTES + "m");
        config.put("taskmanager.memory.task.off-heap.size", "64m");
        config.put(
                "taskmanager.memory.managed.size",
                (spec.stateBackend == StateBackendKind.ROCKSDB
                                ? ROCKSDB_MEGABYTES_PER_SLOT * spec.slotsPerTaskManager
                                : MANAGED_MEGABYTES)
                        + "m");
        config.put("taskmanager.memory.network.min", "128m");
        config.put("taskmanager.memory.network.max", "128m");
        config.put("taskmanager.memory.jvm-metaspace.size", "256m");
        config.put("taskmanager.memory.jvm-overhead.min", "192m");
        config.put("taskmanager.memory.jvm-overhead.max", "192m");
        // a machine that does much else may take longer than ten seconds to start what speaks RPC
        config.put("akka.startup-timeout", "60 s");
        config.put("pekko.startup-timeout", "60 s");
        config.put("io.tmp.dirs", temporary.toString());
        config.put("web.tmpdir", temporary.toString());
        config.put("state.checkpoints.dir", directory.resolve("checkpoints").toUri().toString());
        // ours takes the place of either where its jar is
        if (spec.stateBackend == StateBackendKind.ROCKSDB) {
            config.put("state.backend", "rocksdb");
            config.put("state.backend.incremental", "true");
        } else {
            config.put("state.backend", installation.line().heapBackend);
        }
        if (!spec.stock) {
            config.put(
                    "shuffle-service-factory.class",
                    "io.meces.runtime.shuffle.ElasticShuffleServiceFactory");
        }
        if (spec.zooKeeper != null) {
            config.put("high-availability", "zookeeper");
            config.put("high-availability.zookeeper.quorum", spec.zooKeeper);
            config.put("high-availability.storageDir", directory.resolve("ha").toUri().toString());
            // A JobManager that is gone is replaced when its session has ended.
            config.put("high-availability.zookeeper.client.session-timeout", "20000");
        }
        config.putAll(spec.config);
        Files.write(
                directory.resolve(installation.line().configuration),
                config.entrySet().stream()
                        .map(entry -> entry.getKey() + ": " + entry.getValue())
                        .collect(Collectors.toList()),
                StandardCharsets.UTF_8);
    }
}
