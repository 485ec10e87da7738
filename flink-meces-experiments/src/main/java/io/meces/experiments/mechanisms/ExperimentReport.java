// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.mechanisms;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.meces.experiments.harness.LatencyStatistics;
import io.meces.experiments.harness.LatencyWindows;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import javax.annotation.Nullable;

/** The outcome of an experiment: {@code report.md}, {@code report.json} and two CSV files. */
final class ExperimentReport {
    private static final ObjectMapper MAPPER =
            new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    private final ExperimentOptions options;
    private final EnvironmentFactory environments;
    private final List<WorkloadResult> results;
    @Nullable private final Exception failure;

    /**
     * A report.
     *
     * @param environments where the runs were
     * @param failure why there are not all runs; null if there are
     */
    ExperimentReport(
            ExperimentOptions options,
            EnvironmentFactory environments,
            List<WorkloadResult> results,
            @Nullable Exception failure) {
        this.options = options;
        this.environments = environments;
        this.results = results;
        this.failure = failure;
    }

    /** Writes the files into a folder. */
    void writeTo(Path folder) throws IOException {
        MAPPER.writeValue(folder.resolve("report.json").toFile(), json());
        write(folder.resolve("report.md"), markdown());
        write(folder.resolve("runs.csv"), runs());
        write(folder.resolve("latency.csv"), latency());
    }

    private static void write(Path file, String text) throws IOException {
        Files.write(file, text.getBytes(StandardCharsets.UTF_8));
    }

    /** Prints the tables. */
    void print(PrintWriter out) {
        for (WorkloadResult result : results) {
            out.println();
            out.print(tables(result));
        }
        out.println();
        out.flush();
    }

    // ------------------------------------------------------------------------
    //  Figures of a run
    // ------------------------------------------------------------------------

    /** All figures of a run, by name, in order. */
    private Map<String, ToDoubleFunction<TrialResult>> figures() {
        Map<String, ToDoubleFunction<TrialResult>> figures = new LinkedHashMap<>();
        latency(figures, "result-steady", run -> run.results.steady);
        latency(figures, "result-rescale", run -> run.results.rescale);
        figures.put("result-recovery-ms", run -> recovery(run.results));
        latency(figures, "marker-steady", run -> run.markers.steady);
        latency(figures, "marker-rescale", run -> run.markers.rescale);
        figures.put("marker-recovery-ms", run -> recovery(run.markers));
        figures.put("rescale-ms", run -> run.outcome.run.rescale.durationMs());
        figures.put("key-groups", ExperimentReport::keyGroups);
        figures.put("units", run -> run.outcome.run.rescale.unitsMigrated());
        figures.put("units-on-demand", run -> run.outcome.run.rescale.unitsOnDemand());
        figures.put("keys-fetched", run -> run.outcome.run.rescale.keysFetched());
        figures.put("bytes-moved", run -> run.outcome.run.rescale.bytes());
        figures.put("longest-stop-ms", run -> run.outcome.run.rescale.longestStopMicros() / 1e3);
        figures.put("order-events", run -> run.outcome.run.rescale.orderEvents());
        figures.put("records-waited", run -> run.outcome.run.rescale.recordsWaited());
        figures.put("longest-wait-ms", run -> run.outcome.run.rescale.longestWaitMicros() / 1e3);
        cause(figures, "job", causes -> causes.job);
        cause(figures, "source", causes -> causes.source);
        cause(figures, "state", causes -> causes.state);
        cause(figures, "queue", causes -> causes.queue);
        figures.put("peak-heap-mb", TrialResult::peakHeapMegabytes);
        figures.put("rocksdb-stalls-steady", TrialResult::stallsSteady);
        figures.put("rocksdb-stalls-rescale", TrialResult::stallsInRescale);
        return figures;
    }

    /** How many have moved. */
    private static double keyGroups(TrialResult run) {
        return (double) run.outcome.run.rescale.unitsMigrated() / run.outcome.unitsPerKeyGroup;
    }

