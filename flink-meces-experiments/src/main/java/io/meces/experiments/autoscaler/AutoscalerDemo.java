// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.autoscaler;

import io.meces.api.RescaleDetails;
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
import io.meces.experiments.harness.ResultReader;
import io.meces.experiments.run.PhaseLog;
import io.meces.experiments.run.ReportFolder;
import io.meces.experiments.run.Watchdog;
import io.meces.servers.ProcessGroup;
import io.meces.servers.ServerProcess;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Runs Kafka, Flink and the key-count job as processes of this machine, puts a load on them that
 * rises and falls, and has Flink's own autoscaler rescale the job. Checks that each record was
 * counted exactly once.
 */
public final class AutoscalerDemo {
    private static final int TASK_MANAGERS = 2;
    private static final Duration STALL = Duration.ofSeconds(60);
    private static final Duration DRAIN = Duration.ofMinutes(5);
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(30);
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

    private final AutoscalerOptions options;
    private final Installation installation;
    private final PhaseLog phases;
    private final Path reportFile;
    private final LoadProfile profile;

    /**
     * A demo that has not begun.
     *
     * @param options what to do
     * @param installation where the jars are
     * @param out where to tell what goes on
     */
    public AutoscalerDemo(AutoscalerOptions options, Installation installation, PrintWriter out) {
        this.options = options;
        this.installation = installation;
        this.phases = new PhaseLog(out);
        this.reportFile = reportFile(options, installation).toAbsolutePath();
        this.profile = new LoadProfile(options.low, options.high, options.seconds);
    }

    /**
     * Runs the demo and writes report and plot. Every wait in it is bounded. The processes it
     * starts are gone when it returns or throws.
     *
     * @throws Exception if a process, the job or the connection to it fails
     */
    public AutoscalerResult run() throws Exception {
        ReportFolder.create(reportFile.getParent(), "--report");
        AutoscalerResult result;
        try (ProcessGroup processes = new ProcessGroup("flink-meces-autoscaler")) {
            result = run(processes, reportFile.resolveSibling("logs"));
            phases.line("Stopping all processes.");
        }
        AutoscalerReport.write(result, reportFile);
        tell(result);
        Path plot = reportFile.resolveSibling("autoscaler.png");
        phases.plot(plot, () -> AutoscalerPlot.write(result, profile, plot));
        return result;
    }

    private AutoscalerResult run(ProcessGroup processes, Path logs) throws Exception {
        phases.line("Starting Kafka and Flink; logs go to %s.", logs);
        KeyCountEnvironment environment =
                KeyCountEnvironment.start(installation, spec(), "netty", processes, logs);
        FlinkClient client = environment.flink().client();
        Watchdog watchdog = new Watchdog(processes);
        String jobId =
                environment.submit(
                        Arrays.asList(
                                "--checkpoint-interval",
                                String.valueOf(options.checkpointIntervalMillis),
                                "--work-micros",
                                String.valueOf(options.workMicros),
                                "--work-from",
                                String.valueOf(options.keys),
                                "--buffer-timeout",
                                "5"),
                        watchdog);
        phases.line("Job %s runs with parallelism %d.", jobId, KeyCountEnvironment.PARALLELISM);
        try (LoadGenerator generator = environment.openLoad(options.keys, watchdog);
                ResultReader<CountResults> reader =
                        environment.openResults(options.keys, watchdog)) {
            generator.preload(reader, 0);
            startAutoscaler(processes, logs, client.address());
            return measure(environment, jobId, generator, reader, watchdog);
        }
    }

    private FlinkCluster.Spec spec() {
        FlinkCluster.Spec spec =
                new FlinkCluster.Spec()
                        .quickStart(true)
                        .evenHeap(true)
                        .taskManagers(TASK_MANAGERS, options.slots / TASK_MANAGERS)
                        .config("metrics.fetcher.update-interval", "1000");
        QUICK.forEach(spec::config);
        spec.config("job.autoscaler.vertex.max-parallelism", String.valueOf(options.slots));
        options.flinkConfig.forEach(spec::config);
        return spec;
    }

