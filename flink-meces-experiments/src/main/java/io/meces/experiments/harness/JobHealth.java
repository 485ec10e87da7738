// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.harness;

import com.fasterxml.jackson.databind.JsonNode;
import io.meces.experiments.cluster.FlinkClient;
import java.io.IOException;
import javax.annotation.Nullable;

/** What the JobManager says about restarts and checkpoints of a job. */
public final class JobHealth {

    /** The highest attempt number of a subtask that had no reason to start again: 0 if none did. */
    public final int highestAttempt;

    /** Flink's metric numRestarts; null if the JobManager does not report it. */
    @Nullable public final Long restarts;

    public final int checkpointsCompleted;
    public final int checkpointsFailed;

    private JobHealth(
            int highestAttempt,
            @Nullable Long restarts,
            int checkpointsCompleted,
            int checkpointsFailed) {
        this.highestAttempt = highestAttempt;
        this.restarts = restarts;
        this.checkpointsCompleted = checkpointsCompleted;
        this.checkpointsFailed = checkpointsFailed;
    }

    /**
     * Asks the JobManager.
     *
     * @param client the JobManager
     * @param jobId the job
     * @param rescaled how the name of the rescaled vertex begins
     * @param lowest the lowest parallelism that this vertex has had; subtasks beyond may have been
     *     retired and deployed again, which is no restart
     */
    public static JobHealth of(FlinkClient client, String jobId, String rescaled, int lowest)
            throws IOException {
        int highestAttempt = 0;
        for (JsonNode vertex : client.job(jobId).path("vertices")) {
            boolean elastic = vertex.path("name").asText().startsWith(rescaled);
            JsonNode subtasks = client.vertex(jobId, vertex.path("id").asText()).path("subtasks");
            for (JsonNode subtask : subtasks) {
                if (!elastic || subtask.path("subtask").asInt() < lowest) {
                    highestAttempt = Math.max(highestAttempt, subtask.path("attempt").asInt());
                }
            }
        }
        String restarts = client.metric(jobId, "numRestarts");
        JsonNode checkpoints = client.checkpoints(jobId).path("counts");
        return new JobHealth(
                highestAttempt,
                restarts == null ? null : Long.valueOf(restarts),
                checkpoints.path("completed").asInt(),
                checkpoints.path("failed").asInt());
    }

    public boolean wasRestarted() {
        return highestAttempt > 0 || restarts != null && restarts > 0;
    }
}
