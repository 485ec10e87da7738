// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.autoscaler;

import io.meces.experiments.harness.Charts;
import io.meces.experiments.harness.LatencyWindows;
import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Draws load, parallelism and latency (logarithmic) over time. */
final class AutoscalerPlot {
    private static final Color LOAD = new Color(200, 120, 20);
    private static final Color RESULTS = new Color(120, 120, 120);
    private static final Color PARALLELISM = new Color(60, 90, 190);

    private AutoscalerPlot() {}

    /** Writes a PNG. Needs no display. */
    static void write(AutoscalerResult result, LoadProfile profile, Path file) throws IOException {
        LatencyWindows windows = new LatencyWindows(result.samples, result.load);
        double seconds = seconds(result, result.load.endMicros);
        BitmapEncoder.saveBitmap(
                Arrays.asList(
                        load(windows, profile, seconds),
                        parallelism(result, seconds),
                        latency(windows, seconds)),
                3,
                1,
                file.toString(),
                BitmapFormat.PNG);
    }

    private static XYChart load(LatencyWindows windows, LoadProfile profile, double seconds) {
        XYChart chart = Charts.chart("Load, and results", "1/s", seconds);
        Charts.line(chart, "results", windows, windows.throughput, RESULTS);
        double[] load = Arrays.stream(windows.seconds).map(profile::at).toArray();
        Charts.line(chart, "records", windows, load, LOAD);
        double highest = Math.max(profile.highest(), Charts.max(windows.throughput));
        chart.getStyler().setYAxisMin(0.0).setYAxisMax(highest * 1.2);
        return chart;
    }

    private static XYChart parallelism(AutoscalerResult result, double seconds) {
        XYChart chart = Charts.chart("Parallelism of the counter", "subtasks", seconds);
        int size = result.parallelism.size();
        double[] at = new double[size];
        double[] values = new double[size];
        for (int i = 0; i < size; i++) {
            at[i] = seconds(result, result.parallelism.micros(i));
            values[i] = result.parallelism.value(i);
        }
        XYSeries series = chart.addSeries("parallelism", at, values);
        series.setXYSeriesRenderStyle(XYSeries.XYSeriesRenderStyle.Step);
        series.setMarker(SeriesMarkers.NONE);
        series.setLineColor(PARALLELISM);
        chart.getStyler().setYAxisMin(0.0).setYAxisMax(result.parallelism.highest() + 1.5);
        chart.getStyler().setYAxisDecimalPattern("0");
        return chart;
    }

    private static XYChart latency(LatencyWindows windows, double seconds) {
        XYChart chart = Charts.chart("Latency per 100 ms, by when records were due", "ms", seconds);
        chart.getStyler().setYAxisLogarithmic(true);
        line(chart, "max", windows, windows.maxMillis, new Color(190, 60, 60));
        line(chart, "p99", windows, windows.p99Millis, new Color(60, 90, 190));
        line(chart, "p50", windows, windows.p50Millis, new Color(40, 140, 70));
        double high = Math.max(10, Charts.max(windows.maxMillis)) * Charts.LEGEND_ROOM;
        chart.getStyler().setYAxisMin(Charts.LOWEST_MILLIS).setYAxisMax(high);
        return chart;
    }

    private static void line(
            XYChart chart, String name, LatencyWindows windows, double[] values, Color colour) {
        Charts.line(chart, name, windows, Charts.visible(values), colour);
    }

    private static double seconds(AutoscalerResult result, long micros) {
        return (micros - result.load.startMicros) / 1e6;
    }
}
