// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.demo;

import io.meces.examples.keycount.KeyCountJob;
import io.meces.experiments.cluster.FlinkCluster;
import io.meces.experiments.cluster.Installation;
import io.meces.experiments.cluster.Watchdog;
import io.meces.experiments.measure.Backlog;
import io.meces.experiments.measure.Interval;
import io.meces.experiments.run.LocalEnvironment;
import io.meces.experiments.run.LocalRun;
import io.meces.experiments.run.RescaleDriver;
import io.meces.experiments.run.RescaleRun;
import io.meces.experiments.traffic.KeyCountTraffic;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import javax.annotation.Nullable;

/** Rescales the key-count job while records flow. */
public final class KeyCountDemo extends LocalRun<DemoOptions> {
    private static final int TASK_MANAGERS = 2;
    private static final Duration AFTERMATH = Duration.ofSeconds(1);

    public KeyCountDemo(DemoOptions options, Installation installation, PrintWriter out) {
        super(options, installation, out);
    }

    /** A slot for each subtask of the counter at its highest, two at least. */
    @Override
    protected FlinkCluster.Spec cluster() {
        int highest = Math.max(LocalEnvironment.PARALLELISM, Collections.max(options.rescales));
        return options.cluster()
                .stock(options.stock)
                .quickStart(true)
                .evenHeap(true)
                .taskManagers(
                        TASK_MANAGERS, Math.max(2, (highest + TASK_MANAGERS - 1) / TASK_MANAGERS))
                .configByDefault("metrics.fetcher.update-interval", "1000");
    }

    @Override
    protected List<String> jobArguments() {
        return Arrays.asList(
                "--checkpoint-interval", String.valueOf(options.checkpointIntervalMillis),
                "--work-micros", String.valueOf(options.workMicros),
                // What is sent before the load is one record of each key.
                "--work-from", String.valueOf(options.keys),
                "--buffer-timeout", String.valueOf(options.bufferTimeoutMillis),
                "--key-type", options.keyType);
    }

    @Override
    protected KeyCountTraffic open(LocalEnvironment environment) {
        return new KeyCountTraffic(
                        environment.topics(), options.keys, 0, environment.watchdog(), false)
                .load(options.rate, options.distribution.sampler(options.keys, options.seed));
    }

    @Override
    protected int play(LocalEnvironment environment, String jobId, long startMicros)
            throws Exception {
        Watchdog watchdog = environment.watchdog();
        phases.line(
                "%d keys have been loaded. Load: %d records per second, %s keys, for %d s (%d s of"
                        + " them warm-up).",
                options.keys,
                options.rate,
                options.distribution,
                options.seconds,
                options.warmUpSeconds);
        int lowest = LocalEnvironment.PARALLELISM;
        if (!options.stock) {
            rescale(environment, jobId, startMicros + options.warmUpSeconds * 1_000_000L);
            lowest = Math.min(lowest, Collections.min(options.rescales));
        }
        watchdog.pauseUntil(startMicros + options.seconds * 1_000_000L);
        return lowest;
    }

    private void rescale(LocalEnvironment environment, String jobId, long warmMicros)
            throws Exception {
        Watchdog watchdog = environment.watchdog();
        RescaleDriver driver =
                new RescaleDriver(
                        environment.client(),
                        jobId,
                        Collections.singletonList(KeyCountJob.COUNTER),
                        options.batchSize,
                        null,
                        watchdog);
        long measuredMicros = (options.seconds - options.warmUpSeconds) * 1_000_000L;
        int number = 0;
        for (int to : options.rescales) {
            number++;
            watchdog.pauseUntil(
                    warmMicros + measuredMicros * number / (options.rescales.size() + 1));
            phases.line("Rescaling from %d to %d.", driver.parallelism(), to);
            RescaleRun run = driver.rescale(to);
            result.rescales.add(run);
            phases.line("Rescale from %d to %d %s", run.from, run.to, run.outcome());
            watchdog.pause(AFTERMATH);
            if (!run.isFinished()) {
                return;
            }
        }
    }

    @Override
    protected Object report(@Nullable Exception failure) {
        return new DemoReport(this, installation, failure);
    }

    @Override
    protected void show() throws IOException {
        new DemoReport(this, installation, null).print(out);
        phases.plot(plotFile(), () -> DemoReport.plot(result, plotFile()));
    }

    Path plotFile() {
        return reportFile.resolveSibling("latency.png");
    }

    /**
     * Each record counted exactly once, every rescale finished, no task started again, and nothing
     * left in Redis.
     */
    @Override
    public boolean isSuccess() {
        return result.verdict.isExact()
                && !result.health.wasRestarted()
                && (result.redis == null || result.redis.redisPayloadsLeft == 0)
                && result.rescales.stream().allMatch(RescaleRun::isFinished);
    }

    DemoOptions options() {
        return options;
    }

    /** From when on records count as steady, in µs since the epoch. */
    long steadyMicros() {
        return result.load.startMicros + options.warmUpSeconds * 1_000_000L;
    }

    /** Whether the job was far behind when a rescale began or the load ended. */
    boolean isOverloaded() {
        return Backlog.at(result.samples, result.load.endMicros).isOverload()
                || result.rescales.stream()
                        .anyMatch(
                                run ->
                                        Backlog.at(result.samples, run.interval.startMicros)
                                                .isOverload());
    }

    List<Interval> affected() {
        return result.rescales.stream().map(RescaleRun::affected).collect(Collectors.toList());
    }
}
