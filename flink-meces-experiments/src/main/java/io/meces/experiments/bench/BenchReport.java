// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.bench;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.meces.experiments.measure.LatencyWindows;
import io.meces.experiments.measure.Medians;
import io.meces.experiments.measure.Stages;
import io.meces.experiments.measure.Verdict;
import io.meces.experiments.run.JobHealth;
import io.meces.experiments.run.Json;
import io.meces.experiments.run.Table;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import javax.annotation.Nullable;

/**
 * The outcome of a benchmark: {@code report.md}, {@code report.json} (this class, by {@link Json})
 * and two CSV files.
 */
final class BenchReport {
    private static final List<String> LATENCY =
            Arrays.asList(
                    "steady-p50-ms",
                    "steady-p99-ms",
                    "steady-p99.9-ms",
                    "steady-peak-ms",
                    "rescale-p50-ms",
                    "rescale-p99-ms",
                    "rescale-p99.9-ms",
                    "rescale-peak-ms");

    private final transient BenchOptions options;
    private final transient EnvironmentFactory environments;
    private final transient List<WorkloadResult> results;

    /** Why there are not all runs. */
    @Nullable
    @JsonInclude(JsonInclude.Include.NON_NULL)
    private final String error;

    private final List<OfWorkload> workloads;
    private final Map<String, Object> parameters;
    private final Map<String, Object> versions;

    /**
     * A report.
     *
     * @param environments where the runs were
     * @param failure why there are not all runs; null if there are
     */
    BenchReport(
            BenchOptions options,
            EnvironmentFactory environments,
            List<WorkloadResult> results,
            @Nullable Exception failure) {
        this.options = options;
        this.environments = environments;
        this.results = results;
        this.error = failure == null ? null : failure.toString();
        this.workloads = results.stream().map(OfWorkload::new).collect(Collectors.toList());
        this.parameters = options.parameters();
        parameters.putAll(environments.parameters());
        this.versions = environments.versions();
    }

    private static final class OfWorkload {
        private final String name;
        private final Map<String, Object> parameters;
        private final List<OfRun> runs;
        private final Map<String, Map<String, Double>> medians = new LinkedHashMap<>();

        private OfWorkload(WorkloadResult result) {
            name = result.workload.name;
            parameters = result.workload.parameters;
            runs = result.trials().stream().map(OfRun::new).collect(Collectors.toList());
            for (Mechanism mechanism : result.mechanisms()) {
                Map<String, Double> of = result.of(mechanism).get(0).figures();
                of.replaceAll((figure, value) -> result.median(mechanism, figure));
                medians.put(mechanism.toString(), of);
            }
        }
    }

    private static final class OfRun {
        private final String mechanism;
        private final int repeat;
        @JsonUnwrapped private final Verdict verdict;
        @JsonUnwrapped private final JobHealth health;
        private final String rescale;
        @Nullable private final String rescaleFailure;
        private final Map<String, Long> rescalePhasesMs;
        private final transient Map<String, Double> figures;
        private final Map<String, Map<String, Double>> fetchMicros;

        private OfRun(TrialResult run) {
            mechanism = run.mechanism.toString();
            repeat = run.repeat;
            verdict = run.run.verdict;
            health = run.run.health;
            rescale = run.outcome.run.rescale.status().name();
            rescaleFailure = run.outcome.run.rescale.failure();
            rescalePhasesMs = run.outcome.phases;
            figures = run.figures();
            fetchMicros = run.resources.fetchMicros;
        }

        @JsonAnyGetter
        Map<String, Double> figures() {
            return figures;
        }
    }

    /** Writes the JSON to a file, and the others beside it. */
    void writeTo(Path json) throws IOException {
        Json.write(this, json);
        write(json.resolveSibling("report.md"), Collections.singletonList(markdown()));
        write(json.resolveSibling("runs.csv"), runs());
        write(json.resolveSibling("latency.csv"), latency());
    }

    private static void write(Path file, List<String> lines) throws IOException {
        Files.write(file, lines, StandardCharsets.UTF_8);
    }

    /** Prints the tables. */
    void print(PrintWriter out) {
        results.forEach(result -> out.print("\n" + tables(result)));
        out.println();
        out.flush();
    }

    // ------------------------------------------------------------------------
    //  CSV
    // ------------------------------------------------------------------------

    private List<String> runs() {
        List<String> lines = new ArrayList<>();
        for (WorkloadResult result : results) {
            for (TrialResult run : result.trials()) {
                Map<String, Double> figures = run.figures();
                if (lines.isEmpty()) {
                    lines.add(
                            "workload,mechanism,repeat,exact,restarts,"
                                    + String.join(",", figures.keySet()));
                }
                lines.add(
                        line(
                                result,
                                run,
                                run.run.verdict.isExact() + "," + run.restarts(),
                                figures.values()));
            }
        }
        return lines;
    }

