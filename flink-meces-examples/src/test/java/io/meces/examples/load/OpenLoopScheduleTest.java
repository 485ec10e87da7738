// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When records are due. */
class OpenLoopScheduleTest {
    private static final long START = 1_700_000_000_000_000L;

    @Test
    void recordsAreEvenlySpaced() {
        OpenLoopSchedule schedule = new OpenLoopSchedule(START, 4);

        assertThat(schedule.dueMicros(0)).isEqualTo(START);
        assertThat(schedule.dueMicros(1)).isEqualTo(START + 250_000);
        assertThat(schedule.dueMicros(9)).isEqualTo(START + 2_250_000);
    }

    @Test
    void nothingIsDueBeforeTheStart() {
        assertThat(new OpenLoopSchedule(START, 10).dueAt(START - 1)).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 7, 999, 5_000, 333_333, 1_000_000})
    void exactlyTheDueRecordsAreDue(int rate) {
        OpenLoopSchedule schedule = new OpenLoopSchedule(START, rate);
        for (long now = START; now < START + 3_000_000; now += 12_347) {
            long due = schedule.dueAt(now);

            assertThat(schedule.dueMicros(due - 1)).isLessThanOrEqualTo(now);
            assertThat(schedule.dueMicros(due)).isGreaterThan(now);
        }
    }

    @Test
    void aStallMakesUpForNothing() {
        OpenLoopSchedule schedule = new OpenLoopSchedule(START, 100);

        // After 10 s without sending 1,000 records are overdue, each still with its own time.
        assertThat(schedule.dueAt(START + 9_999_999)).isEqualTo(1_000);
        assertThat(schedule.dueMicros(500)).isEqualTo(START + 5_000_000);
    }

    @Test
    void aRateThatIsNotPositiveIsRejected() {
        assertThatThrownBy(() -> new OpenLoopSchedule(START, 0))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
