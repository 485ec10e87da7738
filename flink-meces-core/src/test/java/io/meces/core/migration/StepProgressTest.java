/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.core.migration;

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
