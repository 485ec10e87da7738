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
