// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.experiments.measure.Interval;
import io.meces.experiments.measure.Samples;
import org.junit.jupiter.api.Test;

class FiguresTest {
    private static final long START = 1_700_000_000_000_000L;
    private static final long SECOND = 1_000_000L;

    private final Samples samples = new Samples();

    @Test
    void whatWasDueBeforeTheRequestIsSteadyAndWhatComesLongAfterIsNeither() {
        latency(0, 5, 10);
        latency(5, 6, 150);
        latency(6, 9, 10);
        latency(9, 10, 300);

        Figures figures = figures(100);

        assertThat(figures.steady.max).isBetween(10.0, 12.0);
        assertThat(figures.rescale.max).isBetween(150.0, 152.0);
        assertThat(figures.recoveryMillis).isEqualTo(1_000);
    }

    @Test
    void aQueryWithoutResultsInTheRescaleHasNoPeakThere() {
        latency(0, 4, 10);

        assertThat(figures(100).peaks()).matches("none \\(steady 1[012] ms\\)");
    }

    @Test
    void aJobThatCatchesUpIsAffectedUntilItIsCalm() {
        latency(0, 5, 10);
        latency(5, 9, 300);
        latency(9, 20, 10);

        Figures figures = figures(100);

        assertThat(figures.recoveryMillis).isEqualTo(4_000);
        assertThat(figures.affected.endMicros).isEqualTo(START + 9 * SECOND);
    }

    @Test
    void aLullBeforeTheEndOfTheRescaleIsNoRecovery() {
        latency(0, 5, 10);
        latency(6, 7, 300);
        latency(7, 20, 10);
        samples.add(START + 5 * SECOND, START / 1_000 + 5_000);

        Figures figures =
                new Figures(
                        samples,
                        new Interval(START, START + 20 * SECOND),
                        new Interval(START + 5 * SECOND, START + 6_500_000),
                        100);

        assertThat(figures.recoveryMillis).isEqualTo(2_000);
    }

    @Test
    void aJobThatNeverWasAboveTheBoundNeedsNoTime() {
        latency(0, 2, 300);
        latency(2, 20, 10);

        assertThat(figures(100).recoveryMillis).isZero();
    }

    @Test
    void aJobThatIsAboveTheBoundToTheEndHasNotRecovered() {
        latency(0, 5, 10);
        latency(5, 20, 300);

        assertThat(figures(100).recoveryMillis).isNull();
    }

    private Figures figures(double bound) {
        return new Figures(
                samples,
                new Interval(START, START + 20 * SECOND),
                new Interval(START + 5 * SECOND, START + 5_400_000),
                bound);
    }

    /** A record each 10 ms that has a latency. */
    private void latency(int fromSecond, int toSecond, long millis) {
        for (long due = START + fromSecond * SECOND;
                due < START + toSecond * SECOND;
                due += 10_000) {
            samples.add(due, due / 1_000 + millis);
        }
    }
}
