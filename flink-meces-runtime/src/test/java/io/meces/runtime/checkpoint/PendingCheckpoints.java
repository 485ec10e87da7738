// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.checkpoint;

import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.checkpoint.CheckpointProperties;
import org.apache.flink.runtime.checkpoint.CheckpointRetentionPolicy;
import org.apache.flink.runtime.checkpoint.CompletedCheckpoint;
import org.apache.flink.runtime.checkpoint.PendingCheckpoint;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.executiongraph.ExecutionVertex;
import org.apache.flink.runtime.state.CheckpointMetadataOutputStream;
import org.apache.flink.runtime.state.CompletedCheckpointStorageLocation;
import org.apache.flink.runtime.state.memory.NonPersistentMetadataCheckpointStorageLocation;

/** Checkpoints on their way, without a coordinator. */
final class PendingCheckpoints {

    private PendingCheckpoints() {}

    static PendingCheckpoint waitingFor(long id, ExecutionAttemptID... tasks) throws Exception {
        Map<ExecutionAttemptID, ExecutionVertex> awaited = new HashMap<>();
        for (ExecutionAttemptID task : tasks) {
            awaited.put(task, null);
        }
        return new PendingCheckpoint(
                new JobID(),
                id,
                0,
                awaited,
                Collections.emptyList(),
                Collections.emptyList(),
                CheckpointProperties.forCheckpoint(
                        CheckpointRetentionPolicy.NEVER_RETAIN_AFTER_TERMINATION),
                new NonPersistentMetadataCheckpointStorageLocation(1_000),
                new CompletableFuture<>());
    }

    /** It has got all that it waits for. */
    static CompletedCheckpoint complete(PendingCheckpoint pending) throws Exception {
        CompletedCheckpointStorageLocation location;
        try (CheckpointMetadataOutputStream out =
                pending.getCheckpointStorageLocation().createMetadataOutputStream()) {
            location = out.closeAndFinalizeCheckpoint();
        }
        CompletedCheckpoint completed =
                new CompletedCheckpoint(
                        pending.getJobId(),
                        pending.getCheckpointID(),
                        0,
                        1,
                        Collections.emptyMap(),
                        Collections.emptyList(),
                        CheckpointProperties.forCheckpoint(
                                CheckpointRetentionPolicy.NEVER_RETAIN_AFTER_TERMINATION),
                        location);
        pending.getCompletionFuture().complete(completed);
        return completed;
    }
}
