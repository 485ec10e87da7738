// SPDX-License-Identifier: Apache-2.0
package io.meces.core.eventtime;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class WatermarkCapTest {

    private final WatermarkCap cap = new WatermarkCap();

    @Test
    void letsWatermarksThroughAtRest() {
        assertThat(cap.admit(5)).isTrue();
        assertThat(cap.emitted()).isEqualTo(5);
        assertThat(cap.emitted()).isEqualTo(5);
    }

    @Test
    void holdsThemBackWhenClosed() {
        cap.admit(5);
        cap.close();
        assertThat(cap.admit(9)).isFalse();
        assertThat(cap.emitted()).isEqualTo(5);
    }

    @Test
    void emitsTheBoundWhenTheWatermarkIsBeyondIt() {
        cap.admit(5);
        cap.close();
        cap.admit(9);
        assertThat(cap.raise(7)).isTrue();
        assertThat(cap.emitted()).isEqualTo(7);
        assertThat(cap.raise(8)).isTrue();
        assertThat(cap.emitted()).isEqualTo(8);
    }

    @Test
    void emitsWhatWaitedWhenItIsOpened() {
        cap.close();
        cap.admit(9);
        cap.admit(12);
        assertThat(cap.raise(Long.MAX_VALUE)).isTrue();
        assertThat(cap.emitted()).isEqualTo(12);
        assertThat(cap.raise(Long.MAX_VALUE)).isFalse();
    }

    @Test
    void tellsWhatHasComeWhetherItIsHeldBackOrNot() {
        assertThat(cap.come()).isEqualTo(Long.MIN_VALUE);
        cap.admit(5);
        assertThat(cap.come()).isEqualTo(5);
        cap.close();
        cap.admit(9);
        assertThat(cap.come()).isEqualTo(9);
        cap.raise(7);
        assertThat(cap.come()).isEqualTo(9);
        assertThat(cap.emitted()).isEqualTo(7);
    }

    @Test
    void neverLowersTheBound() {
        cap.admit(5);
        assertThat(cap.raise(1)).isFalse();
        assertThat(cap.admit(6)).isTrue();
        assertThat(cap.emitted()).isEqualTo(6);
    }

    @Test
    void isOpenUnlessItIsClosed() {
        assertThat(cap.isOpen()).isTrue();
        cap.close();
        assertThat(cap.isOpen()).isFalse();
        cap.raise(7);
        assertThat(cap.isOpen()).isFalse();
        cap.raise(Long.MAX_VALUE);
        assertThat(cap.isOpen()).isTrue();
    }

    @Test
    void isOpenAtTheEndOfTime() {
        cap.admit(Long.MAX_VALUE);
        cap.close();
        assertThat(cap.isOpen()).isTrue();
    }
}
