// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which record counts to which phase, and what the longest gap is. */
class LatencyAnalysisTest {
    private static final long SECOND = 1_000_000L;
    private static final Interval LOAD = new Interval(100 * SECOND, 110 * SECOND);
    private static final Interval RESCALE = new Interval(104 * SECOND, 106 * SECOND);
    private static final List<Interval> RESCALES = Collections.singletonList(RESCALE);

    @Test
    void recordsCountToThePhaseInWhichTheyWereDue() {
        Samples samples = new Samples();
        add(samples, 99, 5_000); // before the load
        add(samples, 101, 3_000); // warm-up
        add(samples, 103, 9); // steady
        add(samples, 104, 99);
        add(samples, 105, 1_999); // due within the rescale, there long after
        add(samples, 106, 19); // the end is not in it
        LatencyAnalysis analysis = new LatencyAnalysis(samples, LOAD);

        LatencyStatistics steady = analysis.outside(RESCALES, 102 * SECOND);
        LatencyStatistics rescale = analysis.within(RESCALES);

        assertThat(steady.records).isEqualTo(2);
        assertThat(steady.max).isCloseTo(20, within(0.1));
        assertThat(rescale.records).isEqualTo(2);
        assertThat(rescale.p50).isCloseTo(100, within(0.2));
        assertThat(rescale.max).isCloseTo(2_000, within(2.0));
        assertThat(analysis.all().records).isEqualTo(5);
    }

    @Test
    void aLatencyIsNeverUnderstated() {
        Samples samples = new Samples();
        samples.add(7_999, 7);

        assertThat(samples.latencyMicros(0)).isEqualTo(1);
    }

    @Test
    void samplesGrow() {
        Samples samples = new Samples();
        for (int i = 0; i < 200_000; i++) {
            samples.add(i * 1_000L, i + 4);
        }

        assertThat(samples.size()).isEqualTo(200_000);
        assertThat(samples.latencyMicros(199_999)).isEqualTo(5_000);
        assertThat(samples.sortedDoneMicros()).isSorted().hasSize(200_000);
    }

    @Test
    void aGapCountsToTheRescaleThatItOverlaps() {
        Samples samples = new Samples();
        for (long millis = 100_000; millis < 110_000; millis += 100) {
            boolean steadyGap = millis > 107_000 && millis < 107_500;
            boolean rescaleGap = millis > 103_500 && millis < 104_300;
            if (!steadyGap && !rescaleGap) {
                samples.add(millis * 1_000, millis);
            }
        }
        LatencyAnalysis analysis = new LatencyAnalysis(samples, LOAD);

        assertThat(analysis.all().longestGap).isEqualTo(800);
        assertThat(analysis.within(RESCALES).longestGap).isEqualTo(800);
        assertThat(analysis.outside(RESCALES, LOAD.startMicros).longestGap).isEqualTo(500);
        assertThat(analysis.outside(RESCALES, 108 * SECOND).longestGap).isEqualTo(100);
    }

    @Test
    void silenceAtTheEndOfTheLoadIsAGap() {
        Samples samples = new Samples();
        samples.add(100 * SECOND, 100_999);
        samples.add(100 * SECOND, 130_000);

        LatencyStatistics all = new LatencyAnalysis(samples, LOAD).all();

        assertThat(all.longestGap).isEqualTo(9_000);
    }

    @Test
    void windowsHoldWhatWasDueInThem() {
        Samples samples = new Samples();
        for (int i = 0; i < 100; i++) {
            samples.add(LOAD.startMicros + i * 1_000, 100_000 + i + (i == 42 ? 400 : 9));
        }

        LatencyWindows windows = new LatencyWindows(samples, LOAD);

        assertThat(windows.seconds).hasSize(100);
        assertThat(windows.p50Millis[0]).isCloseTo(10, within(0.1));
        assertThat(windows.maxMillis[0]).isCloseTo(401, within(0.5));
        assertThat(windows.maxMillis[1]).isNaN();
        assertThat(windows.throughput[0]).isEqualTo(890);
        assertThat(windows.throughput[1]).isEqualTo(100);
        assertThat(windows.throughput[4]).isEqualTo(10);
    }

    private static void add(Samples samples, long dueSecond, long latencyMillis) {
        samples.add(dueSecond * SECOND, dueSecond * 1_000 + latencyMillis);
    }
}
