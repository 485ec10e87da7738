// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.mechanisms;

import io.meces.experiments.harness.Charts;
import io.meces.experiments.harness.Interval;
import io.meces.experiments.harness.LatencyWindows;
import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** The pictures of a workload: of each mechanism the run with the median peak. */
final class ExperimentPlots {
    private static final double SECONDS_BEFORE = 5;
    private static final int SHADE_ALPHA = 45;
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

    private ExperimentPlots() {}

    /** The file names, in the order in which to show them. */
    static List<String> names(WorkloadResult result) {
        if (result.trials().isEmpty()) {
            return Collections.emptyList();
        }
        List<String> names = new ArrayList<>();
        names.add(name(result, "latency"));
        names.add(name(result, "throughput"));
        if (result.trials().stream().anyMatch(run -> run.stages != null)) {
            names.add(name(result, "causes"));
            names.add(name(result, "waits"));
        }
        if (result.trials().stream().anyMatch(run -> !run.fetchMicros.isEmpty())) {
            names.add(name(result, "fetches"));
        }
        names.add(name(result, "memory"));
        return names;
    }

    private static String name(WorkloadResult result, String plot) {
        return result.workload.name() + "-" + plot + ".png";
    }

    /** Writes PNGs. Needs no display. */
    static void write(WorkloadResult result, Path folder) throws IOException {
        List<TrialResult> runs = new ArrayList<>();
        for (Mechanism mechanism : result.mechanisms) {
            TrialResult typical = result.typical(mechanism);
            if (typical != null) {
                runs.add(typical);
            }
        }
        if (runs.isEmpty()) {
            return;
        }
        save(folder.resolve(name(result, "latency")), latencies(runs));
        save(
                folder.resolve(name(result, "throughput")),
                Collections.singletonList(throughput(runs)));
        if (runs.stream().anyMatch(run -> run.stages != null)) {
            BitmapEncoder.saveBitmap(
                    causes(runs),
                    folder.resolve(name(result, "causes")).toString(),
                    BitmapFormat.PNG);
            save(
                    folder.resolve(name(result, "waits")),
                    runs.stream().map(ExperimentPlots::waits).collect(Collectors.toList()));
        }
        if (runs.stream().anyMatch(run -> !run.fetchMicros.isEmpty())) {
            save(folder.resolve(name(result, "fetches")), Collections.singletonList(fetches(runs)));
        }
        save(folder.resolve(name(result, "memory")), Collections.singletonList(memory(runs)));
    }

    private static void save(Path file, List<XYChart> charts) throws IOException {
        BitmapEncoder.saveBitmap(charts, charts.size(), 1, file.toString(), BitmapFormat.PNG);
    }

    /** Those of results only if there are any: with long windows all may come behind the load. */
    private static List<XYChart> latencies(List<TrialResult> runs) {
        List<XYChart> charts = new ArrayList<>();
        if (runs.stream().anyMatch(run -> Charts.max(run.results.windows.maxMillis) > 0)) {
            charts.add(
                    latency(
                            "Result latency, the highest of each 100 ms",
                            runs,
                            run -> run.results.windows,
                            windows -> windows.maxMillis));
            charts.add(
                    latency(
                            "Result latency, the median of each 100 ms",
                            runs,
                            run -> run.results.windows,
                            windows -> windows.p50Millis));
        }
        charts.add(
                latency(
                        "Marker latency, the highest of each 100 ms",
                        runs,
                        run -> run.markers.windows,
                        windows -> windows.maxMillis));
        return charts;
    }

    private static XYChart latency(
            String title,
            List<TrialResult> runs,
            Function<TrialResult, LatencyWindows> windows,
            Function<LatencyWindows, double[]> values) {
        XYChart chart = chart(title, "ms", runs);
        chart.getStyler().setYAxisLogarithmic(true);
        double low = Charts.LOWEST_MILLIS;
        double high = 10;
        for (TrialResult run : runs) {
            high = Math.max(high, Charts.max(values.apply(windows.apply(run))));
        }
        high *= Charts.LEGEND_ROOM;
        shade(chart, runs, low, high);
        for (int i = 0; i < runs.size(); i++) {
            LatencyWindows of = windows.apply(runs.get(i));
            line(
                    chart,
                    runs.get(i).mechanism.toString(),
                    sinceRequest(runs.get(i)),
                    Charts.visible(values.apply(of)),
                    colour(i));
        }
        chart.getStyler().setYAxisMin(low).setYAxisMax(high);
        return chart;
    }

