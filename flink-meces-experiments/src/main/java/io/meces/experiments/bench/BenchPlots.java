// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.bench;

import io.meces.experiments.measure.Interval;
import io.meces.experiments.measure.LatencyWindows;
import io.meces.experiments.run.Chart;
import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.style.Styler;

/** The pictures of a workload: of each mechanism the run with the median peak. */
final class BenchPlots {
    private static final double SECONDS_BEFORE = 5;
    private static final double LOWEST_MILLIS = 0.5;
    private static final int SHADE_ALPHA = 45;
    private static final String TIME =
            "seconds since the rescale was asked for; shaded: while it ran";
    private static final Color[] COLOURS = {
        new Color(30, 140, 60),
        new Color(60, 90, 190),
        new Color(200, 60, 50),
        new Color(150, 90, 170),
        new Color(200, 140, 20)
    };
    private static final String[] STAGES = {
        "until the job reads it (generator, Kafka, a job that does not run)",
        "until it is counted (network, queues, state that is missing)",
        "until the result is in Kafka"
    };

    private final List<TrialResult> runs;

    private BenchPlots(List<TrialResult> runs) {
        this.runs = runs;
    }

    private static BenchPlots of(WorkloadResult result) {
        return new BenchPlots(
                result.mechanisms().stream()
                        .map(result::typical)
                        .filter(Objects::nonNull)
                        .collect(Collectors.toList()));
    }

    /** The file names, in the order in which to show them. */
    static List<String> names(WorkloadResult result) {
        List<String> names = new ArrayList<>();
        BenchPlots plots = of(result);
        for (String plot : plots.charts().keySet()) {
            names.add(name(result, plot));
        }
        if (plots.haveStages()) {
            names.add(name(result, "causes"));
        }
        return names;
    }

    private static String name(WorkloadResult result, String plot) {
        return result.workload.name + "-" + plot + ".png";
    }

    /** Writes PNGs. Needs no display. */
    static void write(WorkloadResult result, Path folder) throws IOException {
        BenchPlots plots = of(result);
        for (Map.Entry<String, List<Chart>> plot : plots.charts().entrySet()) {
            Chart.save(folder.resolve(name(result, plot.getKey())), plot.getValue());
        }
        if (plots.haveStages()) {
            BitmapEncoder.saveBitmap(
                    plots.causes(),
                    folder.resolve(name(result, "causes")).toString(),
                    BitmapFormat.PNG);
        }
    }

    private boolean haveStages() {
        return runs.stream().anyMatch(run -> run.run.stages != null);
    }

    /** By their names. */
    private Map<String, List<Chart>> charts() {
        Map<String, List<Chart>> charts = new LinkedHashMap<>();
        if (runs.isEmpty()) {
            return charts;
        }
        charts.put("latency", latencies());
        charts.put(
                "throughput",
                Collections.singletonList(
                        lines(
                                linear("Results per second", "1/s"),
                                run -> run.results.windows.throughput)));
        if (haveStages()) {
            charts.put("waits", runs.stream().map(this::waits).collect(Collectors.toList()));
        }
        if (runs.stream().anyMatch(run -> !run.resources.fetchMicros.isEmpty())) {
            charts.put("fetches", Collections.singletonList(fetches()));
        }
        charts.put("memory", Collections.singletonList(memory()));
        return charts;
    }

    /** Those of results only if there are any: with long windows all may come behind the load. */
    private List<Chart> latencies() {
        List<Chart> charts = new ArrayList<>();
        if (runs.stream().anyMatch(run -> Chart.max(run.results.windows.maxMillis) > 0)) {
            charts.add(
                    latency(
                            "Result latency, the highest of each 100 ms",
                            run -> run.results.windows,
                            windows -> windows.maxMillis));
            charts.add(
                    latency(
                            "Result latency, the median of each 100 ms",
                            run -> run.results.windows,
                            windows -> windows.p50Millis));
        }
        charts.add(
                latency(
                        "Marker latency, the highest of each 100 ms",
                        run -> run.markers.windows,
                        windows -> windows.maxMillis));
        return charts;
    }

    private Chart latency(
            String title,
            Function<TrialResult, LatencyWindows> windows,
            Function<LatencyWindows, double[]> values) {
        return lines(logarithmic(title, LOWEST_MILLIS), windows.andThen(values));
    }

    /** A line for each mechanism, of the windows of 100 ms. */
    private Chart lines(Chart chart, Function<TrialResult, double[]> values) {
        for (TrialResult run : runs) {
            chart.line(run.mechanism.toString(), sinceRequest(run), values.apply(run), colour(run));
        }
        return shaded(chart, runs);
    }

