// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.faults;

import io.meces.experiments.cluster.FlinkClient;
import io.meces.experiments.cluster.FlinkCluster;
import io.meces.experiments.cluster.FlinkLine;
import io.meces.experiments.cluster.Installation;
import io.meces.experiments.cluster.Watchdog;
import io.meces.experiments.run.RedisRemains;
import io.meces.flink.testing.DisposedOperator;
import io.meces.servers.KafkaBroker;
import io.meces.servers.ProcessGroup;
import io.meces.servers.RedisServer;
import io.meces.servers.ServerProcess;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.jar.JarEntry;
import java.util.jar.JarInputStream;
import java.util.jar.JarOutputStream;
import javax.annotation.Nullable;

/**
 * ZooKeeper, Kafka, JobManagers and TaskManagers with one slot each: processes that a test ends,
 * pauses and starts. Not thread-safe.
 */
final class FaultLab implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(180);

    /** How long ZooKeeper waits for a JobManager that is silent until another one may lead. */
    static final Duration SESSION = Duration.ofSeconds(10);

    private static final Duration POLL = Duration.ofMillis(20);

    private final ProcessGroup processes;
    private final Watchdog watchdog;
    private final ZooKeeperServer zooKeeper;
    private final KafkaBroker kafka;
    @Nullable private final RedisServer redis;
    private final FlinkCluster flink;
    private final Path jobJar;
    private ServerProcess leader;
    @Nullable private ServerProcess standby;
    private int trials;

    private FaultLab(
            ProcessGroup processes,
            ZooKeeperServer zooKeeper,
            KafkaBroker kafka,
            @Nullable RedisServer redis,
            FlinkCluster flink,
            Path jobJar) {
        this.processes = processes;
        this.watchdog = new Watchdog(processes);
        this.zooKeeper = zooKeeper;
        this.kafka = kafka;
        this.redis = redis;
        this.flink = flink;
        this.jobJar = jobJar;
        this.leader = flink.jobManager();
    }

    /**
     * Starts all but a second JobManager; returns when they are ready.
     *
     * @param taskManagers how many
     * @param logs where logs go
     * @param transitionService by its name
     */
    static FaultLab start(
            Installation installation, int taskManagers, Path logs, String transitionService)
            throws Exception {
        ProcessGroup processes = new ProcessGroup("flink-meces-faults");
        try {
            ZooKeeperServer zooKeeper =
                    ZooKeeperServer.start(installation.servers(), processes, logs);
            KafkaBroker kafka =
                    KafkaBroker.start(
                            installation.servers(),
                            processes,
                            logs,
                            // Kafka is to bear a machine that is slow for a while.
                            Collections.singletonMap("broker.session.timeout.ms", "60000"));
            zooKeeper.awaitReady(PATIENCE);
            FlinkCluster.Spec spec =
                    new FlinkCluster.Spec()
                            .quickStart(true)
                            .highAvailability(zooKeeper.address())
                            .taskManagers(taskManagers, 1)
                            .taskManagerHeapMegabytes(FlinkCluster.LEAST_HEAP_MEGABYTES)
                            // Who is gone is missed soon, who is slow is not.
                            .config("heartbeat.interval", "2000")
                            .config("heartbeat.timeout", "10000")
                            .config(
                                    "high-availability.zookeeper.client.session-timeout",
                                    String.valueOf(SESSION.toMillis()))
                            // A JobManager that does not lead yet says so, and is asked again.
                            .config("web.timeout", "5000")
                            // What REST tells is of this moment.
                            .config("web.refresh-interval", "50")
                            // A slot that a job does not use is soon free for others.
                            .config("slot.idle.timeout", "1000")
                            // for jobs that have their state in RocksDB, and step by key-groups
                            .library(installation.rocksDBJar())
                            .config("taskmanager.memory.managed.size", "64m")
                            .config("meces.migration.batch-bytes", "1g")
                            // a phase that waits for a checkpoint stays for as long as it is held
                            .config("meces.migration.checkpoint", "WAIT");
            kafka.awaitReady(PATIENCE);
            RedisServer redis = null;
            if (transitionService.equals("kafka-redis")) {
                redis = RedisServer.start(installation.servers(), processes, logs);
                redis.awaitReady(PATIENCE);
                spec.config("meces.transition-service", transitionService)
                        .config("meces.kafka.bootstrap.servers", kafka.address())
                        .config("meces.redis.hosts", redis.address())
                        // What a TaskManager leaves that is killed is soon gone, too.
                        .config("meces.transition-service.kafka-redis.payload-ttl", "20 s");
            }
            FlinkCluster flink = FlinkCluster.start(installation, spec, processes, logs);
            flink.awaitReady(PATIENCE);
            return new FaultLab(
                    processes,
                    zooKeeper,
                    kafka,
                    redis,
                    flink,
                    jobJar(installation, processes.directory().resolve("faults.jar")));
        } catch (Exception e) {
            processes.close();
            throw e;
        }
    }

    /** The REST interface of the JobManager that leads. */
    FlinkClient client() {
        return flink.client(leader);
    }

    KafkaBroker kafka() {
        return kafka;
    }

    /** How many payloads of units are in Redis; none if there is no Redis. */
    long payloads() throws IOException, InterruptedException {
        return redis == null ? 0 : RedisRemains.of(redis, watchdog).redisPayloadsLeft;
    }

    Watchdog watchdog() {
        return watchdog;
    }

    Path jobJar() {
        return jobJar;
    }

    /** A number that no trial has had. */
    int nextTrial() {
        return ++trials;
    }

    /** A new directory for switches. */
    Path newDirectory(String name) throws IOException {
        return Files.createDirectories(processes.directory().resolve(name));
    }

    ServerProcess leader() {
        return leader;
    }

    /** Starts and ends TaskManagers until there are so many. Returns when they are registered. */
    void taskManagers(int count) throws Exception {
        while (flink.taskManagers().size() > count) {
            flink.kill(flink.taskManagers().get(0));
        }
        while (flink.taskManagers().size() < count) {
            flink.startTaskManager();
        }
        await(count + " TaskManagers", () -> client().slots() == count);
    }

    int taskManagers() {
        return flink.taskManagers().size();
    }

    /** The TaskManager of that id. */
    ServerProcess taskManager(String id) {
        return flink.taskManagers().stream()
                .filter(process -> process.name().equals(id))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("There is no " + id + "."));
    }

    /** Ends a process like a crash. */
    void kill(ServerProcess process) throws InterruptedException {
        flink.kill(process);
    }

    /** Starts a JobManager that stands by, if there is none. Returns when it answers. */
    void ensureStandby() throws Exception {
        if (standby == null) {
            standby = flink.startJobManager();
            ServerProcess process = standby;
            await("a JobManager that stands by", () -> flink.client(process).slots() >= 0);
        }
    }

    /** Ends the JobManager that stands by, if there is one: only one can lead. */
    void removeStandby() throws InterruptedException {
        if (standby != null) {
            flink.kill(standby);
            standby = null;
        }
    }

    /** Ends ZooKeeper like a crash and starts it again, with its data, after some time. */
    void restartZooKeeper(Duration outage) throws Exception {
        zooKeeper.stop(true);
        watchdog.pause(outage);
        zooKeeper.restart();
        zooKeeper.awaitReady(PATIENCE);
    }

    /** Ends the JobManager that leads, like a crash; the one that stands by is to take over. */
    void killLeader() throws InterruptedException {
        flink.kill(leader);
        leader = standby;
        standby = null;
    }

    /**
     * Stops the JobManager that leads in its tracks; the one that stands by is to take over. {@link
     * #resumeFormerLeader} ends this.
     */
    void pauseLeader() throws IOException, InterruptedException {
        leader.pause();
        ServerProcess former = leader;
        leader = standby;
        standby = former;
    }

    /** Has the JobManager that led go on, and waits until it stands by. */
    void resumeFormerLeader() throws Exception {
        standby.resume();
        FlinkClient former = flink.client(standby);
        await("the former leader", () -> former.slots() == client().slots());
    }

    /** Starts one more TaskManager; returns at once. */
    void startTaskManager() throws IOException {
        flink.startTaskManager();
    }

    /**
     * Waits until a condition holds. An {@link IOException}, as of a JobManager that does not
     * answer, means that it does not.
     */
    void await(String what, Callable<Boolean> condition) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        IOException last = null;
        while (true) {
            try {
                if (condition.call()) {
                    return;
                }
                last = null;
            } catch (IOException e) {
                last = e;
            }
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError(
                        "Waited in vain for " + PATIENCE.getSeconds() + " s for " + what, last);
            }
            watchdog.pause(POLL);
        }
    }

    @Override
    public void close() {
        processes.close();
    }

    /** The job jar of the examples, and the classes of the job with switches, of the same line. */
    private static Path jobJar(Installation installation, Path jar) throws IOException {
        try (JarInputStream in = new JarInputStream(Files.newInputStream(installation.jobJar()));
                JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            for (JarEntry entry = in.getNextJarEntry();
                    entry != null;
                    entry = in.getNextJarEntry()) {
                out.putNextEntry(new JarEntry(entry.getName()));
                copy(in, out);
            }
            Path classes =
                    installation
                            .root()
                            .resolve(
                                    installation.line() == FlinkLine.V1_12
                                            ? "flink-meces-experiments"
                                            : "flink-meces-flink-"
                                                    + installation.line()
                                                    + "-examples")
                            .resolve("target/test-classes");
            for (String folder :
                    Arrays.asList(folder(FaultJob.class), folder(DisposedOperator.class))) {
                try (DirectoryStream<Path> ours =
                        Files.newDirectoryStream(
                                classes.resolve(folder), "{Fault,Switches,Disposed}*.class")) {
                    for (Path file : ours) {
                        out.putNextEntry(new JarEntry(folder + "/" + file.getFileName()));
                        Files.copy(file, out);
                    }
                }
            }
        }
        return jar;
    }

    private static String folder(Class<?> type) {
        return type.getPackage().getName().replace('.', '/');
    }

    private static void copy(InputStream in, JarOutputStream out) throws IOException {
        byte[] buffer = new byte[1 << 16];
        for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
            out.write(buffer, 0, n);
        }
    }
}
