// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.saturation;

import static java.util.stream.Collectors.toList;

import com.fasterxml.jackson.databind.JsonNode;
import io.meces.examples.saturation.CountReading;
import io.meces.examples.saturation.SaturatedCountJob;
import io.meces.experiments.cluster.FlinkClient;
import io.meces.experiments.cluster.FlinkCluster;
import io.meces.experiments.cluster.Installation;
import io.meces.experiments.cluster.Watchdog;
import io.meces.experiments.run.RescaleDriver;
import io.meces.servers.ProcessGroup;
import io.meces.servers.ServerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;

/**
 * A cluster of a variant with the saturated job in it, which runs in its turns only. Between them
 * its processes stand still, so that others can have the machine for themselves. Not thread-safe.
 */
final class SaturatedCluster implements AutoCloseable {
    static final int PARALLELISM = 2;
    static final int MAX_PARALLELISM = 128;

    private static final int SLOTS = 4;
    private static final Duration START_TIMEOUT = Duration.ofSeconds(180);
    private static final Duration READING_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration READING_INTERVAL = Duration.ofMillis(50);
    private static final String FETCH_INTERVAL_MILLIS = "100";

    /** Who stands still shall be taken neither for dead nor for mute. */
    private static final String PATIENCE_MILLIS = "600000";

    private static final List<String> NAMES =
            IntStream.range(0, PARALLELISM)
                    .mapToObj(
                            subtask ->
                                    subtask
                                            + "."
                                            + SaturatedCountJob.COUNTER
                                            + "."
                                            + SaturatedCountJob.READING)
                    .collect(toList());

    private final Variant variant;
    private final ProcessGroup processes;
    private final FlinkCluster flink;
    private final FlinkClient client;
    private final Watchdog watchdog;
    private String jobId;
    private String vertexId;
    private boolean paused;
    private long pausedSince;
    private long pausedNanos;

    private SaturatedCluster(Variant variant, ProcessGroup processes, FlinkCluster flink) {
        this.variant = variant;
        this.processes = processes;
        this.flink = flink;
        this.client = flink.client();
        this.watchdog = new Watchdog(processes);
    }

    /**
     * Starts a cluster and the job, and has it stand still as soon as all tasks run. Blocks for
     * some ten seconds.
     *
     * @param checkpointIntervalMillis between two checkpoints, turns of others included
     */
    static SaturatedCluster start(
            Variant variant,
            SaturationOptions options,
            long checkpointIntervalMillis,
            Installation installation,
            Path logs)
            throws Exception {
        FlinkCluster.Spec spec =
                new FlinkCluster.Spec()
                        .taskManagers(1, SLOTS)
                        .config("heartbeat.timeout", PATIENCE_MILLIS)
                        .config("akka.ask.timeout", PATIENCE_MILLIS + " ms")
                        .config("metrics.fetcher.update-interval", FETCH_INTERVAL_MILLIS);
        options.flinkConfig.forEach(spec::config);
        variant.applyTo(spec);
        ProcessGroup processes = new ProcessGroup("flink-meces-bench");
        try {
            FlinkCluster flink = FlinkCluster.start(installation, spec, processes, logs);
            flink.awaitReady(START_TIMEOUT);
            SaturatedCluster cluster = new SaturatedCluster(variant, processes, flink);
            cluster.submit(options, checkpointIntervalMillis, installation);
            cluster.pause();
            return cluster;
        } catch (Throwable e) {
            processes.close();
            throw e;
        }
    }

    private void submit(
            SaturationOptions options, long checkpointIntervalMillis, Installation installation)
            throws Exception {
        jobId =
                client.runJar(
                        client.uploadJar(installation.jobJar()),
                        SaturatedCountJob.class.getName(),
                        Arrays.asList(
                                "--parallelism", String.valueOf(PARALLELISM),
                                "--max-parallelism", String.valueOf(MAX_PARALLELISM),
                                "--checkpoint-interval", String.valueOf(checkpointIntervalMillis),
                                "--keys", String.valueOf(options.keys),
                                "--seed", String.valueOf(options.seed)));
        watchdog.watch(client, jobId);
        flink.jobManager().awaitReady(() -> client.allRunning(jobId, PARALLELISM), START_TIMEOUT);
        vertexId = counter();
        requireCapacity();
    }

    /**
     * Runs for a time, then stands still again.
     *
     * @throws IOException if a process or the job has failed
     */
    void runFor(Duration time) throws IOException, InterruptedException {
        resume();
        watchdog.pause(time);
        pause();
    }

    /**
     * Runs until there is a reading of each subtask that was made in this turn, then stands still
     * again. The clock of the readings stands still between the turns.
     *
     * @throws TimeoutException if there is none
     */
    List<CountReading> read() throws IOException, InterruptedException, TimeoutException {
        resume();
        // The JobManager answers with what it knows, and asks for news only then.
        Map<String, String> known = client.metrics(jobId, vertexId, NAMES);
        Map<String, String> latest = new HashMap<>();
        watchdog.await(
                "metrics of the counter",
                () -> {
                    latest.putAll(client.metrics(jobId, vertexId, NAMES));
                    return isNews(known, latest);
                },
                READING_INTERVAL,
                READING_TIMEOUT);
        long stoodStill = pausedNanos;
        pause();
        return NAMES.stream()
                .map(latest::get)
                .map(text -> CountReading.parse(text).withoutPauses(stoodStill))
                .collect(toList());
    }

    /**
     * How many checkpoints were completed since the job began.
     *
     * @throws IOException if the job has restarted meanwhile
     */
    int completedCheckpoints() throws IOException, InterruptedException {
        resume();
        String restarts = client.metric(jobId, "numRestarts");
        if (restarts != null && Long.parseLong(restarts) > 0) {
            throw new IOException("The job has restarted; see the JobManager's log.");
        }
        int completed = client.checkpoints(jobId).path("counts").path("completed").asInt();
        pause();
        return completed;
    }

    /** Ends the processes. Blocks for some seconds. */
    @Override
    public void close() {
        processes.close();
    }

    private void pause() throws IOException, InterruptedException {
        for (ServerProcess process : flink.taskManagers()) {
            process.pause();
        }
        // Both times are taken when the TaskManager has just got its signal: what that takes does
        // not matter then.
        pausedSince = System.nanoTime();
        flink.jobManager().pause();
        paused = true;
    }

    private void resume() throws IOException, InterruptedException {
        if (!paused) {
            return;
        }
        flink.jobManager().resume();
        for (ServerProcess process : flink.taskManagers()) {
            process.resume();
        }
        pausedNanos += System.nanoTime() - pausedSince;
        paused = false;
    }

    private String counter() throws IOException {
        for (JsonNode vertex : client.job(jobId).path("vertices")) {
            if (vertex.path("name").asText().startsWith(SaturatedCountJob.COUNTER)) {
                return vertex.path("id").asText();
            }
        }
        throw new IOException("The job has no vertex " + SaturatedCountJob.COUNTER + ".");
    }

    /** Makes sure that what is measured is what its name says. */
    private void requireCapacity() throws IOException {
        if (variant.isStock()) {
            return;
        }
        int capacity =
                RescaleDriver.vertex(client.elasticity(jobId), SaturatedCountJob.COUNTER)
                        .capacity();
        if (capacity != variant.capacity) {
            throw new IOException("The counter can be rescaled up to " + capacity + ".");
        }
    }

    private static boolean isNews(Map<String, String> known, Map<String, String> latest) {
        return NAMES.stream()
                .allMatch(
                        name ->
                                latest.containsKey(name)
                                        && !latest.get(name).equals(known.get(name)));
    }
}