    private static void latency(
            Map<String, ToDoubleFunction<TrialResult>> figures,
            String name,
            Function<TrialResult, LatencyStatistics> latency) {
        figures.put(name + "-p50-ms", run -> percentile(latency.apply(run), 50));
        figures.put(name + "-p99-ms", run -> percentile(latency.apply(run), 99));
        figures.put(name + "-p99.9-ms", run -> percentile(latency.apply(run), 99.9));
        figures.put(name + "-peak-ms", run -> percentile(latency.apply(run), 100));
        figures.put(name + "-records", run -> latency.apply(run).records());
    }

    private static void cause(
            Map<String, ToDoubleFunction<TrialResult>> figures,
            String name,
            ToDoubleFunction<Causes> cause) {
        figures.put("waited-for-" + name + "-ms", run -> cause(run, cause));
    }

    private static double cause(TrialResult run, ToDoubleFunction<Causes> cause) {
        Causes causes = run.causes();
        return causes == null ? Double.NaN : cause.applyAsDouble(causes);
    }

    /** Of 100, the highest; NaN if there is no record. */
    private static double percentile(LatencyStatistics statistics, double percentile) {
        return statistics.records() == 0 ? Double.NaN : statistics.percentileMillis(percentile);
    }

    private static double recovery(Figures figures) {
        return figures.recoveryMillis == null ? Double.NaN : figures.recoveryMillis;
    }

    // ------------------------------------------------------------------------
    //  JSON and CSV
    // ------------------------------------------------------------------------

    ObjectNode json() {
        ObjectNode json = MAPPER.createObjectNode();
        if (failure != null) {
            json.put("error", failure.toString());
        }
        ArrayNode workloads = json.putArray("workloads");
        for (WorkloadResult result : results) {
            ObjectNode workload = workloads.addObject();
            workload.put("name", result.workload.name());
            workload.set("parameters", MAPPER.valueToTree(result.workload.parameters()));
            ArrayNode runs = workload.putArray("runs");
            result.trials().forEach(run -> run(runs.addObject(), run));
            ObjectNode medians = workload.putObject("medians");
            for (Mechanism mechanism : result.mechanisms) {
                ObjectNode of = medians.putObject(mechanism.toString());
                figures()
                        .forEach((name, figure) -> put(of, name, result.median(mechanism, figure)));
            }
        }
        json.set("parameters", MAPPER.valueToTree(parameters()));
        json.set("versions", MAPPER.valueToTree(environments.versions()));
        return json;
    }

    private void run(ObjectNode json, TrialResult run) {
        json.put("mechanism", run.mechanism.toString());
        json.put("repeat", run.repeat);
        json.put("exact", run.exactness.isExact());
        json.put("expected", run.exactness.expected);
        json.put("results", run.exactness.results);
        json.put("lost", run.exactness.lost);
        json.put("duplicated", run.exactness.duplicated);
        json.put("repeated-at-stop", run.exactness.repeatedAtStop);
        json.put("replayed", run.exactness.replayed);
        json.put("reordered", run.exactness.reordered);
        json.put("unknown", run.exactness.unknown);
        run.exactness.examples.forEach(json.putArray("examples")::add);
        json.put("restarts", run.restarts);
        json.put("checkpoints-completed", run.checkpoints);
        json.put("rescale", run.outcome.run.rescale.status().name());
        json.put("rescale-failure", run.outcome.run.rescale.failure());
        json.set("rescale-phases-ms", MAPPER.valueToTree(run.outcome.phases));
        figures().forEach((name, figure) -> put(json, name, figure.applyAsDouble(run)));
        ObjectNode fetches = json.putObject("fetch-micros");
        run.fetchMicros.forEach(
                (taskManager, quantiles) -> {
                    ObjectNode of = fetches.putObject(taskManager);
                    for (int i = 0; i < quantiles.length; i++) {
                        of.put(ResourceSampler.QUANTILES.get(i), quantiles[i]);
                    }
                });
    }

    /** JSON has no NaN. */
    private static void put(ObjectNode json, String name, double value) {
        json.put(name, Double.isNaN(value) ? null : value);
    }

