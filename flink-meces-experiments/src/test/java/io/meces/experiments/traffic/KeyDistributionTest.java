// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which keys are drawn. */
class KeyDistributionTest {
    private static final int KEYS = 100;
    private static final int DRAWS = 100_000;

    @ParameterizedTest
    @EnumSource
    void onlyTheGivenKeysAreDrawnAndAllOfThem(KeyDistribution distribution) {
        assertThat(draw(distribution, 1)).hasSize(KEYS).doesNotContain(0);
    }

    @ParameterizedTest
    @EnumSource
    void theSeedDecides(KeyDistribution distribution) {
        assertThat(draw(distribution, 1)).isEqualTo(draw(distribution, 1));
        assertThat(draw(distribution, 1)).isNotEqualTo(draw(distribution, 2));
    }

    @Test
    void zipfPrefersFewKeys() {
        int[] uniform = draw(KeyDistribution.UNIFORM, 1);
        int[] zipf = draw(KeyDistribution.ZIPF, 1);

        assertThat(uniform[0]).isBetween(DRAWS / KEYS * 8 / 10, DRAWS / KEYS * 12 / 10);
        // 1 / (1 + 1/2 + ... + 1/100) = 0.193
        assertThat(zipf[0]).isBetween(DRAWS * 18 / 100, DRAWS * 21 / 100);
        assertThat(zipf[1]).isBetween(zipf[0] * 45 / 100, zipf[0] * 55 / 100);
    }

    private static int[] draw(KeyDistribution distribution, long seed) {
        LongSupplier keys = distribution.sampler(KEYS, seed);
        int[] counts = new int[KEYS];
        for (int i = 0; i < DRAWS; i++) {
            counts[(int) keys.getAsLong()]++;
        }
        return counts;
    }
}
