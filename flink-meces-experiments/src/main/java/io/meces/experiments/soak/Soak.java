// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.soak;

import com.fasterxml.jackson.databind.JsonNode;
import io.meces.api.AbortMode;
import io.meces.api.Elasticity;
import io.meces.api.RescaleDetails;
import io.meces.api.RescaleRequest;
import io.meces.cli.rest.RefusedException;
import io.meces.examples.keycount.EpochMicros;
import io.meces.examples.keycount.KeyCountJob;
import io.meces.experiments.cluster.FlinkClient;
import io.meces.experiments.cluster.FlinkCluster;
import io.meces.experiments.cluster.Installation;
import io.meces.experiments.cluster.Watchdog;
import io.meces.experiments.run.LocalEnvironment;
import io.meces.experiments.run.LocalRun;
import io.meces.experiments.run.RescaleDriver;
import io.meces.experiments.traffic.KeyCountTraffic;
import io.meces.experiments.traffic.KeyDistribution;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import javax.annotation.Nullable;

/**
 * Keeps a job under load for minutes or hours, rescales it, kills its TaskManagers and takes
 * savepoints, at random. The job writes to Kafka by exactly-once transactions; at the end all that
 * was committed is counted.
 */
public final class Soak extends LocalRun<SoakOptions> {
    private static final Duration ACTION_TIMEOUT = Duration.ofMinutes(4);
    private static final Duration REFUSAL_PATIENCE = Duration.ofSeconds(60);
    private static final Duration TICK = Duration.ofMillis(100);
    private static final long LOOK_MILLIS = 1_000;

    /** By Flink's JobManager, to a savepoint that is asked for too early. */
    private static final String TASKS_NOT_RUNNING = "Not all required tasks are currently running";

    /** Of transactions; a reader waits so long for one that is left open. */
    private static final Duration TRANSACTION_TIMEOUT = Duration.ofMinutes(10);

    final long seed;
    final List<SoakEvent> events = new ArrayList<>();
    final CheckpointWatch checkpoints = new CheckpointWatch();
    private final Supplier<SoakAction> script;
    private final Set<String> killed = new HashSet<>();
    private Watchdog watchdog;
    private FlinkCluster flink;
    private FlinkClient client;
    private String jobId;
    private long lastLookMillis;

    /** A soak that does what its seed determines. */
    public Soak(SoakOptions options, Installation installation, PrintWriter out) {
        this(options, installation, out, null);
    }

    /**
     * A soak that does what it is told.
     *
     * @param script gives one action after the other, and then null; null: what the seed determines
     */
    Soak(
            SoakOptions options,
            Installation installation,
            PrintWriter out,
            @Nullable Supplier<SoakAction> script) {
        super(options, installation, out);
        this.seed = options.seed == null ? new Random().nextInt(1_000_000) : options.seed;
        this.script =
                script != null
                        ? script
                        : new SoakPlan(
                                        seed,
                                        options.taskManagers,
                                        LocalEnvironment.PARALLELISM,
                                        options.maxParallelism(),
                                        options.pauseMillis)
                                ::next;
        phases.line("Seed %d, %s minutes.", seed, options.minutes);
    }

    @Override
    protected FlinkCluster.Spec cluster() {
        return options.cluster()
                .quickStart(options.minutes < 10)
                .taskManagers(options.taskManagers, options.slots)
                // a TaskManager that was killed is to be missed soon
                .configByDefault("heartbeat.interval", "1000")
                .configByDefault("heartbeat.timeout", "8000")
                // one kill can bring down a job twice: when a task fails, and when the
                // TaskManager is missed
                .configByDefault("meces.rescale.attempts", "10")
                // more network buffers than are needed cost memory
                .configByDefault("meces.rescale.max-parallelism", "" + options.maxParallelism())
                .configByDefault("taskmanager.memory.network.min", "64m")
                .configByDefault("taskmanager.memory.network.max", "64m");
    }

    @Override
    protected List<String> jobArguments() {
        return Arrays.asList(
                "--checkpoint-interval", String.valueOf(options.checkpointIntervalMillis),
                "--buffer-timeout", String.valueOf(options.bufferTimeoutMillis),
                "--semantic", "exactly-once",
                "--transaction-timeout", String.valueOf(TRANSACTION_TIMEOUT.toMillis()),
                "--restart-attempts", String.valueOf(Integer.MAX_VALUE));
    }

