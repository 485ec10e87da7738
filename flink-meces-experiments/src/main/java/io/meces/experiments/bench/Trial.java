// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.bench;

import com.fasterxml.jackson.databind.JsonNode;
import io.meces.examples.keycount.EpochMicros;
import io.meces.experiments.cluster.FlinkClient;
import io.meces.experiments.cluster.Watchdog;
import io.meces.experiments.measure.Interval;
import io.meces.experiments.run.Environment;
import io.meces.experiments.run.PhaseLog;
import io.meces.experiments.run.RescaleDriver;
import io.meces.experiments.run.RescaleRun;
import io.meces.experiments.run.Run;
import io.meces.experiments.run.RunResult;
import io.meces.experiments.traffic.Traffic;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** One run of one mechanism. */
final class Trial implements Run.Timeline {
    /** How long the load goes on at least when a rescale has ended. */
    private static final Duration AFTERMATH = Duration.ofSeconds(3);

    /** For so long a run waits for overdue checkpoints at most: before the load, and under it. */
    private static final Duration LONGEST_OVERDUE_AT_REST = Duration.ofMinutes(5);

    private static final Duration LONGEST_OVERDUE = Duration.ofSeconds(60);

    private final BenchOptions options;
    private final Workload workload;
    private final Mechanism mechanism;
    private final int repeat;
    private final EnvironmentFactory environments;
    private final PhaseLog phases;
    private final Path logs;
    private final Resources resources = new Resources();
    private Environment environment;
    private String job;
    private FlinkClient client;
    private Watchdog watchdog;
    private Outcome outcome;
    private long warmMicros;

    /** How the rescale went that is measured. Immutable. */
    static final class Outcome {
        /** The job that runs now. */
        final String jobId;

        final RescaleRun run;

        /** Into how many units a key-group was divided; 1 if nothing has moved by units. */
        final int unitsPerKeyGroup;

        /** What it consisted of, in ms. */
        final Map<String, Long> phases;

        Outcome(String jobId, RescaleRun run, int unitsPerKeyGroup, Map<String, Long> phases) {
            this.jobId = jobId;
            this.run = run;
            this.unitsPerKeyGroup = unitsPerKeyGroup;
            this.phases = phases;
        }
    }

    Trial(
            BenchOptions options,
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
        RunResult result = new RunResult();
        try (Environment opened = environments.open(mechanism, logs)) {
            environment = opened;
            client = opened.client();
            watchdog = opened.watchdog();
            job = opened.submit(workload.mainClass, arguments(options.from()), null);
            try (Traffic traffic = workload.traffic.apply(opened)) {
                new Run(opened, traffic, workload.vertices, this::say).perform(this, result);
            }
        }
        if (mechanism.isAdaptive() || result.health.wasRestarted()) {
            result.verdict.excuseReplays();
        }
        resources.stalls = RocksDBStalls.read(logs, ZoneId.systemDefault());
        return new TrialResult(
                mechanism,
                repeat,
                new Interval(warmMicros, result.load.endMicros),
                outcome,
                result,
                resources,
                options.boundMillis);
    }

    private List<String> arguments(int parallelism) {
        List<String> arguments = new ArrayList<>(workload.jobArguments);
        arguments.addAll(
                Arrays.asList(
                        "--keyed-parallelism", String.valueOf(parallelism),
                        "--checkpoint-interval",
                                String.valueOf(mechanism.checkpointIntervalMillis(options)),
                        "--buffer-timeout", String.valueOf(options.bufferTimeoutMillis)));
        return arguments;
    }

    @Override
    public void prefilled() throws Exception {
        awaitOverdueCheckpoints(LONGEST_OVERDUE_AT_REST);
        say("runs; load begins.");
    }

