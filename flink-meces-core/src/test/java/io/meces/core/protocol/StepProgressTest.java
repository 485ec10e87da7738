// SPDX-License-Identifier: Apache-2.0
package io.meces.core.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StepProgressTest {
    private static final long SECOND = 1_000_000_000;

    private final List<Long> reports = new ArrayList<>();
    private long nanos = Long.MAX_VALUE - SECOND / 2;
    private long done = 7;

    private final StepProgress progress =
            new StepProgress(() -> nanos, () -> done, () -> reports.add(done));

    @Test
    void whatIsDoneIsReportedEverySecond() {
        progress.startStep();
        done++;
        progress.tell();
        assertThat(reports).as("at once").isEmpty();
        nanos += SECOND;
        progress.tell();
        done++;
        progress.tell();
        assertThat(reports).containsExactly(8L);
        nanos += SECOND;
        progress.tell();
        assertThat(reports).containsExactly(8L, 9L);
    }

    @Test
    void nothingIsReportedWhereNothingIsDone() {
        progress.startStep();
        nanos += 10 * SECOND;
        progress.tell();
        assertThat(reports).isEmpty();
        done++;
        progress.tell();
        nanos += 10 * SECOND;
        progress.tell();
        assertThat(reports).containsExactly(8L);
    }

    @Test
    void whatWasDoneBeforeAStepDoesNotCount() {
        done++;
        progress.startStep();
        nanos += 10 * SECOND;
        progress.tell();
        assertThat(reports).isEmpty();
    }
}
