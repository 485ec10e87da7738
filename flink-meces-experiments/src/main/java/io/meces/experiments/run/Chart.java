// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.run;

import io.meces.experiments.measure.LatencyWindows;
import java.awt.Color;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * A chart of what happened over time: lines, and times that are shaded over all of its height. It
 * is as high as its lines, and has room for the legend. Needs no display.
 */
public final class Chart {
    /** Of a picture, in pixels. */
    public static final int WIDTH = 1_200;

    /** Of a picture, in pixels. */
    public static final int HEIGHT = 420;

    public static final Color RED = new Color(190, 60, 60);
    public static final Color BLUE = new Color(60, 90, 190);
    public static final Color GREEN = new Color(40, 140, 70);
    public static final Color GREY = new Color(90, 90, 90);
    public static final Color RESCALE = new Color(255, 170, 0, 70);
    private static final String TIME = "seconds since the start of the load";

    private final XYChart chart;
    private final boolean logarithmic;
    private final double low;
    private final double leastHigh;
    private final List<Line> lines = new ArrayList<>();
    private final List<Shade> shades = new ArrayList<>();

    private Chart(
            String title,
            String unit,
            String xTitle,
            double[] range,
            boolean logarithmic,
            double low,
            double leastHigh) {
        this.logarithmic = logarithmic;
        this.low = low;
        this.leastHigh = leastHigh;
        this.chart =
                new XYChartBuilder()
                        .width(WIDTH)
                        .height(HEIGHT)
                        .title(title)
                        .xAxisTitle(xTitle)
                        .yAxisTitle(unit)
                        .theme(Styler.ChartTheme.Matlab)
                        .build();
        chart.getStyler()
                .setLegendPosition(Styler.LegendPosition.InsideNW)
                .setLegendLayout(Styler.LegendLayout.Horizontal);
        chart.getStyler().setYAxisLogarithmic(logarithmic);
        chart.getStyler().setXAxisMin(range[0]).setXAxisMax(range[1]);
        chart.getStyler().setXAxisDecimalPattern(range[1] > 1 ? "0" : "0.###");
        chart.getStyler().setYAxisDecimalPattern("#,##0.###");
        chart.getStyler().setLocale(Locale.ROOT);
    }

    /** A chart from 0 up, of the load. */
    public static Chart linear(String title, String unit, double seconds) {
        return linear(title, unit, TIME, 0, seconds);
    }

    /** A chart from 0 up. */
    public static Chart linear(String title, String unit, String xTitle, double from, double to) {
        return new Chart(title, unit, xTitle, new double[] {from, to}, false, 0, 1);
    }

    /** A chart of ms, on a logarithmic axis. */
    public static Chart logarithmic(
            String title, String xTitle, double from, double to, double lowestMillis) {
        return new Chart(title, "ms", xTitle, new double[] {from, to}, true, lowestMillis, 10);
    }

    /** The latency of a load. */
    public static Chart latency(LatencyWindows windows, double seconds) {
        return logarithmic("Latency per 100 ms, by when records were due", TIME, 0, seconds, 0.5)
                .line("max", windows.seconds, windows.maxMillis, RED)
                .line("p99", windows.seconds, windows.p99Millis, BLUE)
                .line("p50", windows.seconds, windows.p50Millis, GREEN);
    }

    /** Adds a line. */
    public Chart line(String name, double[] x, double[] y, Color colour) {
        lines.add(new Line(name, x, y, colour, false));
        return this;
    }

    /** Adds a line that rises and falls at once. */
    public Chart steps(String name, double[] x, double[] y, Color colour) {
        lines.add(new Line(name, x, y, colour, true));
        return this;
    }

    /** Colours a time. */
    public Chart shade(String name, double from, double to, Color colour, boolean inLegend) {
        shades.add(new Shade(name, from, to, colour, inLegend));
        return this;
    }

    /** Writes charts, one below the other, as a PNG. */
    public static void save(Path file, List<Chart> charts) throws IOException {
        BitmapEncoder.saveBitmap(
                charts.stream().map(Chart::build).collect(Collectors.toList()),
                charts.size(),
                1,
                file.toString(),
                BitmapFormat.PNG);
    }

    private XYChart build() {
        double high = leastHigh;
        for (Line line : lines) {
            high = Math.max(high, max(line.y));
        }
        high *= logarithmic ? 3 : 1.2;
        for (Shade shade : shades) {
            shade.addTo(chart, low, high);
        }
        for (Line line : lines) {
            line.addTo(chart, low);
        }
        chart.getStyler().setYAxisMin(low).setYAxisMax(high);
        return chart;
    }

    /** The highest value that is a number; 0 if there is none. */
    public static double max(double[] values) {
        return Arrays.stream(values).filter(value -> !Double.isNaN(value)).max().orElse(0);
    }

    private static final class Line {
        private final String name;
        private final double[] x;
        private final double[] y;
        private final Color colour;
        private final boolean steps;

        private Line(String name, double[] x, double[] y, Color colour, boolean steps) {
            this.name = name;
            this.x = x;
            this.y = y;
            this.colour = colour;
            this.steps = steps;
        }

        /** Nothing if there are no values. A logarithmic axis has no zero. */
        private void addTo(XYChart chart, double low) {
            if (Arrays.stream(y).allMatch(Double::isNaN)) {
                return;
            }
            XYSeries series =
                    chart.addSeries(
                            name, x, Arrays.stream(y).map(value -> Math.max(value, low)).toArray());
            series.setMarker(isSparse() ? SeriesMarkers.CIRCLE : SeriesMarkers.NONE);
            series.setMarkerColor(colour);
            series.setLineColor(colour);
            series.setLineWidth(1.2f);
            if (steps) {
                series.setXYSeriesRenderStyle(XYSeries.XYSeriesRenderStyle.Step);
            }
        }

        /** Whether some value stands alone, so that no line leads to it: of windows, maybe. */
        private boolean isSparse() {
            for (int i = 0; i < y.length; i++) {
                if (!Double.isNaN(y[i])
                        && (i == 0 || Double.isNaN(y[i - 1]))
                        && (i == y.length - 1 || Double.isNaN(y[i + 1]))) {
                    return true;
                }
            }
            return false;
        }
    }

    private static final class Shade {
        private final String name;
        private final double from;
        private final double to;
        private final Color colour;
        private final boolean inLegend;

        private Shade(String name, double from, double to, Color colour, boolean inLegend) {
            this.name = name;
            this.from = from;
            this.to = to;
            this.colour = colour;
            this.inLegend = inLegend;
        }

        private void addTo(XYChart chart, double low, double high) {
            XYSeries area =
                    chart.addSeries(
                            name,
                            new double[] {from, from, to, to},
                            new double[] {low, high, high, low});
            area.setXYSeriesRenderStyle(XYSeries.XYSeriesRenderStyle.PolygonArea);
            area.setFillColor(colour);
            area.setLineColor(colour);
            area.setMarker(SeriesMarkers.NONE);
            area.setShowInLegend(inLegend);
        }
    }
}
