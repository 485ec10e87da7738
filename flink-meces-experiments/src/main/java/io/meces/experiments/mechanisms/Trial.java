// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.mechanisms;

import com.fasterxml.jackson.databind.JsonNode;
import io.meces.examples.keycount.EpochMicros;
import io.meces.experiments.cluster.FlinkClient;
import io.meces.experiments.harness.Interval;
import io.meces.experiments.harness.ResultReader;
import io.meces.experiments.harness.Samples;
import io.meces.experiments.run.PhaseLog;
import io.meces.experiments.run.Watchdog;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;

/** One run of one mechanism. */
final class Trial {
    private static final Duration DRAIN_STALL = Duration.ofSeconds(120);
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(60);

    /** How long the load goes on at least when a rescale has ended. */
    private static final Duration AFTERMATH = Duration.ofSeconds(3);

    /** For so long a run waits for overdue checkpoints at most: before the load, and under it. */
    private static final Duration LONGEST_OVERDUE_AT_REST = Duration.ofMinutes(5);

    private static final Duration LONGEST_OVERDUE = Duration.ofSeconds(60);

    private final ExperimentOptions options;
    private final Workload workload;
    private final Mechanism mechanism;
    private final int repeat;
    private final EnvironmentFactory environments;
    private final PhaseLog phases;
    private final Path logs;

    Trial(
            ExperimentOptions options,
            Workload workload,
            Mechanism mechanism,
            int repeat,
            EnvironmentFactory environments,
            PhaseLog phases,
            Path logs) {
        this.options = options;
        this.workload = workload;
        this.mechanism = mechanism;
        this.repeat = repeat;
        this.environments = environments;
        this.phases = phases;
        this.logs = logs;
    }

    /**
     * Runs it. Blocks for about a minute, or as long as much state takes; all waits are bounded.
     * Nothing of it is left when it returns or throws.
     */
    TrialResult run() throws Exception {
        try (Environment environment = environments.open(mechanism, logs)) {
            String job = environment.submit(workload.mainClass(), arguments(options.from()), null);
            try (Traffic traffic = workload.open(environment.topics(), environment.watchdog())) {
                return measure(environment, job, traffic);
            }
        }
    }

    private List<String> arguments(int parallelism) {
        List<String> arguments = new ArrayList<>(workload.jobArguments());
        arguments.addAll(
                Arrays.asList(
                        "--keyed-parallelism", String.valueOf(parallelism),
                        "--checkpoint-interval", String.valueOf(options.checkpointIntervalMillis),
                        "--buffer-timeout", String.valueOf(options.bufferTimeoutMillis)));
        return arguments;
    }

    private Rescaling rescaling(Environment environment) {
        if (mechanism.kind != Mechanism.Kind.NATIVE) {
            return new LiveRescaling(
                    environment.client(),
                    workload,
                    options,
                    mechanism.strategy,
                    environment.watchdog());
        }
        return new NativeRestart(
                environment.client(),
                environment.savepoints(),
                savepoint ->
                        environment.submit(
                                workload.mainClass(), arguments(options.to()), savepoint),
                options,
                environment.watchdog());
    }

