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
import io.meces.experiments.harness.CountResults;
import io.meces.experiments.harness.Interval;
import io.meces.experiments.harness.JobHealth;
import io.meces.experiments.harness.KeyCountEnvironment;
import io.meces.experiments.harness.KeyDistribution;
import io.meces.experiments.harness.LoadGenerator;
import io.meces.experiments.harness.RedisRemains;
import io.meces.experiments.harness.ResultReader;
import io.meces.experiments.run.PhaseLog;
import io.meces.experiments.run.ReportFolder;
import io.meces.experiments.run.Watchdog;
import io.meces.servers.ProcessGroup;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import javax.annotation.Nullable;

/**
 * Keeps a job under load for minutes or hours, rescales it, kills its TaskManagers and takes
 * savepoints, at random. The job writes to Kafka by exactly-once transactions; at the end all that
 * was committed is counted. Owned by the thread that runs it.
 */
public final class Soak {
    private static final Duration STALL = Duration.ofSeconds(180);
    private static final Duration PRELOAD_TIMEOUT = Duration.ofMinutes(10);
    private static final Duration DRAIN_TIMEOUT = Duration.ofMinutes(15);
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(60);
    private static final Duration ACTION_TIMEOUT = Duration.ofMinutes(4);
    private static final Duration REFUSAL_PATIENCE = Duration.ofSeconds(60);
    private static final Duration TICK = Duration.ofMillis(100);
    private static final long LOOK_MILLIS = 1_000;

    /** By Flink's JobManager, to a savepoint that is asked for too early. */
    private static final String TASKS_NOT_RUNNING = "Not all required tasks are currently running";

    /** Of transactions; a reader waits so long for one that is left open. */
    private static final Duration TRANSACTION_TIMEOUT = Duration.ofMinutes(10);

    private final SoakOptions options;
    private final long seed;
    private final Supplier<SoakAction> script;
    private final Installation installation;
    private final PrintWriter out;
    private final PhaseLog phases;
    private final Path reportFile;
    private final List<SoakEvent> events = new ArrayList<>();
    private final Set<String> killed = new HashSet<>();

    private Watchdog watchdog;
    private FlinkCluster flink;
    private FlinkClient client;
    private String jobId;
    private CheckpointWatch checkpoints;
    private long lastLookMillis;

