// SPDX-License-Identifier: Apache-2.0
package io.meces.core.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.core.command.NumberedReports;
import io.meces.core.command.TaskReport;
import io.meces.core.id.AttemptId;
import io.meces.core.id.VertexId;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A report counts once, however often it comes. */
class ReportLogTest {

    private final VertexId vertex = VertexId.random();
    private final AttemptId attempt = AttemptId.random();
    private final List<TaskReport> all = new ArrayList<>();
    private final ReportLog log = new ReportLog();

    ReportLogTest() {
        for (int i = 0; i < 5; i++) {
            all.add(new TaskReport.Connected(UUID.randomUUID()));
        }
    }

    @Test
    void takesEachOnce() {
        assertThat(take(0, 1)).isEqualTo(all.subList(0, 1));
        assertThat(take(0, 3)).isEqualTo(all.subList(1, 3));
        assertThat(take(0, 3)).isEmpty();
        assertThat(take(3, 5)).isEqualTo(all.subList(3, 5));
    }

    @Test
    void takesNothingOfAFormerTransmissionThatComesLate() {
        assertThat(take(0, 4)).hasSize(4);
        assertThat(take(0, 2)).isEmpty();
        assertThat(take(2, 5)).isEqualTo(all.subList(4, 5));
    }

    @Test
    void beginsAnewWithANewAttemptAndWithAnotherSubtask() {
        take(0, 3);
        assertThat(log.takeNew(vertex, 0, AttemptId.random(), reports(0, 2))).hasSize(2);
        assertThat(log.takeNew(vertex, 1, attempt, reports(0, 1))).hasSize(1);
    }

    private List<TaskReport> take(int from, int to) {
        return log.takeNew(vertex, 0, attempt, reports(from, to));
    }

    private NumberedReports reports(int from, int to) {
        return new NumberedReports(from, all.subList(from, to));
    }
}
