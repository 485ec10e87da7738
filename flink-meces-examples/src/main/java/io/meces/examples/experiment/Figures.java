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

package io.meces.examples.experiment;

import io.meces.examples.demo.Interval;
import io.meces.examples.demo.LatencyAnalysis;
import io.meces.examples.demo.LatencyStatistics;
import io.meces.examples.demo.LatencyWindows;
import io.meces.examples.demo.Samples;
import javax.annotation.Nullable;

/** What one kind of latency was before and from the rescale on. */
final class Figures {

    /** Records that were due so shortly before the request may be affected, too. */
    static final long LEAD_MICROS = 200_000L;

    final LatencyStatistics steady;
    final LatencyStatistics rescale;

    /** Latency over time, from the end of the warm-up on. */
    final LatencyWindows windows;

    /**
     * From the request until the p99 of all further 100 ms was below the bound, in ms; 0 if it
     * never was above; null if it was to the end.
     */
    @Nullable final Long recoveryMillis;

    /**
     * The figures of a run.
     *
     * @param samples latencies by when records were due
     * @param measured from the end of the warm-up to the end of the load
     * @param requestMicros when the rescale was asked for
     * @param boundMillis the latency below which the job has recovered
     */
    Figures(Samples samples, Interval measured, long requestMicros, double boundMillis) {
        LatencyAnalysis analysis = new LatencyAnalysis(samples, measured);
        long from = requestMicros - LEAD_MICROS;
        this.steady = analysis.within(new Interval(measured.startMicros, from));
        this.rescale = analysis.within(new Interval(from, measured.endMicros));
        this.windows = new LatencyWindows(samples, measured);
        this.recoveryMillis =
                recovery(windows, (requestMicros - measured.startMicros) / 1e6, boundMillis);
    }

    @Nullable
    private static Long recovery(LatencyWindows windows, double requestSeconds, double bound) {
        double half = LatencyWindows.WINDOW_MICROS / 2e6;
        int last = -1;
        int end = -1;
        for (int i = 0; i < windows.seconds.length; i++) {
            if (Double.isNaN(windows.p99Millis[i])) {
                continue;
            }
            end = i;
            if (windows.seconds[i] + half > requestSeconds && windows.p99Millis[i] > bound) {
                last = i;
            }
        }
        if (last < 0) {
            return 0L;
        }
        return last == end
                ? null
                : Long.valueOf(Math.round((windows.seconds[last] + half - requestSeconds) * 1_000));
    }
}
