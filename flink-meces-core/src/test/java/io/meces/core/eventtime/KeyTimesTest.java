// SPDX-License-Identifier: Apache-2.0
package io.meces.core.eventtime;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class KeyTimesTest {

    private final KeyTimes times = new KeyTimes(4);

    @Test
    void isTheWatermarkAtRest() {
        assertThat(times.of(0)).isEqualTo(Long.MIN_VALUE);
        times.onWatermark(10);
        times.come(1, 10);
        times.come(2, Long.MIN_VALUE);
        assertThat(times.isWatermarkForAll()).isTrue();
        assertThat(times.of(0)).isEqualTo(10);
        assertThat(times.of(1)).isEqualTo(10);
    }

    @Test
    void doesNotGoBackForKeysThatCome() {
        times.onWatermark(10);
        times.come(1, 25);
        times.come(2, 17);
        assertThat(times.isWatermarkForAll()).isFalse();
        assertThat(times.of(1)).isEqualTo(25);
        assertThat(times.of(2)).isEqualTo(17);
        assertThat(times.of(0)).as("a key that was here").isEqualTo(10);
        assertThat(times.of(-1)).as("no key").isEqualTo(10);
        times.onWatermark(20);
        assertThat(times.of(1)).isEqualTo(25);
        assertThat(times.of(2)).isEqualTo(20);
        times.onWatermark(24);
        assertThat(times.of(1)).isEqualTo(25);
    }

    @Test
    void keepsNothingThatTheWatermarkHasPassed() {
        times.come(1, 25);
        times.come(2, 17);
        times.onWatermark(25);
        assertThat(times.isWatermarkForAll()).isTrue();
        assertThat(times.of(1)).isEqualTo(25);
        times.come(3, 26);
        assertThat(times.of(1)).isEqualTo(25);
        assertThat(times.of(2)).isEqualTo(25);
        assertThat(times.of(3)).isEqualTo(26);
    }
}
