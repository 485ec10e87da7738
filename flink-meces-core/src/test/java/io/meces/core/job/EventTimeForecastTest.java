// SPDX-License-Identifier: Apache-2.0
package io.meces.core.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.core.command.EventTime;
import io.meces.core.id.AttemptId;
import org.junit.jupiter.api.Test;

class EventTimeForecastTest {

    private static final long MS = 1_000_000;
    private static final long NO_TIMER = Long.MAX_VALUE;

    private final AttemptId first = AttemptId.random();
    private final AttemptId second = AttemptId.random();
    private final EventTimeForecast forecast = new EventTimeForecast();

    @Test
    void knowsNothingBeforeAWatermarkHasCome() {
        forecast.observe(first, new EventTime(Long.MIN_VALUE, 5), 10 * MS);
        assertThat(forecast.mayReach(5, 20 * MS, 1_000 * MS)).isFalse();
    }

    @Test
    void aWatermarkGoesOnWithTheClock() {
        forecast.observe(first, new EventTime(1_000, NO_TIMER), 300 * MS);
        // 1,000 at 300 ms, so 1,100 at 400 ms
        assertThat(forecast.mayReach(1_100, 340 * MS, 59 * MS)).isFalse();
        assertThat(forecast.mayReach(1_100, 340 * MS, 60 * MS)).isTrue();
    }

    @Test
    void theWatermarkWithTheLeastDelayCounts() {
        forecast.observe(first, new EventTime(1_000, NO_TIMER), 300 * MS);
        forecast.observe(second, new EventTime(1_020, NO_TIMER), 390 * MS);
        assertThat(forecast.mayReach(1_100, 395 * MS, 4 * MS)).isFalse();
        assertThat(forecast.mayReach(1_100, 395 * MS, 5 * MS)).isTrue();
        forecast.observe(second, new EventTime(1_120, NO_TIMER), 396 * MS);
        assertThat(forecast.mayReach(1_150, 400 * MS, 26 * MS)).isTrue();
    }

    @Test
    void aWatermarkThatIsOverdueMayComeAtAnyTime() {
        forecast.observe(first, new EventTime(1_000, NO_TIMER), 300 * MS);
        assertThat(forecast.mayReach(1_001, 10_000 * MS, 0)).isTrue();
    }

    @Test
    void theEndOfTimeIsNoMeasure() {
        forecast.observe(first, new EventTime(Long.MAX_VALUE, NO_TIMER), 300 * MS);
        assertThat(forecast.mayReach(1_000, 300 * MS, 10 * MS)).isFalse();
    }

    @Test
    void withoutATimerThereIsNothingToReach() {
        forecast.observe(first, new EventTime(1_000, NO_TIMER), 300 * MS);
        assertThat(forecast.nextTimer(1_000)).isEqualTo(NO_TIMER);
        assertThat(forecast.mayReach(NO_TIMER, 300 * MS, Long.MAX_VALUE)).isFalse();
    }

    @Test
    void theNextTimerIsTheFirstOfAllThatHaveNotFired() {
        forecast.observe(first, new EventTime(1_000, 1_200), 300 * MS);
        forecast.observe(second, new EventTime(1_000, 1_100), 300 * MS);
        assertThat(forecast.nextTimer(1_000)).isEqualTo(1_100);
        assertThat(forecast.nextTimer(1_100)).isEqualTo(1_200);
        forecast.observe(second, new EventTime(1_100, 1_150), 400 * MS);
        assertThat(forecast.nextTimer(1_100)).isEqualTo(1_150);
        assertThat(forecast.nextTimer(1_200)).isEqualTo(NO_TIMER);
    }
}
