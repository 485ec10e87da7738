// SPDX-License-Identifier: Apache-2.0
package io.meces.cli.top;

import io.meces.cli.rest.JsonText;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;

/**
 * Makes a line of JSON of a snapshot: what {@code list} tells of a job, its rescales as the REST
 * interface answers, and what Flink measures of each subtask. Stateless.
 */
final class SnapshotJson {

    private SnapshotJson() {}

    static String of(JobSnapshot job) throws IOException {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("id", job.id);
        members.put("name", job.name);
        members.put("state", job.state);
        members.put("elasticity", job.elasticity);
        List<Object> vertices = new ArrayList<>();
        job.vertices.forEach(vertex -> vertices.add(vertex(vertex)));
        members.put("vertices", vertices);
        members.put("rescales", job.rescales);
        return JsonText.of(members);
    }

    private static Map<String, Object> vertex(JobSnapshot.Vertex vertex) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("id", vertex.id);
        members.put("name", vertex.name);
        List<Object> subtasks = new ArrayList<>();
        vertex.subtasks.forEach(subtask -> subtasks.add(subtask(subtask)));
        members.put("subtasks", subtasks);
        return members;
    }

    private static Map<String, Object> subtask(JobSnapshot.Subtask subtask) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("records-in-per-second", known(subtask.recordsIn));
        members.put("records-out-per-second", known(subtask.recordsOut));
        members.put("busy-ms-per-second", known(subtask.busy));
        members.put("parked-records", known(subtask.parked));
        return members;
    }

    /** JSON has no NaN. */
    @Nullable
    private static Double known(double value) {
        return Double.isNaN(value) || Double.isInfinite(value) ? null : value;
    }
}
