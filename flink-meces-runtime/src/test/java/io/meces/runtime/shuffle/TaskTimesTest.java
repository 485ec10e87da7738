// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.shuffle;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TaskTimesTest {

    private long millis;
    private final TaskTimes times = new TaskTimes(() -> TimeUnit.MILLISECONDS.toNanos(millis));

    private void update() {
        times.idle().update();
        times.backPressured().update();
    }

    @Test
    void aTaskThatNeverWaitsIsBusyAllTheTime() {
        millis = 5_000;
        update();
        assertThat(times.busy()).isEqualTo(1_000);
        assertThat(times.backPressured().perSecond()).isZero();
    }

    @Test
    void whatItDoesNotWaitItIsBusy() {
        times.idle().start();
        millis = 1_000;
        times.idle().stop();
        times.backPressured().start();
        millis = 3_000;
        assertThat(times.backPressured().stop()).isEqualTo(TimeUnit.SECONDS.toNanos(2));
        millis = 5_000;
        update();
        assertThat(times.idle().perSecond()).isEqualTo(200);
        assertThat(times.backPressured().perSecond()).isEqualTo(400);
        assertThat(times.busy()).isEqualTo(400);
        millis = 6_000;
        times.idle().start();
        millis = 6_500;
        assertThat(times.idle().totalNanos()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(1_500));
        assertThat(times.busyNanos()).isEqualTo(TimeUnit.SECONDS.toNanos(3));
    }

    @Test
    void aWaitIsSharedByThePeriodsThatItIsIn() {
        millis = 4_000;
        times.idle().start();
        millis = 5_000;
        update();
        assertThat(times.idle().perSecond()).isEqualTo(200);
        millis = 10_000;
        update();
        assertThat(times.idle().perSecond()).isEqualTo(1_000);
        assertThat(times.busy()).isZero();
        millis = 12_500;
        assertThat(times.idle().stop()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(8_500));
        millis = 15_000;
        update();
        assertThat(times.idle().perSecond()).isEqualTo(500);
    }

    @Test
    void aSecondStartOrStopHasNoEffect() {
        times.idle().start();
        millis = 1_000;
        times.idle().start();
        millis = 2_000;
        times.idle().stop();
        assertThat(times.idle().stop()).isZero();
        millis = 4_000;
        update();
        assertThat(times.idle().perSecond()).isEqualTo(500);
    }
}