    private Map<String, Object> parameters() {
        Map<String, Object> parameters = new LinkedHashMap<>();
        parameters.put("scenario", options.scenario().toString());
        parameters.put("from", options.from());
        parameters.put("to", options.to());
        parameters.put("rate", options.rate());
        parameters.put("repeats", options.repeats);
        parameters.put("warm-up", options.warmUpSeconds);
        parameters.put("steady", options.steadySeconds);
        parameters.put("after", options.afterSeconds());
        parameters.put("markers", options.markersPerSecond);
        parameters.put("bound", options.boundMillis);
        parameters.put(
                "batch-size", options.batchSize == null ? "as configured" : options.batchSize);
        parameters.put("checkpoint-interval", options.checkpointIntervalMillis);
        parameters.put("buffer-timeout", options.bufferTimeoutMillis);
        parameters.put("cold", !options.practises());
        parameters.put("partitions", options.partitions());
        parameters.put("seed", options.seed);
        parameters.putAll(environments.parameters());
        return parameters;
    }

    private String runs() {
        StringBuilder csv = new StringBuilder("workload,mechanism,repeat,exact,restarts");
        figures().keySet().forEach(name -> csv.append(',').append(name));
        csv.append('\n');
        for (WorkloadResult result : results) {
            for (TrialResult run : result.trials()) {
                csv.append(result.workload.name())
                        .append(',')
                        .append(run.mechanism)
                        .append(',')
                        .append(run.repeat)
                        .append(',')
                        .append(run.exactness.isExact())
                        .append(',')
                        .append(run.restarts);
                figures().values().forEach(figure -> csv.append(cell(figure.applyAsDouble(run))));
                csv.append('\n');
            }
        }
        return csv.toString();
    }

    /** Latency and throughput of each 100 ms, in seconds since the request of the rescale. */
    private String latency() {
        StringBuilder csv =
                new StringBuilder(
                        "workload,mechanism,repeat,second,p50-ms,p99-ms,max-ms,results-per-second,"
                                + "marker-p50-ms,marker-max-ms,until-read-ms,until-counted-ms,"
                                + "until-in-kafka-ms\n");
        for (WorkloadResult result : results) {
            for (TrialResult run : result.trials()) {
                LatencyWindows all = run.results.windows;
                LatencyWindows markers = run.markers.windows;
                double[][] stages =
                        run.stages == null
                                ? new double[0][]
                                : run.stages.millis(run.measured.startMicros, all.seconds.length);
                double request = (run.requestMicros() - run.measured.startMicros) / 1e6;
                for (int i = 0; i < all.seconds.length; i++) {
                    csv.append(result.workload.name())
                            .append(',')
                            .append(run.mechanism)
                            .append(',')
                            .append(run.repeat)
                            .append(cell(all.seconds[i] - request))
                            .append(cell(all.p50Millis[i]))
                            .append(cell(all.p99Millis[i]))
                            .append(cell(all.maxMillis[i]))
                            .append(cell(all.throughput[i]))
                            .append(cell(markers.p50Millis[i]))
                            .append(cell(markers.maxMillis[i]));
                    for (int stage = 0; stage < Stages.COUNT; stage++) {
                        csv.append(cell(stages.length == 0 ? Double.NaN : stages[stage][i]));
                    }
                    csv.append('\n');
                }
            }
        }
        return csv.toString();
    }

    /** A value behind a comma; nothing if it is not known. */
    private static String cell(double value) {
        return Double.isNaN(value) ? "," : String.format(Locale.ROOT, ",%.3f", value);
    }

    // ------------------------------------------------------------------------
    //  Text
    // ------------------------------------------------------------------------

    private String markdown() {
        StringWriter text = new StringWriter();
        PrintWriter out = new PrintWriter(text);
        out.println("# Rescaling by several mechanisms\n");
        if (failure != null) {
            out.printf("**The experiment did not come to its end: %s**%n%n", failure);
        }
        out.printf(
                Locale.ROOT,
                "Scenario %s, parallelism %d to %d, %d records/s. Median of %d run(s), each with"
                        + " %s. What the figures mean: docs/experiments.md.%n%n",
                options.scenario(),
                options.from(),
                options.to(),
                options.rate(),
                options.repeats,
                environments.ownOfRun());
        for (WorkloadResult result : results) {
            out.printf("## %s%n%n", result.workload.name());
            out.print(tables(result));
            out.println();
            for (String plot : ExperimentPlots.names(result)) {
                out.printf("![%s](%s)%n%n", plot, plot);
            }
            result.trials().stream()
                    .flatMap(run -> run.exactness.examples.stream())
                    .forEach(example -> out.println("* " + example));
        }
        out.println("## Parameters\n");
        results.forEach(result -> list(out, result.workload.parameters()));
        list(out, parameters());
        out.println("\n## Machine and versions\n");
        list(out, environments.versions());
        out.flush();
        return text.toString();
    }

