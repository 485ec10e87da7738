// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class KeyGroupRatesTest {

    private static final long SECOND = 1_000_000_000L;

    private final KeyGroupRates rates = new KeyGroupRates(2, 0);

    @Test
    void anEvenRateIsLearnedAtOnceWithItsShare() {
        rates.sample(keyGroup -> keyGroup == 0 ? 300 : 0, 3 * SECOND);
        assertThat(rates.perSecond(0) / rates.share()).isCloseTo(100, within(1e-6));
        assertThat(rates.perSecond(1)).isZero();
        rates.sample(keyGroup -> keyGroup == 0 ? 2_000 : 0, 20 * SECOND);
        assertThat(rates.perSecond(0) / rates.share()).isCloseTo(100, within(1e-6));
        assertThat(rates.share()).isBetween(0.7, 0.8);
    }

    @Test
    void whatIsRecentCountsMost() {
        rates.sample(keyGroup -> 60_000, 60 * SECOND);
        rates.sample(keyGroup -> 60_000, 120 * SECOND);
        assertThat(rates.perSecond(0)).isBetween(10.0, 20.0);
    }

    @Test
    void ratesOfAKeyGroupThatHasMovedAddUpToTheWhole() {
        KeyGroupRates receiver = new KeyGroupRates(2, 100 * SECOND);
        rates.sample(keyGroup -> 10_000, 100 * SECOND);
        rates.sample(keyGroup -> 10_000, 107 * SECOND);
        receiver.sample(keyGroup -> 700, 107 * SECOND);
        assertThat((rates.perSecond(0) + receiver.perSecond(0)) / rates.share())
                .isCloseTo(100, within(1e-6));
    }

    @Test
    void twoLooksAtTheSameTimeAreOne() {
        rates.sample(keyGroup -> 10, SECOND);
        double once = rates.perSecond(0);
        rates.sample(keyGroup -> 20, SECOND);
        assertThat(rates.perSecond(0)).isEqualTo(once);
    }
}
