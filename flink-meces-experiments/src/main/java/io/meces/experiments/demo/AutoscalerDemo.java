// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.demo;

import io.meces.api.RescaleCause;
import io.meces.api.RescaleDetails;
import io.meces.api.RescaleStatus;
import io.meces.api.VertexChange;
import io.meces.examples.keycount.EpochMicros;
import io.meces.experiments.cluster.FlinkClient;
import io.meces.experiments.cluster.FlinkCluster;
import io.meces.experiments.cluster.Installation;
import io.meces.experiments.measure.Interval;
import io.meces.experiments.measure.LatencyAnalysis;
import io.meces.experiments.measure.LatencyWindows;
import io.meces.experiments.run.Chart;
import io.meces.experiments.run.LocalEnvironment;
import io.meces.experiments.run.LocalRun;
import io.meces.experiments.run.RescaleRun;
import io.meces.experiments.run.RunReport;
import io.meces.experiments.traffic.KeyCountTraffic;
import io.meces.experiments.traffic.KeyDistribution;
import io.meces.servers.ServerProcess;
import java.awt.Color;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import javax.annotation.Nullable;

/**
 * Puts a load on the key-count job that rises and falls, and has Flink's own autoscaler rescale it.
 */
public final class AutoscalerDemo extends LocalRun<AutoscalerOptions> {
    private static final int TASK_MANAGERS = 2;

    /** For how many times as long the load stays low until the job has been scaled in. */
    private static final int PATIENCE = 2;

    private static final Duration SAMPLE = Duration.ofMillis(500);

    /** That of a minute: by default it looks at the last 15 minutes. */
    private static final Map<String, String> QUICK = new LinkedHashMap<>();

    static {
        QUICK.put("job.autoscaler.enabled", "true");
        QUICK.put("job.autoscaler.stabilization.interval", "1 s");
        QUICK.put("job.autoscaler.metrics.window", "8 s");
        QUICK.put("job.autoscaler.scale-down.interval", "4 s");
        QUICK.put("job.autoscaler.scale-down.max-factor", "1.0");
        QUICK.put("job.autoscaler.restart.time", "1 s");
        QUICK.put("job.autoscaler.catch-up.duration", "10 s");
        QUICK.put("job.autoscaler.backlog-processing.lag-threshold", "30 s");
        QUICK.put("job.autoscaler.memory.heap-usage.threshold", "1.0");
    }

    private final LoadProfile profile;

    /** The parallelism of the counter, and when it was asked for, in µs since the epoch. */
    private final List<long[]> parallelism = new ArrayList<>();

    public AutoscalerDemo(AutoscalerOptions options, Installation installation, PrintWriter out) {
        super(options, installation, out);
        this.profile = new LoadProfile(options.low, options.high, options.seconds);
    }

    @Override
    protected FlinkCluster.Spec cluster() {
        FlinkCluster.Spec cluster =
                options.cluster()
                        .quickStart(true)
                        .evenHeap(true)
                        .taskManagers(TASK_MANAGERS, options.slots / TASK_MANAGERS)
                        .configByDefault("metrics.fetcher.update-interval", "1000")
                        // A backlog is to be where the autoscaler looks for it: at the source, and
                        // not in buffers, which by default hold that of ten seconds. Then the
                        // source
                        // reads nothing for longer than a window, as if there were no load.
                        .configByDefault("taskmanager.memory.segment-size", "4k")
                        .configByDefault(
                                "job.autoscaler.vertex.max-parallelism",
                                String.valueOf(options.slots));
        QUICK.forEach(cluster::configByDefault);
        return cluster;
    }

    @Override
    protected List<String> jobArguments() {
        return Arrays.asList(
                "--checkpoint-interval", String.valueOf(options.checkpointIntervalMillis),
                "--work-micros", String.valueOf(options.workMicros),
                "--work-from", String.valueOf(options.keys),
                "--buffer-timeout", String.valueOf(options.bufferTimeoutMillis));
    }

    /** A schedule at the highest rate, of which the profile takes its share. */
    @Override
    protected KeyCountTraffic open(LocalEnvironment environment) {
        LongSupplier keys = KeyDistribution.UNIFORM.sampler(options.keys, options.seed);
        double[] due = new double[1];
        return new KeyCountTraffic(
                        environment.topics(), options.keys, 0, environment.watchdog(), false)
                .load(
                        options.high,
                        (index, event) -> {
                            due[0] += profile.at((double) index / options.high) / options.high;
                            if (due[0] >= 1) {
                                due[0]--;
                                event.accept((int) keys.getAsLong(), false);
                            }
                        });
    }

    @Override
    protected int play(LocalEnvironment environment, String jobId, long startMicros)
            throws Exception {
        FlinkClient client = environment.client();
        List<String> command = autoscaler(client.address());
        environment
                .processes()
                .start(() -> ServerProcess.start("autoscaler", options.logs(reportFile), command));
        phases.line(
                "Load: %d to %d and back to %d records per second, for %d s.",
                options.low, options.high, options.low, options.seconds);
        long before = 0;
        long end = startMicros + options.seconds * 1_000_000L;
        // where tasks have little of the processors they look busy for longer
        long latest = end + PATIENCE * options.seconds * 1_000_000L;
        while (EpochMicros.now() < end
                || EpochMicros.now() < latest && !isScaledOutAndIn(client.rescales(jobId))) {
            long now = client.elasticity(jobId).vertices().get(0).parallelism();
            parallelism.add(new long[] {EpochMicros.now(), now});
            if (now != before) {
                phases.line("Parallelism %d.", now);
            }
            before = now;
            environment.watchdog().pause(SAMPLE);
        }
        for (RescaleDetails rescale : client.rescales(jobId)) {
            VertexChange counter = rescale.vertices().get(0);
            long start = rescale.startTime() * 1_000;
            result.rescales.add(
                    new RescaleRun(
                            counter.from(),
                            counter.to(),
                            rescale,
                            new Interval(start, start + rescale.durationMs() * 1_000)));
        }
        return (int) lowest();
    }

