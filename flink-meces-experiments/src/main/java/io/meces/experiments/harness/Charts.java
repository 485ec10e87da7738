// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.harness;

import java.awt.Color;
import java.util.Arrays;
import java.util.Locale;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** What the plots of a run have in common. */
public final class Charts {
    /** Of a picture, in pixels. */
    public static final int WIDTH = 1_200;

    /** Of a picture, in pixels. */
    public static final int HEIGHT = 420;

    public static final double LOWEST_MILLIS = 0.5;

    /** The factor by which the latency axis is longer than it has to be. */
    public static final double LEGEND_ROOM = 3;

    private Charts() {}

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
    public static void line(
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

    /** The highest value that is a number; 0 if there is none. */
    public static double max(double[] values) {
        return Arrays.stream(values).filter(value -> !Double.isNaN(value)).max().orElse(0);
    }
}