    @Override
    public Run.End play(long start) throws Exception {
        warmMicros = start + options.warmUpSeconds * 1_000_000L;
        if (options.practises() && mechanism.canPractise()) {
            watchdog.pauseUntil((start + warmMicros) / 2);
            practise();
            watchdog.pause(options.madeUp());
            awaitOverdueCheckpoints(LONGEST_OVERDUE);
            warmMicros = Math.max(warmMicros, EpochMicros.now() + AFTERMATH.toMillis() * 1_000);
        }
        long request = warmMicros + options.steadySeconds * 1_000_000L;
        Long stopped = null;
        try (ResourceSampler sampler = new ResourceSampler(client, watchdog, resources)) {
            watchdog.pauseUntil(request);
            say("rescaling from %d to %d.", options.from(), options.to());
            if (mechanism.isLive()) {
                RescaleDriver driver = driver();
                outcome =
                        new Outcome(
                                job,
                                driver.rescale(options.to()),
                                driver.subGroups(),
                                Collections.emptyMap());
            } else if (mechanism.isAdaptive()) {
                RescaleRun run = stock().require(options.from(), options.to());
                outcome = new Outcome(job, run, 1, Collections.emptyMap());
            } else {
                StockRescale.Restart restart =
                        stock().restart(workload.mainClass, arguments(options.to()));
                stopped = restart.stoppedMicros;
                outcome =
                        new Outcome(
                                restart.successor,
                                restart.run(options.from(), options.to()),
                                1,
                                restart.phases());
            }
            say("%s", outcome.run.outcome());
            watchdog.pause(AFTERMATH);
            watchdog.pauseUntil(request + options.afterSeconds() * 1_000_000L);
        }
        if (mechanism.kind == Mechanism.Kind.MECES) {
            resources.fetchMicros = ResourceSampler.fetchMicros(client);
        }
        return new Run.End(outcome.jobId, Math.min(options.from(), options.to()), stopped);
    }

    private RescaleDriver driver() throws IOException {
        return new RescaleDriver(
                client, job, workload.vertices, options.batchSize, mechanism.strategy, watchdog);
    }

    private StockRescale stock() {
        return new StockRescale(environment, job, workload.vertices);
    }

    /**
     * Rescales to the new parallelism and back. So the code has run once, and with a repartition
     * strategy key-groups are where it wants them: what it costs to come from another one is not
     * measured.
     */
    private void practise() throws Exception {
        if (mechanism.isAdaptive()) {
            stock().require(options.from(), options.to());
            stock().require(options.to(), options.from());
            return;
        }
        RescaleDriver driver = driver();
        for (int parallelism : new int[] {options.to(), options.from()}) {
            RescaleRun run = driver.rescale(parallelism);
            if (!run.isFinished()) {
                throw new IOException(
                        "The rescale to "
                                + parallelism
                                + " during the warm-up was "
                                + run.outcome());
            }
        }
    }

    /**
     * Waits until checkpoints come no faster than at their interval. Flink makes up for each one
     * that was due while another one took longer, as those of much state do while it is filled.
     */
    private void awaitOverdueCheckpoints(Duration longest) throws Exception {
        // what the JobManager tells may be 3 s old
        Duration quiet =
                Duration.ofMillis(Math.min(4_000, options.checkpointIntervalMillis * 4 / 5));
        long due = 1 + quiet.toMillis() / mechanism.checkpointIntervalMillis(options);
        long deadline = EpochMicros.now() + longest.toMillis() * 1_000;
        long before = client.checkpoints(job).path("counts").path("completed").asLong();
        while (EpochMicros.now() - deadline < 0) {
            watchdog.pause(quiet);
            JsonNode counts = client.checkpoints(job).path("counts");
            long completed = counts.path("completed").asLong();
            if (completed - before <= due && counts.path("in_progress").asLong() == 0) {
                return;
            }
            before = completed;
        }
        say("checkpoints are overdue still, after %d s.", longest.getSeconds());
    }

    private void say(String format, Object... arguments) {
        phases.line(
                "%s, %s, run %d: %s",
                workload.name, mechanism, repeat, String.format(format, arguments));
    }
}
