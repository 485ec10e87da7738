/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.examples.bench;

import static java.util.stream.Collectors.toList;

import com.fasterxml.jackson.databind.JsonNode;
import io.meces.examples.cluster.FlinkCluster;
import io.meces.examples.cluster.Installation;
import io.meces.examples.rest.Elasticity;
import io.meces.examples.rest.JobManagerClient;
import io.meces.examples.run.PhaseLog;
import io.meces.examples.run.Watchdog;
import io.meces.servers.ProcessGroup;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;

/**
 * Measures how many records a job counts per second that never waits and is not rescaled: on stock
 * Flink and with flink-meces, by turns, each run in processes of its own.
 */
public final class SaturationBench {
    static final int PARALLELISM = 2;
    static final int MAX_PARALLELISM = 128;
    static final long CHECKPOINT_INTERVAL_MILLIS = 5_000;

    private static final int SLOTS = 4;
    private static final int ATTEMPTS = 3;
    private static final long LONGEST_STALL_MILLIS = 1_000;
    private static final String HEARTBEAT_TIMEOUT_MILLIS = "600000";
    private static final Duration START_TIMEOUT = Duration.ofSeconds(180);
    private static final Duration READING_TIMEOUT = Duration.ofSeconds(30);
    private static final Duration READING_INTERVAL = Duration.ofMillis(50);
    private static final String FETCH_INTERVAL_MILLIS = "100";

    private final SaturationOptions options;
    private final Installation installation;
    private final PrintWriter out;
    private final PhaseLog phases;
    private final Path reportFile;
    private final List<Variant> variants =
            Collections.unmodifiableList(
                    Arrays.asList(Variant.stock(), Variant.elastic(8), Variant.elastic(128)));

    /**
     * A benchmark that has not begun.
     *
     * @param options what to do
     * @param installation where the jars are
     * @param out where to tell what goes on
     */
    public SaturationBench(SaturationOptions options, Installation installation, PrintWriter out) {
        this.options = options;
        this.installation = installation;
        this.out = out;
        this.phases = new PhaseLog(out);
        this.reportFile = reportFile(options, installation).toAbsolutePath();
    }

    /**
     * Measures and writes the report, also when it throws: then with the runs until then. Blocks
     * for minutes; every wait in it is bounded. The processes it starts are gone when it returns or
     * throws.
     *
     * @throws IOException if a process, the job or the connection to it fails
     * @throws TimeoutException if something takes far too long
     */
    public void run() throws Exception {
        Path logs = options.logs == null ? reportFile.resolveSibling("logs") : options.logs;
        Files.createDirectories(reportFile.getParent());
        phases.line("%d runs; logs go to %s.", options.repeats * variants.size(), logs);
        List<ThroughputRun> runs = new ArrayList<>();
        try {
            for (int round = 1; round <= options.repeats; round++) {
                for (Variant variant : variants) {
                    ThroughputRun run =
                            measureUndisturbed(
                                    round, variant, logs.resolve(round + "-" + variant.name));
                    runs.add(run);
                    phases.line(
                            "Round %d, %s: %.0f records per second.",
                            round, variant.name, run.recordsPerSecond);
                }
            }
        } catch (Exception e) {
            reportFailure(runs, e);
            throw e;
        }
        SaturationReport report = new SaturationReport(options, installation, variants, runs);
        report.writeJson(reportFile);
        report.print(out);
        phases.line("Report: %s", reportFile);
    }

