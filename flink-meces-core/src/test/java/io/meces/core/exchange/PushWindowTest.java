// SPDX-License-Identifier: Apache-2.0
package io.meces.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PushWindowTest {

    private static final long START = Long.MAX_VALUE - 5;

    @Test
    void isSmallWhileRecordsWaitForStateAndForAWhileAfter() {
        PushWindow window = new PushWindow(1_000, 100);
        assertThat(window.bytes(START)).isEqualTo(1_000);
        window.onDemand(START);
        assertThat(window.bytes(START)).isEqualTo(100);
        // the clock overflows in between
        window.onDemand(START + 10);
        assertThat(window.bytes(START + PushWindow.CALM_NANOS + 9)).isEqualTo(100);
        assertThat(window.bytes(START + PushWindow.CALM_NANOS + 10)).isEqualTo(1_000);
    }

    @Test
    void isNeverLargerThanUsual() {
        PushWindow window = new PushWindow(1_000, 2_000);
        window.onDemand(0);
        assertThat(window.bytes(0)).isEqualTo(1_000);
    }
}