    @Override
    protected KeyCountTraffic open(LocalEnvironment environment) {
        return new KeyCountTraffic(
                        environment.topics(), options.keys, 0, environment.watchdog(), true)
                .load(options.rate, KeyDistribution.UNIFORM.sampler(options.keys, seed));
    }

    @Override
    protected int play(LocalEnvironment environment, String job, long startMicros)
            throws Exception {
        watchdog = environment.watchdog();
        flink = environment.flink();
        client = environment.client();
        jobId = job;
        checkpoints.begin(System.currentTimeMillis());
        long end = startMicros + (long) (options.minutes * 60e6);
        for (SoakAction action = script.get();
                action != null && EpochMicros.now() < end;
                action = script.get()) {
            pause(Math.min(action.pauseMillis, Math.max(0, (end - EpochMicros.now()) / 1_000)));
            if (EpochMicros.now() < end) {
                perform(action);
            }
        }
        look();
        return 1;
    }

    // ------------------------------------------------------------------------
    //  Actions
    // ------------------------------------------------------------------------

    private void perform(SoakAction action) throws Exception {
        SoakEvent event = new SoakEvent(action, EpochMicros.now());
        events.add(event);
        switch (action.kind) {
            case RESCALE:
                rescale(event);
                break;
            case KILL:
                kill(event);
                event.outcome = "DONE";
                break;
            default:
                savepoint(event);
        }
        if (event.killed) {
            awaitThat("the job to recover", this::hasRecovered);
        }
        event.endMicros = EpochMicros.now();
        phases.line(
                "%s: %s after %d ms%s",
                event.is(SoakAction.Kind.RESCALE) ? "From " + event.from + ", " + action : action,
                event.outcome,
                (event.endMicros - event.startMicros) / 1_000,
                event.failure == null ? "." : ": " + event.failure);
    }

    private void rescale(SoakEvent event) throws Exception {
        Elasticity.Vertex vertex =
                RescaleDriver.vertex(client.elasticity(jobId), KeyCountJob.COUNTER);
        event.from = vertex.parallelism();
        if (event.from == event.action.to) {
            event.outcome = "SKIPPED";
            return;
        }
        String id = request(event, vertex.id());
        if (id == null) {
            return;
        }
        long start = System.currentTimeMillis();
        RescaleDetails[] status = {client.rescale(jobId, id)};
        awaitThat(
                "the rescale to end",
                () -> {
                    long passed = System.currentTimeMillis() - start;
                    if (!event.killed && event.action.isKillDue(passed)) {
                        kill(event);
                    }
                    if (!event.aborted && event.action.isAbortDue(passed)) {
                        abort(event, id);
                    }
                    status[0] = client.rescale(jobId, id);
                    return status[0].status().isTerminal();
                });
        if (!event.killed && event.action.hasKill()) {
            // the rescale was quicker
            kill(event);
        }
        event.outcome = status[0].status().name();
        event.failure = status[0].failure();
        event.attempts = status[0].attempt();
        event.longestWithoutCheckpointMs = status[0].longestWithoutCheckpointMs();
    }

    /** The id of the rescale; null if it is refused for too long. */
    @Nullable
    private String request(SoakEvent event, String vertex) throws Exception {
        long deadline = System.nanoTime() + REFUSAL_PATIENCE.toNanos();
        while (true) {
            try {
                return client.rescale(
                        jobId,
                        RescaleRequest.of(RescaleRequest.Target.byId(vertex, event.action.to)));
            } catch (RefusedException e) {
                // right after a restart the JobManager may not know yet that all tasks run
                if (System.nanoTime() - deadline > 0) {
                    event.outcome = "REFUSED";
                    event.failure = e.getMessage();
                    return null;
                }
                pause(TICK.toMillis());
            }
        }
    }

    private void kill(SoakEvent event) throws IOException, InterruptedException {
        killed.add(flink.replaceTaskManager(event.action.victim));
        event.killed = true;
    }