    private List<String> autoscaler(String jobManager) {
        String interval = String.valueOf(options.intervalSeconds);
        if (options.autoscaler == null) {
            return installation.autoscaler("--jobmanager", jobManager, "--interval", interval);
        }
        int colon = jobManager.lastIndexOf(':');
        return Installation.standaloneAutoscaler(
                options.autoscaler,
                "--autoscaler.standalone.fetcher.flink-cluster.host",
                jobManager.substring(0, colon),
                "--autoscaler.standalone.fetcher.flink-cluster.port",
                jobManager.substring(colon + 1),
                "--autoscaler.standalone.control-loop.interval",
                interval + "s");
    }

    private static boolean isScaledOutAndIn(List<RescaleDetails> rescales) {
        return hasFinished(rescales, counter -> counter.to() > counter.from())
                && hasFinished(rescales, counter -> counter.to() < counter.from());
    }

    private static boolean hasFinished(
            List<RescaleDetails> rescales, Predicate<VertexChange> which) {
        return rescales.stream()
                .filter(rescale -> rescale.status() == RescaleStatus.FINISHED)
                .anyMatch(rescale -> which.test(rescale.vertices().get(0)));
    }

    private long lowest() {
        return parallelism.stream().mapToLong(sample -> sample[1]).min().orElse(1);
    }

    private long highest() {
        return parallelism.stream().mapToLong(sample -> sample[1]).max().orElse(1);
    }

    /** Scaled out and in by the autoscaler, each record counted once and in order, no restart. */
    @Override
    public boolean isSuccess() {
        return result.verdict.isExact()
                && !result.health.wasRestarted()
                && finished(run -> run.to > run.from) > 0
                && finished(run -> run.to < run.from) > 0
                && result.rescales.stream()
                        .map(run -> run.rescale)
                        .noneMatch(
                                rescale ->
                                        rescale.status() == RescaleStatus.FAILED
                                                || rescale.cause() == RescaleCause.USER);
    }

    long finished(Predicate<RescaleRun> which) {
        return result.rescales.stream().filter(RescaleRun::isFinished).filter(which).count();
    }

    @Override
    protected Object report(@Nullable Exception failure) {
        return new Report(this, failure);
    }

    private static final class Report extends RunReport {
        private final long lowestParallelism;
        private final long highestParallelism;
        @Nullable private final Double longestGapMs;

        private Report(AutoscalerDemo demo, @Nullable Exception failure) {
            super(demo.result, demo.options, demo.installation, null, failure);
            lowestParallelism = demo.lowest();
            highestParallelism = demo.highest();
            longestGapMs =
                    demo.result.load == null
                            ? null
                            : new LatencyAnalysis(demo.result.samples, demo.result.load)
                                    .all()
                                    .longestGap;
        }
    }

    @Override
    protected void show() throws IOException {
        for (RescaleRun run : result.rescales) {
            phases.line(
                    "Rescale %d to %d by %s, %d s after the start: %s",
                    run.from,
                    run.to,
                    run.rescale.cause(),
                    (run.interval.startMicros - result.load.startMicros) / 1_000_000L,
                    run.outcome());
        }
        phases.line(
                "%d records, %d results: %s. %s.",
                result.verdict.records,
                result.verdict.results,
                result.verdict.isExact() ? "each counted once, and in order" : "NOT EXACT",
                result.health.wasRestarted() ? "THE JOB WAS RESTARTED" : "No task was restarted");
        Path plot = reportFile.resolveSibling("autoscaler.png");
        phases.plot(plot, () -> plot(plot));
    }

    /** Draws load, parallelism and latency (logarithmic) over time. */
    private void plot(Path file) throws IOException {
        LatencyWindows windows = new LatencyWindows(result.samples, result.load);
        double seconds = result.load.millis() / 1e3;
        Chart.save(
                file,
                Arrays.asList(
                        Chart.linear("Load, and results", "1/s", seconds)
                                .line("results", windows.seconds, windows.throughput, Chart.GREY)
                                .line(
                                        "records",
                                        windows.seconds,
                                        Arrays.stream(windows.seconds).map(profile::at).toArray(),
                                        new Color(200, 120, 20)),
                        Chart.linear("Parallelism of the counter", "subtasks", seconds)
                                .steps(
                                        "parallelism",
                                        parallelism.stream()
                                                .mapToDouble(
                                                        sample ->
                                                                (sample[0]
                                                                                - result.load
                                                                                        .startMicros)
                                                                        / 1e6)
                                                .toArray(),
                                        parallelism.stream()
                                                .mapToDouble(sample -> sample[1])
                                                .toArray(),
                                        Chart.BLUE),
                        Chart.latency(windows, seconds)));
    }
}