    private TrialResult measure(Environment environment, String firstJob, Traffic traffic)
            throws Exception {
        FlinkClient client = environment.client();
        Watchdog watchdog = environment.watchdog();
        Rescaling rescaling = rescaling(environment);
        traffic.prefill();
        awaitOverdueCheckpoints(client, watchdog, firstJob, LONGEST_OVERDUE_AT_REST);
        say("runs; load begins.");
        long start = traffic.start();
        long warm = start + options.warmUpSeconds * 1_000_000L;
        if (options.practises() && mechanism.kind != Mechanism.Kind.NATIVE) {
            watchdog.pauseUntil((start + warm) / 2);
            rescaling.prepare(firstJob);
            watchdog.pause(options.madeUp());
            awaitOverdueCheckpoints(client, watchdog, firstJob, LONGEST_OVERDUE);
            warm = Math.max(warm, EpochMicros.now() + AFTERMATH.toMillis() * 1_000);
        }
        long request = warm + options.steadySeconds * 1_000_000L;
        Rescaling.Outcome outcome;
        Interval measured;
        List<long[]> heap;
        try (ResourceSampler sampler = new ResourceSampler(client, watchdog)) {
            watchdog.pauseUntil(request);
            say("rescaling from %d to %d.", options.from(), options.to());
            outcome = rescaling.rescale(firstJob);
            say(
                    "%s after %d ms%s",
                    outcome.run.rescale.status(),
                    outcome.run.rescale.durationMs(),
                    outcome.run.rescale.failure() == null
                            ? "."
                            : ": " + outcome.run.rescale.failure());
            watchdog.pause(AFTERMATH);
            watchdog.pauseUntil(request + options.afterSeconds() * 1_000_000L);
            measured = new Interval(warm, traffic.stop(STOP_TIMEOUT));
            sampler.close();
            heap = sampler.heap();
        }
        Map<String, double[]> fetches =
                mechanism.kind == Mechanism.Kind.MECES
                        ? ResourceSampler.fetchMicros(client)
                        : Collections.emptyMap();
        boolean complete = traffic.drain(DRAIN_STALL, ResultReader.LONGEST_DRAIN);
        say(complete ? "all results are in." : "results are missing; gave up waiting.");
        String counted = client.metric(outcome.jobId, "numRestarts");
        long checkpoints =
                client.checkpoints(outcome.jobId).path("counts").path("completed").asLong();
        watchdog.unwatch();
        if (complete) {
            // With the job gone no late duplicate can be missed. One that hangs is not awaited.
            environment.cancel(outcome.jobId, STOP_TIMEOUT);
        }
        long restarts = restarts(client, outcome.jobId, counted);
        traffic.finish(STOP_TIMEOUT);
        Exactness exactness = traffic.exactness(outcome.stopped);
        return new TrialResult(
                mechanism,
                repeat,
                measured,
                outcome,
                figures(traffic.results(), measured, outcome),
                figures(traffic.markers(), measured, outcome),
                traffic.stages(),
                restarts == 0 ? exactness : exactness.ofRestartedJob(),
                restarts,
                checkpoints,
                heap,
                fetches,
                RocksDBStalls.read(logs, ZoneId.systemDefault()));
    }

    /**
     * Waits until checkpoints come no faster than at their interval. Flink makes up for each one
     * that was due while another one took longer, as those of much state do while it is filled.
     */
    private void awaitOverdueCheckpoints(
            FlinkClient client, Watchdog watchdog, String jobId, Duration longest)
            throws Exception {
        // what the JobManager tells may be 3 s old
        Duration quiet =
                Duration.ofMillis(Math.min(4_000, options.checkpointIntervalMillis * 4 / 5));
        long deadline = EpochMicros.now() + longest.toMillis() * 1_000;
        long before = client.checkpoints(jobId).path("counts").path("completed").asLong();
        while (EpochMicros.now() - deadline < 0) {
            watchdog.pause(quiet);
            JsonNode counts = client.checkpoints(jobId).path("counts");
            long completed = counts.path("completed").asLong();
            if (completed - before <= 1 && counts.path("in_progress").asLong() == 0) {
                return;
            }
            before = completed;
        }
        say("checkpoints are overdue still, after %d s.", longest.getSeconds());
    }

    /**
     * How often Flink has restarted a job. The metric can be as old as the interval at which a
     * JobManager collects them; what it tells of the states of the job is not.
     */
    private static long restarts(FlinkClient client, String jobId, @Nullable String counted)
            throws IOException {
        long metric = counted == null ? 0 : Long.parseLong(counted);
        boolean restarted = client.job(jobId).path("timestamps").path("RESTARTING").asLong() > 0;
        return Math.max(metric, restarted ? 1 : 0);
    }

    private Figures figures(Samples samples, Interval measured, Rescaling.Outcome outcome) {
        return new Figures(samples, measured, outcome.run.interval, options.boundMillis);
    }

    private void say(String format, Object... arguments) {
        phases.line(
                "%s, %s, run %d: %s",
                workload.name(), mechanism, repeat, String.format(format, arguments));
    }
}