    /** Latency and throughput of each 100 ms, in seconds since the request of the rescale. */
    private List<String> latency() {
        List<String> lines = new ArrayList<>();
        lines.add(
                "workload,mechanism,repeat,second,p50-ms,p99-ms,max-ms,results-per-second,"
                        + "marker-p50-ms,marker-max-ms,until-read-ms,until-counted-ms,"
                        + "until-in-kafka-ms");
        for (WorkloadResult result : results) {
            for (TrialResult run : result.trials()) {
                LatencyWindows all = run.results.windows;
                LatencyWindows markers = run.markers.windows;
                int windows = all.seconds.length;
                double[][] stages =
                        run.run.stages == null
                                ? null
                                : run.run.stages.millis(run.measured.startMicros, windows);
                double request = (run.requestMicros() - run.measured.startMicros) / 1e6;
                for (int i = 0; i < windows; i++) {
                    List<Double> values =
                            new ArrayList<>(
                                    Arrays.asList(
                                            all.p50Millis[i],
                                            all.p99Millis[i],
                                            all.maxMillis[i],
                                            all.throughput[i],
                                            markers.p50Millis[i],
                                            markers.maxMillis[i]));
                    for (int stage = 0; stage < Stages.COUNT; stage++) {
                        values.add(stages == null ? Double.NaN : stages[stage][i]);
                    }
                    lines.add(line(result, run, cell(all.seconds[i] - request), values));
                }
            }
        }
        return lines;
    }

    private static String line(
            WorkloadResult result, TrialResult run, String first, Collection<Double> values) {
        return result.workload.name
                + ","
                + run.mechanism
                + ","
                + run.repeat
                + ","
                + first
                + ","
                + values.stream().map(BenchReport::cell).collect(Collectors.joining(","));
    }

    /** Nothing if it is not known. */
    private static String cell(double value) {
        return Double.isNaN(value) ? "" : String.format(Locale.ROOT, "%.3f", value);
    }

    // ------------------------------------------------------------------------
    //  Text
    // ------------------------------------------------------------------------

    private String markdown() {
        StringBuilder text = new StringBuilder("# Rescaling by several mechanisms\n\n");
        if (error != null) {
            text.append("**The experiment did not come to its end: " + error + "**\n\n");
        }
        text.append(
                String.format(
                        Locale.ROOT,
                        "Scenario %s, parallelism %d to %d, %d records/s. Median of %d run(s), each"
                                + " with %s. What the figures mean: docs/experiments.md.%n%n",
                        options.scenario(),
                        options.from(),
                        options.to(),
                        options.rate(),
                        options.repeats,
                        environments.ownOfRun()));
        for (WorkloadResult result : results) {
            text.append("## " + result.workload.name + "\n\n" + tables(result) + "\n");
            BenchPlots.names(result)
                    .forEach(name -> text.append("![" + name + "](" + name + ")\n\n"));
            result.trials().stream()
                    .flatMap(run -> run.run.verdict.examples.stream())
                    .forEach(example -> text.append("* " + example + "\n"));
        }
        text.append("## Parameters\n\n");
        results.forEach(result -> list(text, result.workload.parameters));
        list(text, parameters);
        text.append("\n## Machine and versions\n\n");
        list(text, versions);
        return text.toString();
    }

    private static void list(StringBuilder text, Map<String, Object> values) {
        values.forEach((name, value) -> text.append("* " + name + ": " + value + "\n"));
    }

    private String tables(WorkloadResult result) {
        StringBuilder text = new StringBuilder();
        text.append(latencies(result, "Result latency, ms", "result-"));
        text.append(latencies(result, "Marker latency, ms", "marker-"));
        text.append(rescales(result));
        text.append(stalls(result));
        if (result.trials().stream().anyMatch(run -> run.causes() != null)) {
            text.append(causes(result));
        }
        text.append(ratios(result));
        return text.toString();
    }

    private String latencies(WorkloadResult result, String title, String of) {
        Table table =
                new Table(
                        title,
                        "steady p50",
                        "p99",
                        "p99.9",
                        "peak",
                        "rescale p50",
                        "p99",
                        "p99.9",
                        "peak",
                        "below " + options.boundMillis + " ms after, ms");
        for (Mechanism mechanism : result.mechanisms()) {
            List<Object> row = new ArrayList<>();
            row.add(mechanism);
            LATENCY.forEach(figure -> row.add(result.median(mechanism, of + figure)));
            boolean recovered =
                    result.of(mechanism).stream()
                            .noneMatch(run -> run.figures().get(of + "recovery-ms").isNaN());
            row.add(
                    recovered
                            ? result.median(mechanism, of + "recovery-ms")
                            : "not within the load");
            table.row(row);
        }
        return table.markdown() + "\n";
    }

