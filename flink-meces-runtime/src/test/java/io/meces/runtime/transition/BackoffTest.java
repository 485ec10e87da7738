// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BackoffTest {

    private static final long MS = 1_000_000L;

    @Test
    void pausesDoubleUpToTheLongest() {
        assertThat(pausesMs(0)).containsExactly(0, 50, 100, 200, 400, 800, 1_000, 1_000);
    }

    @Test
    void chanceShortensAPauseByHalfAtMost() {
        assertThat(pausesMs(0.5)).containsExactly(0, 37, 75, 150, 300, 600, 750, 750);
        assertThat(pausesMs(1)).containsExactly(0, 25, 50, 100, 200, 400, 500, 500);
    }

    @Test
    void manyFailuresDoNotOverflow() {
        Backoff backoff = new Backoff(Duration.ofMillis(50), Duration.ofDays(365), () -> 0);
        assertThat(backoff.pauseNanos(Integer.MAX_VALUE)).isEqualTo(Duration.ofDays(365).toNanos());
    }

    @Test
    void twoWhoFailTogetherDoNotComeBackTogether() {
        Backoff backoff = new Backoff(Duration.ofMillis(50), Duration.ofSeconds(1));
        assertThat(IntStream.range(0, 100).mapToLong(i -> backoff.pauseNanos(6)).distinct())
                .hasSizeGreaterThan(50)
                .allSatisfy(pause -> assertThat(pause).isBetween(500 * MS, 1_000 * MS));
    }

    private static long[] pausesMs(double random) {
        Backoff backoff = new Backoff(Duration.ofMillis(50), Duration.ofSeconds(1), () -> random);
        return IntStream.range(0, 8).mapToLong(i -> backoff.pauseNanos(i) / MS).toArray();
    }
}