    private static void list(PrintWriter out, Map<String, Object> values) {
        values.forEach((name, value) -> out.printf("* %s: %s%n", name, value));
    }

    private String tables(WorkloadResult result) {
        StringWriter text = new StringWriter();
        PrintWriter out = new PrintWriter(text);
        latencies(out, result, "Result latency, ms", run -> run.results);
        latencies(out, result, "Marker latency, ms", run -> run.markers);
        out.println(
                "| Rescale | duration, ms | key-groups moved | units (on demand) | MB moved | peak heap, MB | exact | lost | duplicated | repeated at the stop | replayed | reordered | restarts |");
        out.println("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
        for (Mechanism mechanism : result.mechanisms) {
            List<TrialResult> runs = result.of(mechanism);
            if (runs.isEmpty()) {
                continue;
            }
            boolean live = mechanism.kind != Mechanism.Kind.NATIVE;
            out.printf(
                    Locale.ROOT,
                    "| %s | %s%s | %s | %s | %s | %s | %d of %d | %d | %d | %s | %d | %s | %d |%n",
                    mechanism,
                    number(result.median(mechanism, run -> run.outcome.run.rescale.durationMs())),
                    phases(runs),
                    live ? number(result.median(mechanism, ExperimentReport::keyGroups)) : "",
                    live
                            ? number(
                                            result.median(
                                                    mechanism,
                                                    run -> run.outcome.run.rescale.unitsMigrated()))
                                    + " ("
                                    + number(
                                            result.median(
                                                    mechanism,
                                                    run -> run.outcome.run.rescale.unitsOnDemand()))
                                    + ")"
                            : "",
                    live
                            ? number(
                                    result.median(
                                            mechanism,
                                            run -> run.outcome.run.rescale.bytes() / 1e6))
                            : "",
                    number(result.median(mechanism, TrialResult::peakHeapMegabytes)),
                    runs.stream().filter(run -> run.exactness.isExact()).count(),
                    runs.size(),
                    runs.stream().mapToLong(run -> run.exactness.lost).sum(),
                    runs.stream().mapToLong(run -> run.exactness.duplicated).sum(),
                    live
                            ? ""
                            : number(result.median(mechanism, run -> run.exactness.repeatedAtStop)),
                    runs.stream().mapToLong(run -> run.exactness.replayed).sum(),
                    runs.get(0).exactness.reordered == null
                            ? "not checked"
                            : String.valueOf(
                                    runs.stream().mapToLong(run -> run.exactness.reordered).sum()),
                    runs.stream().mapToLong(run -> run.restarts).sum());
        }
        out.println();
        stalls(out, result);
        if (result.trials().stream().anyMatch(run -> run.causes() != null)) {
            causes(out, result);
        }
        ratios(out, result);
        out.flush();
        return text.toString();
    }

    private static void stalls(PrintWriter out, WorkloadResult result) {
        List<TrialResult> known =
                result.trials().stream()
                        .filter(run -> !Double.isNaN(run.stallsInRescale()))
                        .collect(Collectors.toList());
        if (known.isEmpty()) {
            return;
        }
        out.println("RocksDB's logs tell that it slows down or stops writes:");
        out.println();
        for (TrialResult run : known) {
            out.printf(
                    Locale.ROOT,
                    "* %s, run %d: %.0f times in the rescale, %.0f times before it%n",
                    run.mechanism,
                    run.repeat,
                    run.stallsInRescale(),
                    run.stallsSteady());
        }
        out.println();
    }

    private static String phases(List<TrialResult> runs) {
        Map<String, Long> phases = runs.get(0).outcome.phases;
        return phases.isEmpty() ? "" : " (first run: " + phases + ")";
    }

    private void latencies(
            PrintWriter out,
            WorkloadResult result,
            String title,
            Function<TrialResult, Figures> figures) {
        out.printf(
                "| %s | steady p50 | p99 | p99.9 | peak | rescale p50 | p99 | p99.9 | peak | below"
                        + " %d ms after, ms |%n",
                title, options.boundMillis);
        out.println("|---|---|---|---|---|---|---|---|---|---|");
        for (Mechanism mechanism : result.mechanisms) {
            if (result.of(mechanism).isEmpty()) {
                continue;
            }
            out.printf("| %s |", mechanism);
            statistics(out, result, mechanism, run -> figures.apply(run).steady);
            statistics(out, result, mechanism, run -> figures.apply(run).rescale);
            boolean recovered =
                    result.of(mechanism).stream()
                            .allMatch(run -> figures.apply(run).recoveryMillis != null);
            out.printf(
                    " %s |%n",
                    recovered
                            ? number(result.median(mechanism, run -> recovery(figures.apply(run))))
                            : "not within the load");
        }
        out.println();
    }

    private static void causes(PrintWriter out, WorkloadResult result) {
        out.println(
                "| What records waited for, ms on average during the rescale | the job, as before |"
                        + " to be read | missing state | queues | records that waited for state |"
                        + " the longest, ms |");
        out.println("|---|---|---|---|---|---|---|");
        for (Mechanism mechanism : result.mechanisms) {
            if (result.of(mechanism).isEmpty()) {
                continue;
            }
            boolean live = mechanism.kind != Mechanism.Kind.NATIVE;
            out.printf(
                    "| %s | %s | %s | %s | %s | %s | %s |%n",
                    mechanism,
                    number(result.median(mechanism, run -> cause(run, causes -> causes.job))),
                    number(result.median(mechanism, run -> cause(run, causes -> causes.source))),
                    live
                            ? number(
                                    result.median(
                                            mechanism, run -> cause(run, causes -> causes.state)))
                            : "",
                    number(result.median(mechanism, run -> cause(run, causes -> causes.queue))),
                    live
                            ? number(
                                    result.median(
                                            mechanism,
                                            run -> run.outcome.run.rescale.recordsWaited()))
                            : "",
                    live
                            ? number(
                                    result.median(
                                            mechanism,
                                            run ->
                                                    run.outcome.run.rescale.longestWaitMicros()
                                                            / 1e3))
                            : "");
        }
        out.println();
    }

    private static void statistics(
            PrintWriter out,
            WorkloadResult result,
            Mechanism mechanism,
            Function<TrialResult, LatencyStatistics> of) {
        for (double percentile : new double[] {50, 99, 99.9}) {
            out.printf(
                    " %s |",
                    number(result.median(mechanism, run -> percentile(of.apply(run), percentile))));
        }
        out.printf(
                " %s |", number(result.median(mechanism, run -> percentile(of.apply(run), 100))));
    }

    /** The first mechanism compared with each of the others. */
    private static void ratios(PrintWriter out, WorkloadResult result) {
        Mechanism first = result.mechanisms.get(0);
        for (Mechanism other : result.mechanisms.subList(1, result.mechanisms.size())) {
            if (result.of(first).isEmpty() || result.of(other).isEmpty()) {
                continue;
            }
            List<String> ratios = new ArrayList<>();
            addRatio(
                    ratios,
                    "results",
                    result.ratio(first, other, run -> run.results.rescale.maxMillis()));
            addRatio(
                    ratios,
                    "markers",
                    result.ratio(first, other, run -> run.markers.rescale.maxMillis()));
            if (!ratios.isEmpty()) {
                out.printf(
                        "Peak latency of %s as a part of that of %s, median of the runs: %s.%n%n",
                        first, other, String.join(", ", ratios));
            }
        }
    }

    /** Adds nothing if one of the two had no record in the rescale, as a query of long windows. */
    private static void addRatio(List<String> ratios, String of, double ratio) {
        if (Double.isFinite(ratio) && ratio > 0) {
            ratios.add(String.format(Locale.ROOT, "%.3f (%s)", ratio, of));
        }
    }

    private static String number(double value) {
        return Double.isNaN(value)
                ? ""
                : String.format(
                        Locale.ROOT,
                        value < 1_000 && value != Math.rint(value) ? "%.1f" : "%.0f",
                        value);
    }
}
