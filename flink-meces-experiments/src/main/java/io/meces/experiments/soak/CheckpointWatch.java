// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.soak;

import com.fasterxml.jackson.databind.JsonNode;
import io.meces.experiments.cluster.FlinkClient;
import java.io.IOException;

/** Follows the checkpoints of a job. Not thread-safe. */
final class CheckpointWatch {
    private final FlinkClient client;
    private final String jobId;
    private long lastMillis;
    private long longestMillis;
    private long completed;
    private long failed;

    /** A watch that begins now. */
    CheckpointWatch(FlinkClient client, String jobId, long nowMillis) {
        this.client = client;
        this.jobId = jobId;
        this.lastMillis = nowMillis;
    }

    /**
     * Asks the JobManager, which remembers the last ten. The time until now counts as one without a
     * checkpoint.
     */
    void look(long nowMillis) throws IOException {
        take(client.checkpoints(jobId), nowMillis);
    }

    /** Takes what the JobManager says. */
    void take(JsonNode checkpoints, long nowMillis) {
        JsonNode counts = checkpoints.path("counts");
        completed = Math.max(completed, counts.path("completed").asLong());
        failed = Math.max(failed, counts.path("failed").asLong());
        // the newest come first
        JsonNode history = checkpoints.path("history");
        for (int i = history.size() - 1; i >= 0; i--) {
            JsonNode checkpoint = history.path(i);
            long end = checkpoint.path("latest_ack_timestamp").asLong();
            if ("COMPLETED".equals(checkpoint.path("status").asText()) && end > lastMillis) {
                longestMillis = Math.max(longestMillis, end - lastMillis);
                lastMillis = end;
            }
        }
        longestMillis = Math.max(longestMillis, nowMillis - lastMillis);
    }

    /** The longest time between two completed ones, in ms. */
    long longestMillis() {
        return longestMillis;
    }

    long completed() {
        return completed;
    }

    long failed() {
        return failed;
    }
}
