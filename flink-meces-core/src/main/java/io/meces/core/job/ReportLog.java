// SPDX-License-Identifier: Apache-2.0
package io.meces.core.job;

import io.meces.core.command.NumberedReports;
import io.meces.core.command.TaskReport;
import io.meces.core.id.AttemptId;
import io.meces.core.id.VertexId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How many reports of each subtask have been heard. What was not confirmed in time is sent again,
 * and a former transmission may come late. Owned by the JobMaster's main thread.
 */
public final class ReportLog {

    private final Map<VertexId, Map<Integer, Heard>> vertices = new HashMap<>();

    /** The reports that have not come before, which are then known. */
    public List<TaskReport> takeNew(
            VertexId vertex, int subtask, AttemptId attempt, NumberedReports numbered) {
        Map<Integer, Heard> subtasks = vertices.computeIfAbsent(vertex, v -> new HashMap<>());
        Heard heard = subtasks.get(subtask);
        if (heard == null || !heard.attempt.equals(attempt)) {
            heard = new Heard(attempt);
            subtasks.put(subtask, heard);
        }
        List<TaskReport> reports = numbered.reports();
        long end = numbered.first + reports.size();
        long known = Math.min(Math.max(heard.next - numbered.first, 0), reports.size());
        heard.next = Math.max(heard.next, end);
        return reports.subList((int) known, reports.size());
    }

    private static final class Heard {
        final AttemptId attempt;
        long next;

        Heard(AttemptId attempt) {
            this.attempt = attempt;
        }
    }
}