    private void reportFailure(List<ThroughputRun> runs, Exception failure) {
        try {
            new SaturationReport(options, installation, variants, runs)
                    .error(failure)
                    .writeJson(reportFile);
            phases.line("The benchmark did not come to its end. Report: %s", reportFile);
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    /** Measures again if the machine has stood still meanwhile: that is not Flink's doing. */
    private ThroughputRun measureUndisturbed(int round, Variant variant, Path logs)
            throws Exception {
        for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
            ThroughputRun run = measure(round, variant, logs);
            if (run.longestStallMillis <= LONGEST_STALL_MILLIS) {
                return run;
            }
            phases.line(
                    "Round %d, %s: discarded, the machine stood still for %d ms.",
                    round, variant.name, run.longestStallMillis);
        }
        throw new IOException(
                "The machine stood still for more than "
                        + LONGEST_STALL_MILLIS
                        + " ms in each of "
                        + ATTEMPTS
                        + " attempts.");
    }

    private ThroughputRun measure(int round, Variant variant, Path logs) throws Exception {
        FlinkCluster.Spec spec =
                new FlinkCluster.Spec()
                        .taskManagers(1, SLOTS)
                        // A machine that stands still shall not cost the job its TaskManager.
                        .config("heartbeat.timeout", HEARTBEAT_TIMEOUT_MILLIS)
                        .config("metrics.fetcher.update-interval", FETCH_INTERVAL_MILLIS);
        variant.applyTo(spec);
        try (ProcessGroup processes = new ProcessGroup("flink-meces-bench")) {
            FlinkCluster flink = FlinkCluster.start(installation, spec, processes, logs);
            flink.awaitReady(START_TIMEOUT);
            JobManagerClient client = flink.client();
            String jobId = submit(client);
            Watchdog watchdog = new Watchdog(processes);
            watchdog.watch(client, jobId);
            flink.jobManager()
                    .awaitReady(() -> client.allRunning(jobId, PARALLELISM), START_TIMEOUT);
            String vertexId = counter(client, jobId);
            requireCapacity(client, jobId, vertexId, variant);

            watchdog.pause(Duration.ofSeconds(options.warmUpSeconds));
            List<CountReading> before;
            List<CountReading> after;
            long longestStallMillis;
            try (StallDetector stalls = new StallDetector()) {
                before = readings(client, jobId, vertexId, watchdog);
                watchdog.pause(Duration.ofSeconds(options.seconds));
                after = readings(client, jobId, vertexId, watchdog);
                longestStallMillis = stalls.longestMillis();
            }
            requireNoRestart(client, jobId);
            return ThroughputRun.of(
                    round,
                    variant,
                    before,
                    after,
                    client.checkpoints(jobId).path("counts").path("completed").asInt(),
                    longestStallMillis);
        }
    }

    private String submit(JobManagerClient client) throws IOException {
        return client.runJar(
                client.uploadJar(installation.jobJar()),
                SaturatedCountJob.class.getName(),
                Arrays.asList(
                        "--parallelism", String.valueOf(PARALLELISM),
                        "--max-parallelism", String.valueOf(MAX_PARALLELISM),
                        "--checkpoint-interval", String.valueOf(CHECKPOINT_INTERVAL_MILLIS),
                        "--keys", String.valueOf(options.keys),
                        "--seed", String.valueOf(options.seed)));
    }

    private static String counter(JobManagerClient client, String jobId) throws IOException {
        for (JsonNode vertex : client.job(jobId).path("vertices")) {
            if (vertex.path("name").asText().startsWith(SaturatedCountJob.COUNTER)) {
                return vertex.path("id").asText();
            }
        }
        throw new IOException("The job has no vertex " + SaturatedCountJob.COUNTER + ".");
    }

    /** Makes sure that what is measured is what its name says. */
    private static void requireCapacity(
            JobManagerClient client, String jobId, String vertexId, Variant variant)
            throws IOException {
        if (variant.capacity == null) {
            return;
        }
        Elasticity elasticity = client.elasticity(jobId);
        for (Elasticity.Vertex vertex : elasticity.vertices) {
            if (vertex.id.equals(vertexId) && vertex.capacity == variant.capacity) {
                return;
            }
        }
        throw new IOException(
                "The counter cannot be rescaled up to "
                        + variant.capacity
                        + (elasticity.refusal == null ? "." : ": " + elasticity.refusal));
    }

    private static void requireNoRestart(JobManagerClient client, String jobId) throws IOException {
        String restarts = client.metric(jobId, "numRestarts");
        if (restarts != null && Long.parseLong(restarts) > 0) {
            throw new IOException("The job has restarted; see the JobManager's log.");
        }
    }

    /**
     * A reading of each subtask, made after this has been called: the JobManager answers with what
     * it knows, and asks for news only then.
     */
    private static List<CountReading> readings(
            JobManagerClient client, String jobId, String vertexId, Watchdog watchdog)
            throws IOException, InterruptedException, TimeoutException {
        List<String> names =
                IntStream.range(0, PARALLELISM)
                        .mapToObj(
                                subtask ->
                                        subtask
                                                + "."
                                                + SaturatedCountJob.COUNTER
                                                + "."
                                                + SaturatedCountJob.READING)
                        .collect(toList());
        long deadline = System.nanoTime() + READING_TIMEOUT.toNanos();
        Map<String, String> known = client.metrics(jobId, vertexId, names);
        Map<String, String> latest = known;
        while (!isNews(names, known, latest)) {
            if (System.nanoTime() - deadline > 0) {
                throw new TimeoutException(
                        "No metrics of the counter after " + READING_TIMEOUT.getSeconds() + " s.");
            }
            watchdog.pause(READING_INTERVAL);
            latest = client.metrics(jobId, vertexId, names);
        }
        return names.stream().map(latest::get).map(CountReading::parse).collect(toList());
    }

    private static boolean isNews(
            List<String> names, Map<String, String> known, Map<String, String> latest) {
        return names.stream()
                .allMatch(
                        name ->
                                latest.containsKey(name)
                                        && !latest.get(name).equals(known.get(name)));
    }

    private static Path reportFile(SaturationOptions options, Installation installation) {
        if (options.report != null) {
            return options.report;
        }
        String time = LocalDateTime.now().format(DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss"));
        return installation.root().resolve("reports/saturation-" + time + "/report.json");
    }
}
