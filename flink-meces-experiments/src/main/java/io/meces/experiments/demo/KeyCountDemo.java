// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.demo;

import io.meces.api.RescaleStatus;
import io.meces.examples.keycount.KeyCountJob;
import io.meces.experiments.cluster.FlinkClient;
import io.meces.experiments.cluster.FlinkCluster;
import io.meces.experiments.cluster.Installation;
import io.meces.experiments.harness.CountResults;
import io.meces.experiments.harness.Interval;
import io.meces.experiments.harness.JobHealth;
import io.meces.experiments.harness.KeyCountEnvironment;
import io.meces.experiments.harness.LoadGenerator;
import io.meces.experiments.harness.RedisRemains;
import io.meces.experiments.harness.RescaleDriver;
import io.meces.experiments.harness.RescaleRun;
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
import java.util.Arrays;
import java.util.Collections;
import java.util.concurrent.TimeoutException;

/**
 * Runs Kafka, Flink and the key-count job as processes of this machine, puts load on them, rescales
 * the job meanwhile and checks that each record was counted exactly once.
 */
public final class KeyCountDemo {
    private static final int TASK_MANAGERS = 2;
    private static final Duration DRAIN_STALL = Duration.ofSeconds(120);
    private static final int DRAIN_FACTOR = 10;
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration ABORT_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration AFTERMATH = Duration.ofSeconds(1);

    private final DemoOptions options;
    private final Installation installation;
    private final PrintWriter out;
    private final PhaseLog phases;
    private final Path reportFile;
    private final PartialResult partial;

    /**
     * A demo that has not begun.
     *
     * @param options what to do
     * @param installation where the jars are
     * @param out where to tell what goes on
     */
    public KeyCountDemo(DemoOptions options, Installation installation, PrintWriter out) {
        this.options = options;
        this.installation = installation;
        this.out = out;
        this.phases = new PhaseLog(out);
        this.reportFile = reportFile(options, installation).toAbsolutePath();
        this.partial = new PartialResult(options, installation);
    }

    /**
     * Runs the demo and writes the report, also when it throws. Blocks for about a minute, longer
     * if there is a backlog to work off; every wait in it is bounded. The processes it starts are
     * gone when it returns or throws.
     *
     * @throws io.meces.cli.rest.RefusedException if the JobManager refuses a rescale
     * @throws IOException if a process, the job or the connection to it fails
     * @throws TimeoutException if something takes far too long
     */
    public DemoResult run() throws Exception {
        Path logs = options.logs == null ? reportFile.resolveSibling("logs") : options.logs;
        ReportFolder.create(reportFile.getParent(), "--report");
        DemoResult result;
        try {
            result = runProcesses(logs);
        } catch (Exception e) {
            reportFailure(e);
            throw e;
        }
        JsonReport.write(result, reportFile);
        TextSummary.print(result, out);
        phases.line("Report: %s", reportFile);
        DemoResult plotted = result;
        phases.plot(result.plotFile(), () -> LatencyPlot.write(plotted, plotted.plotFile()));
        return result;
    }

    private FlinkCluster.Spec clusterSpec() {
        FlinkCluster.Spec spec =
                new FlinkCluster.Spec()
                        .stock(options.stock)
                        .stateBackend(options.stateBackend)
                        .quickStart(true)
                        .evenHeap(true)
                        .taskManagers(TASK_MANAGERS, slotsPerTaskManager())
                        .taskManagerHeapMegabytes(options.taskManagerHeapMegabytes)
                        .config("metrics.fetcher.update-interval", "1000");
        options.flinkConfig.forEach(spec::config);
        return spec;
    }