    private void abort(SoakEvent event, String id) throws IOException {
        event.aborted = true;
        try {
            client.abort(jobId, id, event.action.rollback ? AbortMode.ROLLBACK : AbortMode.STOP);
        } catch (RefusedException e) {
            // it has ended meanwhile, or is too far
            event.failure = e.getMessage();
        }
    }

    private void savepoint(SoakEvent event) throws Exception {
        String directory = reportFile.resolveSibling("savepoints").toUri().toString();
        long deadline = System.nanoTime() + REFUSAL_PATIENCE.toNanos();
        event.failure = savepoint(directory);
        // what has told that all tasks run can be some seconds old
        while (event.failure != null
                && event.failure.contains(TASKS_NOT_RUNNING)
                && System.nanoTime() - deadline < 0) {
            pause(TICK.toMillis());
            event.failure = savepoint(directory);
        }
        event.outcome = event.failure == null ? "DONE" : "FAILED";
    }

    /** Why it has failed; null if it has not. */
    @Nullable
    private String savepoint(String directory) throws Exception {
        String request = client.triggerSavepoint(jobId, directory);
        JsonNode[] outcome = {null};
        awaitThat(
                "the savepoint",
                () -> {
                    outcome[0] = client.savepoint(jobId, request);
                    return outcome[0] != null;
                });
        JsonNode failure = outcome[0].path("failure-cause");
        return failure.isMissingNode()
                ? null
                : failure.path("stack-trace").asText().split("\\R")[0];
    }

    // ------------------------------------------------------------------------
    //  Waiting
    // ------------------------------------------------------------------------

    /** Whether the JobManager misses all that were killed, and all of the job runs. */
    private boolean hasRecovered() throws IOException {
        Set<String> alive = client.taskManagers();
        return alive.size() == options.taskManagers
                && Collections.disjoint(alive, killed)
                && client.isSettled(jobId);
    }

    private void awaitThat(String what, Watchdog.Condition condition) throws Exception {
        watchdog.await(
                what + ": " + events.get(events.size() - 1).action,
                () -> {
                    lookIfDue();
                    return condition.holds();
                },
                TICK,
                ACTION_TIMEOUT);
    }

    private void pause(long millis) throws IOException, InterruptedException {
        long deadline = System.currentTimeMillis() + millis;
        for (long left = millis; left > 0; left = deadline - System.currentTimeMillis()) {
            watchdog.pause(Duration.ofMillis(Math.min(left, LOOK_MILLIS)));
            lookIfDue();
        }
    }

    private void lookIfDue() throws IOException {
        if (System.currentTimeMillis() - lastLookMillis >= LOOK_MILLIS) {
            look();
        }
    }

    private void look() throws IOException {
        lastLookMillis = System.currentTimeMillis();
        checkpoints.take(client.checkpoints(jobId), lastLookMillis);
    }

    // ------------------------------------------------------------------------
    //  Outcome
    // ------------------------------------------------------------------------

    /**
     * Whether every record was counted exactly once and in order, and all rescales and savepoints
     * came to the end that they should.
     */
    @Override
    public boolean isSuccess() {
        return result.verdict.isExact() && complaints().isEmpty();
    }

    /** What went wrong, in words. */
    List<String> complaints() {
        return events.stream()
                .map(SoakEvent::complaint)
                .filter(Objects::nonNull)
                .collect(Collectors.toList());
    }

    /** Rescales that the JobManager has taken. */
    long rescales() {
        return count(
                event ->
                        event.is(SoakAction.Kind.RESCALE)
                                && !event.outcome.equals("SKIPPED")
                                && !event.outcome.equals("REFUSED"));
    }

    /** How many actions of a kind have had an outcome. */
    long count(SoakAction.Kind kind, String outcome) {
        return count(event -> event.is(kind) && event.outcome.equals(outcome));
    }

    long count(Predicate<SoakEvent> which) {
        return events.stream().filter(which).count();
    }

    SoakOptions options() {
        return options;
    }

    @Override
    protected Object report(@Nullable Exception failure) {
        return new SoakReport(this, installation, failure);
    }

    @Override
    protected void show() throws IOException {
        Path plot = reportFile.resolveSibling("report.png");
        phases.plot(plot, () -> SoakReport.plot(this, plot));
        new SoakReport(this, installation, null).print(this, out);
    }
}