    /** Where the records of one mechanism were, on average. */
    private Chart waits(TrialResult run) {
        Chart chart =
                logarithmic(
                        run.mechanism + ": average time of records, by when they were due",
                        LOWEST_MILLIS / 10);
        double[] seconds = sinceRequest(run);
        if (run.run.stages != null) {
            double[][] stages = run.run.stages.millis(run.measured.startMicros, seconds.length);
            for (int i = 0; i < stages.length; i++) {
                chart.line(STAGES[i], seconds, stages[i], COLOURS[i]);
            }
        }
        return shaded(chart, Collections.singletonList(run));
    }

    private Chart fetches() {
        double[] parts = {0, 0.5, 0.75, 0.9, 0.95, 0.98, 0.99, 0.999, 1};
        Chart chart =
                Chart.logarithmic(
                        "Fetches: from the request of a unit to its installation, per TaskManager",
                        "part of the fetches, from the fastest to the slowest",
                        0,
                        1,
                        0.01);
        int number = 0;
        for (TrialResult run : runs) {
            for (Map.Entry<String, Map<String, Double>> fetches :
                    run.resources.fetchMicros.entrySet()) {
                chart.line(
                        run.mechanism + ", " + fetches.getKey(),
                        parts,
                        fetches.getValue().values().stream()
                                .mapToDouble(micros -> micros / 1_000)
                                .toArray(),
                        COLOURS[number++ % COLOURS.length]);
            }
        }
        return chart;
    }

    private Chart memory() {
        Chart chart = linear("Heap in use, all TaskManagers", "MB");
        for (TrialResult run : runs) {
            List<long[]> shown =
                    run.resources.heap.stream()
                            .filter(sample -> sample[0] >= run.measured.startMicros)
                            .collect(Collectors.toList());
            chart.line(
                    run.mechanism.toString(),
                    shown.stream()
                            .mapToDouble(sample -> (sample[0] - run.requestMicros()) / 1e6)
                            .toArray(),
                    shown.stream().mapToDouble(sample -> sample[1] / 1e6).toArray(),
                    colour(run));
        }
        return shaded(chart, runs);
    }

    /** What records waited for: a bar for each mechanism. */
    private CategoryChart causes() {
        CategoryChart chart =
                new CategoryChartBuilder()
                        .width(Chart.WIDTH)
                        .height(Chart.HEIGHT)
                        .title("What records waited for during the rescale, on average")
                        .yAxisTitle("ms")
                        .build();
        chart.getStyler()
                .setStacked(true)
                .setLegendPosition(Styler.LegendPosition.OutsideE)
                .setChartBackgroundColor(Color.WHITE);
        List<TrialResult> known =
                runs.stream().filter(run -> run.causes() != null).collect(Collectors.toList());
        String[] figures = {"job", "source", "state", "queue"};
        String[] names = {"the job, as before", "to be read", "missing state", "queues"};
        Color[] colours = {COLOURS[0], COLOURS[1], COLOURS[2], COLOURS[4]};
        for (int i = 0; i < figures.length; i++) {
            String figure = "waited-for-" + figures[i] + "-ms";
            chart.addSeries(
                            names[i],
                            known.stream()
                                    .map(run -> run.mechanism.toString())
                                    .collect(Collectors.toList()),
                            known.stream()
                                    .map(run -> run.figures().get(figure))
                                    .collect(Collectors.toList()))
                    .setFillColor(colours[i]);
        }
        return chart;
    }

    private Chart linear(String title, String unit) {
        return Chart.linear(title, unit, TIME, -secondsBefore(), secondsAfter());
    }

    private Chart logarithmic(String title, double lowestMillis) {
        return Chart.logarithmic(title, TIME, -secondsBefore(), secondsAfter(), lowestMillis);
    }

    private double secondsBefore() {
        return runs.stream()
                .mapToDouble(run -> (run.requestMicros() - run.measured.startMicros) / 1e6)
                .reduce(SECONDS_BEFORE, Math::min);
    }

    private double secondsAfter() {
        return runs.stream()
                .mapToDouble(run -> (run.measured.endMicros - run.requestMicros()) / 1e6)
                .reduce(0, Math::max);
    }

    private Chart shaded(Chart chart, List<TrialResult> shown) {
        for (TrialResult run : shown) {
            Interval interval = run.outcome.run.interval;
            Color colour = colour(run);
            chart.shade(
                    run.mechanism + " rescales",
                    0,
                    interval.millis() / 1e3,
                    new Color(colour.getRed(), colour.getGreen(), colour.getBlue(), SHADE_ALPHA),
                    false);
        }
        return chart;
    }

    private static double[] sinceRequest(TrialResult run) {
        double request = (run.requestMicros() - run.measured.startMicros) / 1e6;
        return Arrays.stream(run.results.windows.seconds).map(second -> second - request).toArray();
    }

    private Color colour(TrialResult run) {
        return COLOURS[runs.indexOf(run) % COLOURS.length];
    }
}
