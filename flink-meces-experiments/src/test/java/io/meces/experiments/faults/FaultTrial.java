// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.meces.api.Elasticity;
import io.meces.api.RescaleDetails;
import io.meces.api.RescaleRequest;
import io.meces.api.RescaleState;
import io.meces.api.RescaleStatus;
import io.meces.cli.rest.RefusedException;
import io.meces.experiments.cluster.FlinkClient;
import io.meces.experiments.faults.Switches.Point;
import io.meces.experiments.measure.Verdict;
import io.meces.experiments.traffic.JobTopics;
import io.meces.experiments.traffic.KeyCountTraffic;
import io.meces.experiments.traffic.KeyDistribution;
import io.meces.servers.ServerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One {@link FaultJob} under load, from its start to the comparison of its results. Not
 * thread-safe.
 */
final class FaultTrial implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FaultTrial.class);
    private static final int PARTITIONS = 2;
    private static final int KEYS = 500;
    private static final int RATE = 500;

    /** Under back pressure: so low that little heaps up, also on a machine that is busy. */
    private static final int PRESSED_RATE = 100;

    /** The time that a record takes, in µs: a subtask does 80 in a second. */
    private static final String SLOWER_THAN_LOAD = "12500";

    /** Long enough to get from one phase to the next between two checkpoints. */
    private static final long CHECKPOINT_MILLIS = 5_000L;

    private static final int KEY_GROUPS = 128;
    private static final int NOT_FOUND = 404;

    private final FaultLab lab;
    private final int sinks;
    private final String jobId;
    private final Switches switches;
    private final KeyCountTraffic traffic;
    private String rescaleId;
    private long faultTime;

    /**
     * Starts the job; returns when it has worked and completed a checkpoint.
     *
     * @param rocksDB whether its state is there
     * @param payload bytes of state that each key has besides its count
     * @param pressed whether a single subtask that counts is slower than the load, and checkpoints
     *     are unaligned
     */
    FaultTrial(
            FaultLab lab, int parallelism, int sinks, boolean rocksDB, int payload, boolean pressed)
            throws Exception {
        this.lab = lab;
        this.sinks = sinks;
        int number = lab.nextTrial();
        String input = "events-" + number;
        String output = "results-" + number;
        lab.kafka().createTopic(input, PARTITIONS, Collections.emptyMap());
        lab.kafka().createTopic(output, PARTITIONS, Collections.emptyMap());
        Path directory = lab.newDirectory("switches-" + number);
        this.switches = new Switches(directory);
        FlinkClient client = lab.client();
        List<String> arguments =
                new ArrayList<>(
                        Arrays.asList(
                                "--bootstrap-servers", lab.kafka().address(),
                                "--input", input,
                                "--output", output,
                                "--switches", directory.toString(),
                                "--parallelism", String.valueOf(parallelism),
                                "--sinks", String.valueOf(sinks),
                                "--checkpoint-interval", String.valueOf(CHECKPOINT_MILLIS),
                                "--payload", String.valueOf(payload)));
        if (rocksDB) {
            Path checkpoints = lab.newDirectory("checkpoints-" + number);
            arguments.addAll(Arrays.asList("--rocksdb", checkpoints.toUri().toString()));
        }
        if (pressed) {
            arguments.addAll(
                    Arrays.asList("--unaligned", "true", "--work-micros", SLOWER_THAN_LOAD));
        }
        this.jobId =
                client.runJar(client.uploadJar(lab.jobJar()), FaultJob.class.getName(), arguments);
        this.traffic =
                new KeyCountTraffic(
                        new JobTopics(lab.kafka().address(), input, output, PARTITIONS),
                        KEYS,
                        payload,
                        lab.watchdog(),
                        false);
        lab.await("the job", () -> isRunning(parallelism));
        traffic.preload();
        long seed = number;
        LOG.info("Trial {}: job {}, seed {}", number, jobId, seed);
        traffic.load(pressed ? PRESSED_RATE : RATE, KeyDistribution.UNIFORM.sampler(KEYS, seed))
                .start();
        lab.await("results", () -> traffic.distinct() > KEYS);
        long before = completedCheckpoints();
        lab.await("a checkpoint", () -> completedCheckpoints() > before);
    }

    Switches switches() {
        return switches;
    }

    /** Holds a subtask; returns when it is there. */
    void hold(Point point, String vertex, int subtask) throws Exception {
        switches.hold(point, vertex, subtask);
        awaitHeld(point, vertex, subtask);
    }

    void awaitHeld(Point point, String vertex, int subtask) throws Exception {
        lab.await(
                vertex + " " + subtask + " held at " + point,
                () -> switches.isHeld(point, vertex, subtask));
    }

    void release(Point point, String vertex, int subtask) throws IOException {
        switches.release(point, vertex, subtask);
    }

    void releaseAll() throws IOException {
        for (Point point : Point.values()) {
            for (String vertex : Arrays.asList(FaultJob.SOURCE, FaultJob.COUNT, FaultJob.SINK)) {
                for (int subtask = 0; subtask < 4; subtask++) {
                    switches.release(point, vertex, subtask);
                }
            }
        }
    }

    /** Asks for a rescale of the vertex that counts, in steps of one key-group. */
    void rescale(int parallelism) throws IOException {
        rescale(parallelism, 1);
    }

    /** The same in a single step. */
    void rescaleAtOnce(int parallelism) throws IOException {
        rescale(parallelism, KEY_GROUPS);
    }

    private void rescale(int parallelism, int batchSize) throws IOException {
        rescaleId =
                lab.client()
                        .rescale(
                                jobId,
                                RescaleRequest.of(
                                                RescaleRequest.Target.byId(
                                                        counter().id(), parallelism))
                                        .withBatchSize(batchSize));
    }

    RescaleDetails status() throws IOException {
        return lab.client().rescale(jobId, rescaleId);
    }

    /** Waits until the rescale is in a state. */
    void awaitState(RescaleState state) throws Exception {
        RescaleState[] last = new RescaleState[1];
        try {
            lab.await(
                    state.name(),
                    () -> {
                        RescaleDetails status = status();
                        last[0] = status.state();
                        if (status.status().isTerminal()) {
                            throw new AssertionError(
                                    "No "
                                            + state
                                            + ": "
                                            + status.status()
                                            + " "
                                            + status.failure());
                        }
                        return status.state() == state;
                    });
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + "; it was in " + last[0], e);
        }
    }

    /** Waits until the rescale holds a checkpoint back. */
    void awaitDueCheckpoint() throws Exception {
        lab.await(
                "a checkpoint that is due",
                () ->
                        lab.client().checkpoints(jobId).path("counts").path("in_progress").asInt()
                                > 0);
    }

    /** The TaskManager in which a subtask runs. */
    ServerProcess hostOf(String vertex, int subtask) throws IOException {
        for (JsonNode task : subtasks(vertex)) {
            if (task.path("subtask").asInt() == subtask) {
                return lab.taskManager(task.path("taskmanager-id").asText());
            }
        }
        throw new IllegalStateException("There is no " + vertex + " " + subtask + ".");
    }

    /** To be called right before a fault: recovery is what comes after it. */
    void beforeFault() {
        faultTime = System.currentTimeMillis();
    }

    /**
     * Waits until a JobManager has restarted the job, or taken it over, or the rescale has begun
     * anew.
     */
    void awaitNoticed() throws Exception {
        lab.await("a reaction", () -> lastRestart() > faultTime || status().attempt() > 1);
    }

    /** Waits until the job runs again. */
    void awaitRecovered() throws Exception {
        lab.await(
                "the recovery",
                () ->
                        "RUNNING".equals(lab.client().job(jobId).path("state").asText())
                                && runningTasks(FaultJob.SOURCE) == 1
                                && runningTasks(FaultJob.SINK) == sinks);
    }

    /** When the job was restarted last, or taken over, in ms since the epoch. */
    long lastRestart() throws IOException {
        return Math.max(timestamp("RESTARTING"), timestamp("CREATED"));
    }

    private long timestamp(String state) throws IOException {
        return lab.client().job(jobId).path("timestamps").path(state).asLong();
    }

    /**
     * Waits until the rescale has come to its target; asks for it anew if the JobManager does not
     * know it.
     *
     * @return whether it went on by itself
     */
    boolean awaitTarget(int parallelism) throws Exception {
        boolean[] again = new boolean[1];
        lab.await(
                "parallelism " + parallelism,
                () -> {
                    RescaleDetails status;
                    try {
                        status = status();
                    } catch (RefusedException e) {
                        if (e.status() == NOT_FOUND) {
                            lab.client().job(jobId);
                            again[0] = true;
                            rescale(parallelism);
                        }
                        throw e;
                    }
                    if (status.status().isTerminal() && status.status() != RescaleStatus.FINISHED) {
                        throw new AssertionError(status.status() + ": " + status.failure());
                    }
                    return status.status() == RescaleStatus.FINISHED;
                });
        return !again[0];
    }

    /** Ends the load and the job, and looks at everything that is left. */
    Verdict finish(int parallelism) throws Exception {
        long distinct = traffic.distinct();
        lab.await("progress after the fault", () -> traffic.distinct() > distinct + RATE);
        long before = completedCheckpoints();
        lab.await("a checkpoint after the fault", () -> completedCheckpoints() > before);
        traffic.stop(FaultLab.PATIENCE);
        lab.await("all results", () -> traffic.distinct() >= traffic.sent());

        Elasticity.Vertex vertex = counter();
        assertThat(vertex.keyGroups()).hasSize(parallelism).noneMatch(List::isEmpty);
        assertThat(
                        vertex.keyGroups().stream()
                                .flatMap(List::stream)
                                .sorted()
                                .collect(Collectors.toList()))
                .isEqualTo(IntStream.range(0, KEY_GROUPS).boxed().collect(Collectors.toList()));
        int active = 1 + parallelism + sinks;
        lab.await(
                "free slots: all but " + active,
                () -> lab.client().freeSlots() == lab.taskManagers() - active);
        assertThat(runningTasks(FaultJob.COUNT)).isEqualTo(parallelism);
        lab.await("a Redis without payloads", () -> lab.payloads() == 0);
        cancel();
        traffic.finish(FaultLab.PATIENCE);
        Verdict verdict = traffic.verdict(null);
        LOG.info(
                "{} records, {} results, {} of them repeated: {}",
                verdict.records,
                verdict.results,
                verdict.duplicated,
                verdict.examples);
        return verdict;
    }

    private void cancel() throws Exception {
        lab.client().cancel(jobId);
        lab.await(
                "the end of the job",
                () -> "CANCELED".equals(lab.client().job(jobId).path("state").asText()));
        lab.await("free slots", () -> lab.client().freeSlots() == lab.taskManagers());
    }

    private boolean isRunning(int parallelism) throws IOException {
        return "RUNNING".equals(lab.client().job(jobId).path("state").asText())
                && runningTasks(FaultJob.SOURCE) == 1
                && runningTasks(FaultJob.COUNT) == parallelism
                && runningTasks(FaultJob.SINK) == sinks;
    }

    private int runningTasks(String vertex) throws IOException {
        int running = 0;
        for (JsonNode task : subtasks(vertex)) {
            running += "RUNNING".equals(task.path("status").asText()) ? 1 : 0;
        }
        return running;
    }

    private JsonNode subtasks(String name) throws IOException {
        for (JsonNode vertex : lab.client().job(jobId).path("vertices")) {
            if (isNamed(name, vertex.path("name").asText())) {
                return lab.client().vertex(jobId, vertex.path("id").asText()).path("subtasks");
            }
        }
        throw new IOException("The job has no vertex " + name + ".");
    }

    private static boolean isNamed(String name, String chain) {
        return chain.startsWith(name) || chain.startsWith("Source: " + name);
    }

    private Elasticity.Vertex counter() throws IOException {
        Elasticity elasticity = lab.client().elasticity(jobId);
        for (Elasticity.Vertex vertex : elasticity.vertices()) {
            if (isNamed(FaultJob.COUNT, vertex.name())) {
                return vertex;
            }
        }
        throw new IOException("The job is not elastic: " + elasticity.refusal());
    }

    private long completedCheckpoints() throws IOException {
        return lab.client().checkpoints(jobId).path("counts").path("completed").asLong();
    }

    /** Ends the job if it has not ended. */
    @Override
    public void close() throws Exception {
        releaseAll();
        traffic.close();
        if (!"CANCELED".equals(lab.client().job(jobId).path("state").asText())) {
            cancel();
        }
    }
}