    private void startAutoscaler(ProcessGroup processes, Path logs, String jobManager)
            throws IOException {
        processes.start(
                () ->
                        ServerProcess.start(
                                "autoscaler",
                                logs,
                                AutoscalerProcess.command(
                                        installation,
                                        "--jobmanager",
                                        jobManager,
                                        "--interval",
                                        String.valueOf(options.intervalSeconds))));
    }

    private AutoscalerResult measure(
            KeyCountEnvironment environment,
            String jobId,
            LoadGenerator generator,
            ResultReader<CountResults> reader,
            Watchdog watchdog)
            throws Exception {
        FlinkClient client = environment.flink().client();
        ParallelismSamples parallelism = new ParallelismSamples();
        long startMicros = generator.start(profile.highest(), events());
        phases.line(
                "Load: %d to %d and back to %d records per second, for %d s.",
                options.low, options.high, options.low, options.seconds);
        long endMicros = startMicros + options.seconds * 1_000_000L;
        while (EpochMicros.now() < endMicros) {
            int before = parallelism.size() == 0 ? 0 : parallelism.value(parallelism.size() - 1);
            parallelism.take(client, jobId);
            int now = parallelism.value(parallelism.size() - 1);
            if (now != before) {
                phases.line("Parallelism %d.", now);
            }
            watchdog.pause(SAMPLE);
        }
        Interval load = new Interval(startMicros, generator.stop(STOP_TIMEOUT));
        phases.line("Load ended after %d records; waiting for their results.", generator.sent());
        boolean complete = reader.await(generator.sent(), STALL, DRAIN);
        phases.line(complete ? "All results are in." : "Results are missing; gave up waiting.");
        List<RescaleDetails> rescales = client.rescales(jobId);
        JobHealth health = JobHealth.of(client, jobId, KeyCountJob.COUNTER, parallelism.lowest());
        watchdog.unwatch();
        if (complete) {
            // with the job gone no late duplicate can be missed
            environment.cancel(jobId, STOP_TIMEOUT);
        }
        reader.finish(STOP_TIMEOUT);
        return new AutoscalerResult(
                options,
                reader.results().verifier().verdict(generator.sentPerKey()),
                reader.results().samples(),
                load,
                parallelism,
                rescales,
                health);
    }

    /** A schedule at the highest rate, of which the profile takes its share. */
    private LoadGenerator.Events events() {
        LongSupplier keys = KeyDistribution.UNIFORM.sampler(options.keys, 1);
        double[] due = new double[1];
        return (index, dueMicros, event) -> {
            due[0] += profile.at((double) index / profile.highest()) / profile.highest();
            if (due[0] >= 1) {
                due[0]--;
                event.accept((int) keys.getAsLong(), false);
            }
        };
    }

    private void tell(AutoscalerResult result) {
        for (RescaleDetails rescale : result.rescales) {
            phases.line(
                    "Rescale %d to %d by %s, %d s after the start: %s after %d ms%s",
                    rescale.vertices().get(0).from(),
                    rescale.vertices().get(0).to(),
                    rescale.cause(),
                    (rescale.startTime() - result.load.startMicros / 1_000L) / 1_000L,
                    rescale.status(),
                    rescale.durationMs(),
                    rescale.failure() == null ? "." : ": " + rescale.failure());
        }
        phases.line(
                "%d records, %d results: %s. %s.",
                result.verdict.records,
                result.verdict.results,
                result.verdict.isExact() ? "each counted once, and in order" : "NOT EXACT",
                result.health.wasRestarted() ? "THE JOB WAS RESTARTED" : "No task was restarted");
        phases.line("Report: %s", reportFile);
    }

    private static Path reportFile(AutoscalerOptions options, Installation installation) {
        if (options.report != null) {
            return options.report;
        }
        String time = LocalDateTime.now().format(DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss"));
        return installation.root().resolve("reports/autoscaler-" + time + "/report.json");
    }
}
