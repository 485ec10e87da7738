// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.run;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import io.meces.experiments.cluster.FlinkClient;
import java.io.IOException;
import java.util.List;
import javax.annotation.Nullable;

/** What the JobManager says about restarts and checkpoints of a job. An immutable value. */
public final class JobHealth {
    /** The highest attempt number of a subtask that had no reason to start again: 0 if none did. */
    public final int highestAttempt;

    /** How often Flink has restarted the job; null if the JobManager does not report it. */
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

    /** A job that was not restarted. */
    public static JobHealth of(int checkpointsCompleted, int checkpointsFailed) {
        return new JobHealth(0, 0L, checkpointsCompleted, checkpointsFailed);
    }

    /**
     * Asks the JobManager.
     *
     * @param rescaled how the names of the rescaled vertices begin
     * @param lowest the lowest parallelism that these vertices have had; subtasks beyond may have
     *     been retired and deployed again, which is no restart
     */
    public static JobHealth of(FlinkClient client, String jobId, List<String> rescaled, int lowest)
            throws IOException {
        int highestAttempt = 0;
        for (JsonNode vertex : client.job(jobId).path("vertices")) {
            String name = vertex.path("name").asText();
            boolean elastic = rescaled.stream().anyMatch(name::startsWith);
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

    /**
     * The same with what the states of the job tell: the metric can be as old as the interval at
     * which a JobManager collects them.
     */
    JobHealth withRestartsOf(JsonNode job) {
        boolean restarted = job.path("timestamps").path("RESTARTING").asLong() > 0;
        return restarted && (restarts == null || restarts == 0)
                ? new JobHealth(highestAttempt, 1L, checkpointsCompleted, checkpointsFailed)
                : this;
    }

    @JsonProperty("restarted")
    public boolean wasRestarted() {
        return highestAttempt > 0 || restarts != null && restarts > 0;
    }
}
