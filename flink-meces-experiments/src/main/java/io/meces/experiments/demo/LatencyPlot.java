// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.demo;

import io.meces.experiments.harness.Charts;
import io.meces.experiments.harness.LatencyWindows;
import io.meces.experiments.harness.RescaleRun;
import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.XYChart;

/** Draws latency (logarithmic) and throughput over time, with the rescales shaded. */
final class LatencyPlot {
    private static final Color SHADE = new Color(255, 170, 0, 70);

    private LatencyPlot() {}

    /** Writes a PNG. Needs no display. */
    static void write(DemoResult result, Path file) throws IOException {
        LatencyWindows windows = new LatencyWindows(result.samples, result.load);
        double seconds = seconds(result, result.load.endMicros);
        XYChart latency =
                Charts.chart("Latency per 100 ms, by when records were due", "ms", seconds);
        latency.getStyler().setYAxisLogarithmic(true);
        double low = Charts.LOWEST_MILLIS;
        double high = Math.max(10, Charts.max(windows.maxMillis)) * Charts.LEGEND_ROOM;
        shade(latency, result, low, high);
        Charts.line(
                latency, "max", windows, Charts.visible(windows.maxMillis), new Color(190, 60, 60));
        Charts.line(
                latency, "p99", windows, Charts.visible(windows.p99Millis), new Color(60, 90, 190));
        Charts.line(
                latency, "p50", windows, Charts.visible(windows.p50Millis), new Color(40, 140, 70));
        latency.getStyler().setYAxisMin(low).setYAxisMax(high);

        XYChart throughput = Charts.chart("Results per second", "1/s", seconds);
        double highest = Math.max(1, Charts.max(windows.throughput)) * 1.2;
        shade(throughput, result, 0, highest);
        Charts.line(throughput, "results", windows, windows.throughput, new Color(90, 90, 90));
        throughput.getStyler().setYAxisMin(0.0).setYAxisMax(highest);

        BitmapEncoder.saveBitmap(
                Arrays.asList(latency, throughput), 2, 1, file.toString(), BitmapFormat.PNG);
    }

    private static void shade(XYChart chart, DemoResult result, double low, double high) {
        int number = 1;
        for (RescaleRun run : result.rescales) {
            Charts.shade(
                    chart,
                    number++ + ": " + run.from + " to " + run.to,
                    new double[] {
                        seconds(result, run.interval.startMicros),
                        seconds(result, run.interval.endMicros)
                    },
                    new double[] {low, high},
                    SHADE);
        }
    }

    private static double seconds(DemoResult result, long micros) {
        return (micros - result.load.startMicros) / 1e6;
    }
}
