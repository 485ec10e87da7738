// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

/** How far behind a job was, and how long to wait for the rest. */
class BacklogTest {
    private static final long SECOND = 1_000_000L;
    private static final long START = 100 * SECOND;

    @Test
    void aJobThatKeepsUpIsNotBehind() {
        Samples samples = new Samples();
        for (int millis = 0; millis < 10_000; millis++) {
            samples.add(START + millis * 1_000L, START / 1_000 + millis + 9);
        }

        Backlog backlog = Backlog.at(samples, START + 5 * SECOND);

        assertThat(backlog.records).isEqualTo(9);
        assertThat(backlog.behindMillis()).isCloseTo(10, within(0.1));
        assertThat(backlog.isOverload()).isFalse();
    }

    @Test
    void aJobAtHalfTheRateFallsBehind() {
        Samples samples = new Samples();
        for (int millis = 0; millis < 10_000; millis++) {
            samples.add(START + millis * 1_000L, START / 1_000 + millis * 2);
        }

        Backlog backlog = Backlog.at(samples, START + 6 * SECOND);

        assertThat(backlog.records).isEqualTo(3_000);
        assertThat(backlog.behindMillis()).isCloseTo(2_750, within(5.0));
        assertThat(backlog.isOverload()).isTrue();
    }

    @Test
    void aJobThatStandsIsBehindByTheAgeOfTheOldestRecord() {
        Samples samples = new Samples();
        samples.add(START, START / 1_000 + 1);
        samples.add(START + 2 * SECOND, START / 1_000 + 9_000);
        samples.add(START + 3 * SECOND, START / 1_000 + 9_000);
        samples.add(START + 6 * SECOND, START / 1_000 + 9_000);

        Backlog backlog = Backlog.at(samples, START + 5 * SECOND);

        assertThat(backlog.records).isEqualTo(2);
        assertThat(backlog.behindMicros).isEqualTo(3 * SECOND);
    }

    @Test
    void nothingDueIsNothingBehind() {
        assertThat(Backlog.at(new Samples(), START).behindMicros).isZero();
        assertThat(Backlog.at(new Samples(), START).records).isZero();
    }
}
