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

package io.meces.examples.demo;

import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Draws latency (logarithmic) and throughput over time, with the rescales shaded. */
public final class LatencyPlot {
    /** Of a picture, in pixels. */
    public static final int WIDTH = 1_200;

    /** Of a picture, in pixels. */
    public static final int HEIGHT = 420;

    public static final double LOWEST_MILLIS = 0.5;

    /** The factor by which the latency axis is longer than it has to be. */
    public static final double LEGEND_ROOM = 3;

    private static final Color SHADE = new Color(255, 170, 0, 70);

    private LatencyPlot() {}

    /** Writes a PNG. Needs no display. */
    static void write(DemoResult result, Path file) throws IOException {
        LatencyWindows windows = new LatencyWindows(result.samples, result.load);
        double seconds = seconds(result, result.load.endMicros);
        XYChart latency = chart("Latency per 100 ms, by when records were due", "ms", seconds);
        latency.getStyler().setYAxisLogarithmic(true);
        double low = LOWEST_MILLIS;
        double high = Math.max(10, max(windows.maxMillis)) * LEGEND_ROOM;
        shade(latency, result, low, high);
        line(latency, "max", windows, visible(windows.maxMillis), new Color(190, 60, 60));
        line(latency, "p99", windows, visible(windows.p99Millis), new Color(60, 90, 190));
        line(latency, "p50", windows, visible(windows.p50Millis), new Color(40, 140, 70));
        latency.getStyler().setYAxisMin(low).setYAxisMax(high);

        XYChart throughput = chart("Results per second", "1/s", seconds);
        double highest = Math.max(1, max(windows.throughput)) * 1.2;
        shade(throughput, result, 0, highest);
        line(throughput, "results", windows, windows.throughput, new Color(90, 90, 90));
        throughput.getStyler().setYAxisMin(0.0).setYAxisMax(highest);

        BitmapEncoder.saveBitmap(
                Arrays.asList(latency, throughput), 2, 1, file.toString(), BitmapFormat.PNG);
    }

    /** An empty chart of a time. */
    public static XYChart chart(String title, String unit, double seconds) {
        XYChart chart =
                new XYChartBuilder()
                        .width(WIDTH)
                        .height(HEIGHT)
                        .title(title)
                        .xAxisTitle("seconds since the start of the load")
                        .yAxisTitle(unit)
                        .theme(Styler.ChartTheme.Matlab)
                        .build();
        chart.getStyler().setLegendPosition(Styler.LegendPosition.InsideNW);
        chart.getStyler().setLegendLayout(Styler.LegendLayout.Horizontal);
        chart.getStyler().setXAxisDecimalPattern("0");
        chart.getStyler().setXAxisMin(0.0);
        chart.getStyler().setYAxisDecimalPattern("#,##0.###");
        chart.getStyler().setXAxisMax(seconds);
        chart.getStyler().setLocale(Locale.ROOT);
        return chart;
    }

    private static void shade(XYChart chart, DemoResult result, double low, double high) {
        int number = 1;
        for (RescaleRun run : result.rescales) {
            shade(
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

    /** Colours a time. */
    public static XYSeries shade(
            XYChart chart, String name, double[] seconds, double[] height, Color colour) {
        XYSeries area =
                chart.addSeries(
                        name,
                        new double[] {seconds[0], seconds[0], seconds[1], seconds[1]},
                        new double[] {height[0], height[1], height[1], height[0]});
        area.setXYSeriesRenderStyle(XYSeries.XYSeriesRenderStyle.PolygonArea);
        area.setFillColor(colour);
        area.setLineColor(colour);
        area.setMarker(SeriesMarkers.NONE);
        return area;
    }

    /** Adds a line; nothing if there are no values. */
    static void line(
            XYChart chart, String name, LatencyWindows windows, double[] values, Color color) {
        if (values.length == 0) {
            return;
        }
        XYSeries series = chart.addSeries(name, windows.seconds, values);
        series.setMarker(SeriesMarkers.NONE);
        series.setLineColor(color);
        series.setLineWidth(1.2f);
    }

    /** A logarithmic axis has no zero. */
    public static double[] visible(double[] millis) {
        return Arrays.stream(millis).map(value -> Math.max(value, LOWEST_MILLIS)).toArray();
    }

    private static double seconds(DemoResult result, long micros) {
        return (micros - result.load.startMicros) / 1e6;
    }

    public static double max(double[] values) {
        return Arrays.stream(values).filter(value -> !Double.isNaN(value)).max().orElse(0);
    }
}
