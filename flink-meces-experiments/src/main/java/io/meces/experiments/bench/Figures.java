// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.bench;

import io.meces.experiments.measure.Interval;
import io.meces.experiments.measure.LatencyAnalysis;
import io.meces.experiments.measure.LatencyStatistics;
import io.meces.experiments.measure.LatencyWindows;
import io.meces.experiments.measure.Samples;
import java.util.Locale;
import javax.annotation.Nullable;

/** What one kind of latency was before a rescale and on account of it. */
final class Figures {

    /** Records that were due so shortly before the request may be affected, too. */
    private static final long LEAD_MICROS = 200_000L;

    /** So long a rescale may have an effect when it has ended. */
    private static final long AFTERMATH_MICROS = 2_000_000L;

    /** A job has recovered when all windows of this time are below the bound. */
    private static final int CALM_WINDOWS = (int) (1_000_000L / LatencyWindows.WINDOW_MICROS);

    final LatencyStatistics steady;
    final LatencyStatistics rescale;

    /** Latency over time, from the end of the warm-up on. */
    final LatencyWindows windows;

    /**
     * From the request until the p99 of each 100 ms was below the bound and stayed there for 1 s,
     * in ms; 0 if it never was above; null if it was to the end.
     */
    @Nullable final Long recoveryMillis;

    /** The time that counts as that of the rescale. */
    final Interval affected;

    /**
     * The figures of a run.
     *
     * @param samples latencies by when records were due
     * @param measured from the end of the warm-up to the end of the load
     * @param rescale from its request to its end
     * @param boundMillis the latency below which the job has recovered
     */
    Figures(Samples samples, Interval measured, Interval rescale, double boundMillis) {
        this.windows = new LatencyWindows(samples, measured);
        int request = window(rescale.startMicros, measured);
        int last = lastAbove(request, window(rescale.endMicros, measured), boundMillis);
        long calm =
                Math.max(
                        rescale.endMicros + AFTERMATH_MICROS,
                        measured.startMicros + (last + 1) * LatencyWindows.WINDOW_MICROS);
        this.affected =
                new Interval(rescale.startMicros - LEAD_MICROS, Math.min(calm, measured.endMicros));
        LatencyAnalysis analysis = new LatencyAnalysis(samples, measured);
        this.steady = analysis.within(new Interval(measured.startMicros, affected.startMicros));
        this.rescale = analysis.within(affected);
        if (last < request) {
            recoveryMillis = 0L;
        } else if (last + CALM_WINDOWS >= windows.seconds.length) {
            recoveryMillis = null;
        } else {
            recoveryMillis =
                    (measured.startMicros
                                    + (last + 1) * LatencyWindows.WINDOW_MICROS
                                    - rescale.startMicros)
                            / 1_000;
        }
    }

    private int window(long micros, Interval measured) {
        long window = (micros - measured.startMicros) / LatencyWindows.WINDOW_MICROS;
        return (int) Math.max(0, Math.min(window, windows.seconds.length - 1));
    }

    /** The last window above the bound before it is calm; that before the request if none is. */
    private int lastAbove(int request, int end, double bound) {
        int last = request - 1;
        for (int i = request; i < windows.seconds.length; i++) {
            if (windows.p99Millis[i] > bound) {
                last = i;
            } else if (i >= Math.max(end, last + CALM_WINDOWS)) {
                break;
            }
        }
        return last;
    }

    /** The highest latency in the rescale and before it, for people. */
    String peaks() {
        return peak(rescale) + " (steady " + peak(steady) + ")";
    }

    /** A query may have no result for some seconds. */
    private static String peak(LatencyStatistics latency) {
        return latency.records == 0 ? "none" : String.format(Locale.ROOT, "%.0f ms", latency.max);
    }
}
