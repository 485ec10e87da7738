// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.soak;

import io.meces.experiments.harness.Charts;
import io.meces.experiments.harness.LatencyWindows;
import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;

/** The latency of a soak over time, with what was done meanwhile. */
final class SoakPlot {
    private static final Color RESCALE = new Color(255, 170, 0, 70);
    private static final Color KILL = new Color(200, 30, 30, 200);
    private static final Color SAVEPOINT = new Color(30, 120, 200, 140);

    /** A kill takes no time; so much of the width shows it. */
    private static final double LEAST_WIDTH = 1 / 600.0;

    private SoakPlot() {}

    /** Writes a PNG. Needs no display. */
    static void write(SoakResult result, Path file) throws IOException {
        LatencyWindows windows = new LatencyWindows(result.samples, result.load);
        double seconds = (result.load.endMicros - result.load.startMicros) / 1e6;
        XYChart chart = Charts.chart("Latency per 100 ms, by when records were due", "ms", seconds);
        chart.getStyler().setYAxisLogarithmic(true);
        double low = Charts.LOWEST_MILLIS;
        double high = Math.max(10, Charts.max(windows.maxMillis)) * Charts.LEGEND_ROOM;
        Set<String> legend = new HashSet<>();
        int number = 0;
        for (SoakEvent event : result.events) {
            String kind =
                    event.killed
                            ? "kill"
                            : event.is(SoakAction.Kind.RESCALE) ? "rescale" : "savepoint";
            Color colour = event.killed ? KILL : kind.equals("rescale") ? RESCALE : SAVEPOINT;
            double start = (event.startMicros - result.load.startMicros) / 1e6;
            double end = (event.endMicros - result.load.startMicros) / 1e6;
            end =
                    event.killed
                            ? start + seconds * LEAST_WIDTH
                            : Math.max(end, start + seconds * LEAST_WIDTH);
            number++;
            boolean first = legend.add(kind);
            XYSeries area =
                    Charts.shade(
                            chart,
                            first ? kind : kind + " " + number,
                            new double[] {start, Math.min(end, seconds)},
                            new double[] {low, high},
                            colour);
            area.setShowInLegend(first);
        }
        line(chart, "max", windows, windows.maxMillis, new Color(190, 60, 60));
        line(chart, "p99", windows, windows.p99Millis, new Color(60, 90, 190));
        line(chart, "p50", windows, windows.p50Millis, new Color(40, 140, 70));
        chart.getStyler().setYAxisMin(low).setYAxisMax(high);
        BitmapEncoder.saveBitmap(chart, file.toString(), BitmapFormat.PNG);
    }

    private static void line(
            XYChart chart, String name, LatencyWindows windows, double[] values, Color colour) {
        Charts.line(chart, name, windows, Charts.visible(values), colour);
    }
}
