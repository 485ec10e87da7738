// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.soak;

import com.fasterxml.jackson.databind.JsonNode;

/** How long a job is without a completed checkpoint. Not thread-safe. */
final class CheckpointWatch {
    private long lastMillis;
    private long longestMillis;

    /** Counts from now. */
    void begin(long nowMillis) {
        lastMillis = nowMillis;
    }

    /**
     * Takes what the JobManager says, which remembers the last ten. The time until now counts as
     * one without a checkpoint.
     */
    void take(JsonNode checkpoints, long nowMillis) {
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
}