    private static XYChart throughput(List<TrialResult> runs) {
        XYChart chart = chart("Results per second", "1/s", runs);
        double high = 1;
        for (TrialResult run : runs) {
            high = Math.max(high, Charts.max(run.results.windows.throughput));
        }
        high *= 1.2;
        shade(chart, runs, 0, high);
        for (int i = 0; i < runs.size(); i++) {
            line(
                    chart,
                    runs.get(i).mechanism.toString(),
                    sinceRequest(runs.get(i)),
                    runs.get(i).results.windows.throughput,
                    colour(i));
        }
        chart.getStyler().setYAxisMin(0.0).setYAxisMax(high);
        return chart;
    }

    /** What records waited for: a bar for each mechanism. */
    private static CategoryChart causes(List<TrialResult> runs) {
        CategoryChart chart =
                new CategoryChartBuilder()
                        .width(Charts.WIDTH)
                        .height(Charts.HEIGHT)
                        .title("What records waited for during the rescale, on average")
                        .yAxisTitle("ms")
                        .build();
        chart.getStyler()
                .setStacked(true)
                .setLegendPosition(Styler.LegendPosition.OutsideE)
                .setChartBackgroundColor(Color.WHITE);
        List<String> mechanisms = new ArrayList<>();
        List<Causes> causes = new ArrayList<>();
        for (TrialResult run : runs) {
            Causes of = run.causes();
            if (of != null) {
                mechanisms.add(run.mechanism.toString());
                causes.add(of);
            }
        }
        bars(chart, "the job, as before", mechanisms, causes, of -> of.job, COLOURS[0]);
        bars(chart, "to be read", mechanisms, causes, of -> of.source, COLOURS[1]);
        bars(chart, "missing state", mechanisms, causes, of -> of.state, COLOURS[2]);
        bars(chart, "queues", mechanisms, causes, of -> of.queue, COLOURS[4]);
        return chart;
    }

    private static void bars(
            CategoryChart chart,
            String name,
            List<String> mechanisms,
            List<Causes> causes,
            Function<Causes, Double> part,
            Color colour) {
        chart.addSeries(name, mechanisms, causes.stream().map(part).collect(Collectors.toList()))
                .setFillColor(colour);
    }

    /** Where the records of one mechanism were, on average. */
    private static XYChart waits(TrialResult run) {
        XYChart chart =
                chart(
                        run.mechanism + ": average time of records, by when they were due",
                        "ms",
                        Collections.singletonList(run));
        chart.getStyler().setYAxisLogarithmic(true);
        double[] seconds = sinceRequest(run);
        double high = 10;
        double[][] stages =
                run.stages == null
                        ? new double[0][]
                        : run.stages.millis(run.measured.startMicros, seconds.length);
        for (double[] stage : stages) {
            high = Math.max(high, Charts.max(stage));
        }
        high *= Charts.LEGEND_ROOM;
        double low = Charts.LOWEST_MILLIS / 10;
        shade(chart, Collections.singletonList(run), low, high);
        for (int i = 0; i < stages.length; i++) {
            double[] visible =
                    Arrays.stream(stages[i]).map(value -> Math.max(value, low)).toArray();
            line(chart, STAGES[i], seconds, visible, COLOURS[i]);
        }
        chart.getStyler().setYAxisMin(low).setYAxisMax(high);
        return chart;
    }

    private static XYChart fetches(List<TrialResult> runs) {
        XYChart chart =
                Charts.chart(
                        "Fetches: from the request of a unit to its installation, per TaskManager",
                        "ms",
                        1);
        chart.setXAxisTitle("part of the fetches, from the fastest to the slowest");
        chart.getStyler().setXAxisDecimalPattern("0.###");
        chart.getStyler().setYAxisLogarithmic(true);
        double[] parts = {0, 0.5, 0.75, 0.9, 0.95, 0.98, 0.99, 0.999, 1};
        double low = Double.MAX_VALUE;
        double high = 1;
        int number = 0;
        for (TrialResult run : runs) {
            for (Map.Entry<String, double[]> fetches : run.fetchMicros.entrySet()) {
                double[] millis =
                        Arrays.stream(fetches.getValue())
                                .map(micros -> Math.max(micros, 1) / 1_000)
                                .toArray();
                low = Math.min(low, millis[0] / 2);
                high = Math.max(high, Charts.max(millis) * Charts.LEGEND_ROOM);
                XYSeries series =
                        chart.addSeries(run.mechanism + ", " + fetches.getKey(), parts, millis);
                series.setMarker(SeriesMarkers.CIRCLE);
                series.setLineColor(colour(number));
                series.setMarkerColor(colour(number));
                number++;
            }
        }
        chart.getStyler().setYAxisMin(low).setYAxisMax(high);
        return chart;
    }