    private void reportFailure(Exception failure) {
        try {
            JsonReport.write(partial, failure, reportFile);
            phases.line("The demo did not come to its end. Report: %s", reportFile);
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    private DemoResult runProcesses(Path logs) throws Exception {
        DemoResult result;
        try (ProcessGroup processes = new ProcessGroup("flink-meces-demo")) {
            phases.line(
                    "Starting Kafka%s and Flink; logs go to %s.",
                    options.usesRedis() ? ", Redis" : "", logs);
            KeyCountEnvironment environment =
                    KeyCountEnvironment.start(
                            installation,
                            clusterSpec(),
                            options.transitionService,
                            processes,
                            logs);
            phases.line(
                    "Ready: Kafka at %s, JobManager at %s.",
                    environment.kafka().address(), environment.flink().client().address());
            Watchdog watchdog = new Watchdog(processes);
            String jobId = submit(environment, watchdog);
            try (LoadGenerator generator = environment.openLoad(options.keys, watchdog);
                    ResultReader<CountResults> reader =
                            environment.openResults(options.keys, watchdog)) {
                try {
                    result = measure(environment, jobId, generator, reader, watchdog);
                } catch (Exception e) {
                    abort(generator, reader);
                    throw e;
                }
            }
            phases.line("Stopping all processes.");
        }
        return result;
    }

    private String submit(KeyCountEnvironment environment, Watchdog watchdog) throws Exception {
        String jobId =
                environment.submit(
                        Arrays.asList(
                                "--checkpoint-interval",
                                        String.valueOf(options.checkpointIntervalMillis),
                                "--work-micros", String.valueOf(options.workMicros),
                                // What is sent before the load is one record of each key.
                                "--work-from", String.valueOf(options.keys),
                                "--buffer-timeout", String.valueOf(options.bufferTimeoutMillis),
                                "--key-type", options.keyType),
                        watchdog);
        phases.line("Job %s runs with parallelism %d.", jobId, KeyCountEnvironment.PARALLELISM);
        return jobId;
    }

    private DemoResult measure(
            KeyCountEnvironment environment,
            String jobId,
            LoadGenerator generator,
            ResultReader<CountResults> reader,
            Watchdog watchdog)
            throws Exception {
        FlinkClient client = environment.flink().client();
        generator.preload(reader, 0);
        phases.line("%d keys have been loaded.", options.keys);

        long startMicros =
                generator.start(
                        options.rate, options.distribution.sampler(options.keys, options.seed));
        phases.line(
                "Load: %d records per second, %s keys, for %d s (%d s of them warm-up).",
                options.rate, options.distribution, options.seconds, options.warmUpSeconds);
        rescale(client, jobId, startMicros, watchdog);
        watchdog.pauseUntil(startMicros + options.seconds * 1_000_000L);
        Interval load = new Interval(startMicros, generator.stop(STOP_TIMEOUT));
        long counted = reader.distinct();
        long missing = generator.sent() - counted;
        phases.line(
                "Load ended after %d records; waiting for the results of %d.",
                generator.sent(), missing);

        boolean complete =
                reader.await(
                        generator.sent(),
                        DRAIN_STALL,
                        drainTimeout(missing, counted - options.keys, load));
        phases.line(complete ? "All results are in." : "Results are missing; gave up waiting.");
        JobHealth health = JobHealth.of(client, jobId, KeyCountJob.COUNTER, lowestParallelism());
        watchdog.unwatch();
        if (complete) {
            // With the job gone no late duplicate can be missed. One that hangs is not awaited.
            environment.cancel(jobId, STOP_TIMEOUT);
        }
        reader.finish(STOP_TIMEOUT);
        return new DemoResult(
                options,
                installation,
                reportFile,
                reader.results().verifier().verdict(generator.sentPerKey()),
                reader.results().samples(),
                load,
                partial.rescales,
                health,
                environment.redis() == null
                        ? null
                        : RedisRemains.of(environment.redis(), watchdog));
    }

    /**
     * How long a backlog may take: ten times as long as it would at the pace so far, since it may
     * be one subtask's, and a stall more; half an hour at most.
     */
    static Duration drainTimeout(long missing, long countedOfLoad, Interval load) {
        Duration timeout = DRAIN_STALL;
        if (countedOfLoad > 0) {
            long loadMillis = (load.endMicros - load.startMicros) / 1_000L;
            timeout = timeout.plusMillis(DRAIN_FACTOR * missing * loadMillis / countedOfLoad);
        }
        return timeout.compareTo(ResultReader.LONGEST_DRAIN) > 0
                ? ResultReader.LONGEST_DRAIN
                : timeout;
    }

    /** Saves what there is when the measurement has failed. */
    private void abort(LoadGenerator generator, ResultReader<CountResults> reader)
            throws InterruptedException {
        generator.abort(ABORT_TIMEOUT);
        partial.sent = generator.sent();
        if (reader.abort(ABORT_TIMEOUT)) {
            partial.verdict = reader.results().verifier().verdict(generator.sentPerKey());
        }
    }

    private void rescale(FlinkClient client, String jobId, long startMicros, Watchdog watchdog)
            throws Exception {
        if (options.stock) {
            return;
        }
        RescaleDriver driver =
                RescaleDriver.of(client, jobId, KeyCountJob.COUNTER, options.batchSize, watchdog);
        long measuredMicros = (options.seconds - options.warmUpSeconds) * 1_000_000L;
        for (int i = 0; i < options.rescales.size(); i++) {
            watchdog.pauseUntil(
                    startMicros
                            + options.warmUpSeconds * 1_000_000L
                            + measuredMicros * (i + 1) / (options.rescales.size() + 1));
            int to = options.rescales.get(i);
            phases.line("Rescaling from %d to %d.", driver.parallelism(), to);
            RescaleRun run = driver.rescale(to);
            partial.rescales.add(run);
            phases.line(
                    "Rescale from %d to %d %s after %d ms%s",
                    run.from,
                    run.to,
                    run.rescale.status(),
                    run.rescale.durationMs(),
                    run.rescale.failure() == null ? "." : ": " + run.rescale.failure());
            watchdog.pause(AFTERMATH);
            if (run.rescale.status() != RescaleStatus.FINISHED) {
                break;
            }
        }
    }

    /** A slot for each subtask of the counter at its highest, two at least. */
    private int slotsPerTaskManager() {
        int highest = Math.max(KeyCountEnvironment.PARALLELISM, Collections.max(options.rescales));
        return Math.max(2, (highest + TASK_MANAGERS - 1) / TASK_MANAGERS);
    }

    private int lowestParallelism() {
        return options.stock
                ? KeyCountEnvironment.PARALLELISM
                : Math.min(KeyCountEnvironment.PARALLELISM, Collections.min(options.rescales));
    }

    private static Path reportFile(DemoOptions options, Installation installation) {
        if (options.report != null) {
            return options.report;
        }
        String time = LocalDateTime.now().format(DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss"));
        return installation.root().resolve("reports/key-count-" + time + "/report.json");
    }
}