    private static String rescales(WorkloadResult result) {
        Table table =
                new Table(
                        "Rescale",
                        "duration, ms",
                        "key-groups moved",
                        "units (on demand)",
                        "MB moved",
                        "peak heap, MB",
                        "exact",
                        "lost",
                        "duplicated",
                        "repeated at the stop",
                        "replayed",
                        "reordered",
                        "restarts");
        for (Mechanism mechanism : result.mechanisms()) {
            List<TrialResult> runs = result.of(mechanism);
            boolean live = mechanism.isLive();
            Map<String, Long> phases = runs.get(0).outcome.phases;
            table.row(
                    Arrays.asList(
                            mechanism,
                            Table.number(result.median(mechanism, "rescale-ms"))
                                    + (phases.isEmpty() ? "" : " (first run: " + phases + ")"),
                            live ? result.median(mechanism, "key-groups") : "",
                            live
                                    ? String.format(
                                            "%s (%s)",
                                            Table.number(result.median(mechanism, "units")),
                                            Table.number(
                                                    result.median(mechanism, "units-on-demand")))
                                    : "",
                            live ? result.median(mechanism, "bytes-moved") / 1e6 : "",
                            result.median(mechanism, "peak-heap-mb"),
                            sum(runs, run -> run.run.verdict.isExact() ? 1 : 0)
                                    + " of "
                                    + runs.size(),
                            sum(runs, run -> run.run.verdict.lost),
                            sum(runs, run -> run.run.verdict.duplicated),
                            live
                                    ? ""
                                    : Medians.of(
                                            runs.stream()
                                                    .map(run -> run.run.verdict.repeatedAtStop)
                                                    .map(Long::doubleValue)
                                                    .collect(Collectors.toList())),
                            sum(runs, run -> run.run.verdict.replayed),
                            runs.get(0).run.verdict.reordered == null
                                    ? "not checked"
                                    : sum(runs, run -> run.run.verdict.reordered),
                            sum(runs, TrialResult::restarts)));
        }
        return table.markdown() + "\n";
    }

    private static long sum(List<TrialResult> runs, ToLongFunction<TrialResult> count) {
        return runs.stream().mapToLong(count).sum();
    }

    private static String stalls(WorkloadResult result) {
        String known =
                result.trials().stream()
                        .filter(run -> run.resources.stalls != null)
                        .map(
                                run ->
                                        String.format(
                                                Locale.ROOT,
                                                "* %s, run %d: %.0f times in the rescale, %.0f"
                                                        + " times before it\n",
                                                run.mechanism,
                                                run.repeat,
                                                run.figures().get("rocksdb-stalls-rescale"),
                                                run.figures().get("rocksdb-stalls-steady")))
                        .collect(Collectors.joining());
        return known.isEmpty()
                ? ""
                : "RocksDB's logs tell that it slows down or stops writes:\n\n" + known + "\n";
    }

    private static String causes(WorkloadResult result) {
        Table table =
                new Table(
                        "What records waited for, ms on average during the rescale",
                        "the job, as before",
                        "to be read",
                        "missing state",
                        "queues",
                        "records that waited for state",
                        "the longest, ms");
        for (Mechanism mechanism : result.mechanisms()) {
            boolean live = mechanism.isLive();
            table.row(
                    Arrays.asList(
                            mechanism,
                            result.median(mechanism, "waited-for-job-ms"),
                            result.median(mechanism, "waited-for-source-ms"),
                            live ? result.median(mechanism, "waited-for-state-ms") : "",
                            result.median(mechanism, "waited-for-queue-ms"),
                            live ? result.median(mechanism, "records-waited") : "",
                            live ? result.median(mechanism, "longest-wait-ms") : ""));
        }
        return table.markdown() + "\n";
    }

    /**
     * The first mechanism compared with each of the others; not if one of the two had no record in
     * the rescale, as a query of long windows.
     */
    private static String ratios(WorkloadResult result) {
        List<Mechanism> mechanisms = result.mechanisms();
        StringBuilder text = new StringBuilder();
        for (Mechanism other :
                mechanisms.subList(Math.min(1, mechanisms.size()), mechanisms.size())) {
            List<String> ratios = new ArrayList<>();
            for (String of : new String[] {"result", "marker"}) {
                double ratio = result.ratio(mechanisms.get(0), other, of + "-rescale-peak-ms");
                if (Double.isFinite(ratio) && ratio > 0) {
                    ratios.add(String.format(Locale.ROOT, "%.3f (%ss)", ratio, of));
                }
            }
            if (!ratios.isEmpty()) {
                text.append(
                        String.format(
                                "Peak latency of %s as a part of that of %s, median of the runs:"
                                        + " %s.%n%n",
                                mechanisms.get(0), other, String.join(", ", ratios)));
            }
        }
        return text.toString();
    }
}