    /**
     * A soak that has not begun.
     *
     * @param options what to do
     * @param installation where the jars are
     * @param out where to tell what goes on
     */
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
        this.options = options;
        this.seed = options.seed == null ? new Random().nextInt(1_000_000) : options.seed;
        this.script =
                script != null
                        ? script
                        : new SoakPlan(
                                        seed,
                                        options.taskManagers,
                                        KeyCountEnvironment.PARALLELISM,
                                        maxParallelism(),
                                        options.pauseMillis)
                                ::next;
        this.installation = installation;
        this.out = out;
        this.phases = new PhaseLog(out);
        this.reportFile =
                (options.report == null
                                ? installation
                                        .root()
                                        .resolve("reports/soak-" + now())
                                        .resolve("report.json")
                                : options.report)
                        .toAbsolutePath();
    }

    private static String now() {
        return LocalDateTime.now().format(DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss"));
    }

    /**
     * Runs the soak and writes the report. Every wait in it is bounded, and the processes it starts
     * are gone when it returns or throws.
     *
     * @throws IOException if a process, the job or the connection to it fails for good
     * @throws TimeoutException if something takes far too long
     */
    public SoakResult run() throws Exception {
        Path logs = reportFile.resolveSibling("logs");
        ReportFolder.create(reportFile.getParent(), "--report");
        phases.line("Seed %d, %s minutes; logs go to %s.", seed, options.minutes, logs);
        SoakResult result;
        try (ProcessGroup processes = new ProcessGroup("flink-meces-soak")) {
            KeyCountEnvironment environment =
                    KeyCountEnvironment.start(
                            installation,
                            clusterSpec(),
                            options.transitionService,
                            processes,
                            logs);
            watchdog = new Watchdog(processes);
            flink = environment.flink();
            client = flink.client();
            jobId =
                    environment.submit(
                            Arrays.asList(
                                    "--checkpoint-interval",
                                            String.valueOf(options.checkpointIntervalMillis),
                                    "--buffer-timeout", "5",
                                    "--semantic", "exactly-once",
                                    "--transaction-timeout",
                                            String.valueOf(TRANSACTION_TIMEOUT.toMillis()),
                                    "--restart-attempts", String.valueOf(Integer.MAX_VALUE)),
                            watchdog);
            checkpoints = new CheckpointWatch(client, jobId, System.currentTimeMillis());
            phases.line("Job %s runs; JobManager at %s.", jobId, client.address());
            try (LoadGenerator generator = environment.openLoad(options.keys, watchdog);
                    ResultReader<CountResults> reader =
                            new ResultReader<>(
                                    environment.kafka().address(),
                                    KeyCountEnvironment.OUTPUT,
                                    KeyCountEnvironment.PARTITIONS,
                                    new CountResults(options.keys),
                                    watchdog,
                                    true)) {
                result = measure(environment, generator, reader);
            }
            phases.line("Stopping all processes.");
        }
        SoakReport.write(result, reportFile);
        SoakResult plotted = result;
        Path plot = reportFile.resolveSibling("report.png");
        phases.plot(plot, () -> SoakPlot.write(plotted, plot));
        SoakReport.print(result, out);
        phases.line("Report: %s", reportFile);
        return result;
    }

    private FlinkCluster.Spec clusterSpec() {
        FlinkCluster.Spec spec =
                new FlinkCluster.Spec()
                        .quickStart(options.minutes < 10)
                        .taskManagers(options.taskManagers, options.slots)
                        .taskManagerHeapMegabytes(options.taskManagerHeapMegabytes)
                        .stateBackend(options.stateBackend)
                        // a TaskManager that was killed is to be missed soon
                        .config("heartbeat.interval", "1000")
                        .config("heartbeat.timeout", "8000")
                        // one kill can bring down a job twice: when a task fails, and when the
                        // TaskManager is missed
                        .config("meces.rescale.attempts", "10")
                        // more network buffers than are needed cost memory
                        .config("meces.rescale.max-parallelism", "" + maxParallelism())
                        .config("taskmanager.memory.network.min", "64m")
                        .config("taskmanager.memory.network.max", "64m");
        options.flinkConfig.forEach(spec::config);
        return spec;
    }

    private int maxParallelism() {
        return options.taskManagers * options.slots;
    }

    private SoakResult measure(
            KeyCountEnvironment environment,
            LoadGenerator generator,
            ResultReader<CountResults> reader)
            throws Exception {
        generator.preload();
        if (!reader.await(options.keys, STALL, PRELOAD_TIMEOUT)) {
            throw new TimeoutException(
                    "Only " + reader.distinct() + " of " + options.keys + " keys are counted.");
        }
        long start =
                generator.start(options.rate, KeyDistribution.UNIFORM.sampler(options.keys, seed));
        long end = start + (long) (options.minutes * 60e6);
        for (SoakAction action = script.get();
                action != null && EpochMicros.now() < end;
                action = script.get()) {
            pause(Math.min(action.pauseMillis, Math.max(0, (end - EpochMicros.now()) / 1_000)));
            if (EpochMicros.now() < end) {
                perform(action);
            }
        }
        Interval load = new Interval(start, generator.stop(STOP_TIMEOUT));
        phases.line(
                "Load ended after %d records; waiting for the results of %d.",
                generator.sent(), generator.sent() - reader.distinct());
        boolean complete = reader.await(generator.sent(), STALL, DRAIN_TIMEOUT);
        phases.line(complete ? "All results are in." : "Results are missing; gave up waiting.");
        look();
        JobHealth health = JobHealth.of(client, jobId, KeyCountJob.COUNTER, 1);
        watchdog.unwatch();
        // with the job gone no late duplicate can be missed
        environment.cancel(jobId, STOP_TIMEOUT);
        reader.finish(STOP_TIMEOUT);
        return new SoakResult(
                options,
                seed,
                installation,
                events,
                reader.results().verifier().verdict(generator.sentPerKey()),
                reader.results().samples(),
                load,
                health,
                checkpoints,
                environment.redis() == null
                        ? null
                        : RedisRemains.of(environment.redis(), watchdog));
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
        Elasticity.Vertex vertex = counter();
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
        event.longestWithoutCheckpointMillis = status[0].longestWithoutCheckpointMs();
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

    private Elasticity.Vertex counter() throws IOException {
        for (Elasticity.Vertex vertex : client.elasticity(jobId).vertices()) {
            if (vertex.name().startsWith(KeyCountJob.COUNTER)) {
                return vertex;
            }
        }
        throw new IOException("The JobManager does not offer to rescale the counter.");
    }

    private void kill(SoakEvent event) throws Exception {
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
        JsonNode[] answer = {null};
        awaitThat(
                "the savepoint",
                () -> {
                    answer[0] = client.savepoint(jobId, request);
                    return answer[0] != null;
                });
        JsonNode failure = answer[0].path("failure-cause");
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

    private void awaitThat(String what, Callable<Boolean> condition) throws Exception {
        long deadline = System.nanoTime() + ACTION_TIMEOUT.toNanos();
        while (!condition.call()) {
            if (System.nanoTime() - deadline > 0) {
                throw new TimeoutException(
                        "Waited for "
                                + what
                                + " for "
                                + ACTION_TIMEOUT.getSeconds()
                                + " s in vain: "
                                + events.get(events.size() - 1).action);
            }
            pause(TICK.toMillis());
        }
    }

    private void pause(long millis) throws IOException, InterruptedException {
        long deadline = System.currentTimeMillis() + millis;
        for (long left = millis; left > 0; left = deadline - System.currentTimeMillis()) {
            watchdog.pause(Duration.ofMillis(Math.min(left, LOOK_MILLIS)));
            if (System.currentTimeMillis() - lastLookMillis >= LOOK_MILLIS) {
                look();
            }
        }
    }

    private void look() throws IOException {
        lastLookMillis = System.currentTimeMillis();
        checkpoints.look(lastLookMillis);
    }
}