    private static XYChart memory(List<TrialResult> runs) {
        XYChart chart = chart("Heap in use, all TaskManagers", "MB", runs);
        double high = 1;
        for (TrialResult run : runs) {
            high = Math.max(high, run.heap.isEmpty() ? 1 : run.peakHeapMegabytes());
        }
        high *= 1.2;
        shade(chart, runs, 0, high);
        for (int i = 0; i < runs.size(); i++) {
            TrialResult run = runs.get(i);
            List<long[]> shown =
                    run.heap.stream()
                            .filter(sample -> sample[0] >= run.measured.startMicros)
                            .collect(Collectors.toList());
            line(
                    chart,
                    run.mechanism.toString(),
                    shown.stream()
                            .mapToDouble(sample -> (sample[0] - run.requestMicros()) / 1e6)
                            .toArray(),
                    shown.stream().mapToDouble(sample -> sample[1] / 1e6).toArray(),
                    colour(i));
        }
        chart.getStyler().setYAxisMin(0.0).setYAxisMax(high);
        return chart;
    }

    /** An empty chart of the time around the request of the rescale. */
    private static XYChart chart(String title, String unit, List<TrialResult> runs) {
        double seconds = 0;
        double before = SECONDS_BEFORE;
        for (TrialResult run : runs) {
            seconds = Math.max(seconds, (run.measured.endMicros - run.requestMicros()) / 1e6);
            before = Math.min(before, (run.requestMicros() - run.measured.startMicros) / 1e6);
        }
        XYChart chart = Charts.chart(title, unit, seconds);
        chart.setXAxisTitle("seconds since the rescale was asked for; shaded: while it ran");
        chart.getStyler().setXAxisMin(-before);
        return chart;
    }

    private static void shade(XYChart chart, List<TrialResult> runs, double low, double high) {
        for (int i = 0; i < runs.size(); i++) {
            TrialResult run = runs.get(i);
            Interval interval = run.outcome.run.interval;
            Color colour = colour(i);
            XYSeries area =
                    Charts.shade(
                            chart,
                            run.mechanism + " rescales",
                            new double[] {0, (interval.endMicros - interval.startMicros) / 1e6},
                            new double[] {low, high},
                            new Color(
                                    colour.getRed(),
                                    colour.getGreen(),
                                    colour.getBlue(),
                                    SHADE_ALPHA));
            area.setShowInLegend(false);
        }
    }

    private static double[] sinceRequest(TrialResult run) {
        double request = (run.requestMicros() - run.measured.startMicros) / 1e6;
        return Arrays.stream(run.results.windows.seconds).map(second -> second - request).toArray();
    }

    private static void line(
            XYChart chart, String name, double[] seconds, double[] values, Color colour) {
        if (values.length == 0 || Arrays.stream(values).allMatch(Double::isNaN)) {
            return;
        }
        XYSeries series = chart.addSeries(name, seconds, values);
        series.setMarker(isSparse(values) ? SeriesMarkers.CIRCLE : SeriesMarkers.NONE);
        series.setMarkerColor(colour);
        series.setLineColor(colour);
        series.setLineWidth(1.2f);
    }

    /** Whether some value stands alone, so that no line leads to it: of windows, for instance. */
    private static boolean isSparse(double[] values) {
        for (int i = 0; i < values.length; i++) {
            if (!Double.isNaN(values[i])
                    && (i == 0 || Double.isNaN(values[i - 1]))
                    && (i == values.length - 1 || Double.isNaN(values[i + 1]))) {
                return true;
            }
        }
        return false;
    }

    private static Color colour(int index) {
        return COLOURS[index % COLOURS.length];
    }
}
