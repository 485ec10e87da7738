// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.checkpoint;

import java.util.Arrays;
import javax.annotation.Nullable;
import org.apache.flink.runtime.OperatorIDPair;
import org.apache.flink.runtime.checkpoint.CompletedCheckpoint;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.executiongraph.ExecutionJobVertex;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;

/**
 * How much state each key-group has in a checkpoint. A full snapshot tells: its key-groups follow
 * each other in a file, and the handle has where each begins. An incremental one does not. Has no
 * state.
 */
public final class CheckpointedKeyGroups {

    private CheckpointedKeyGroups() {}

    /**
     * Bytes by key-group, of all operators of a vertex together.
     *
     * @return null if the checkpoint does not tell, or has no keyed state of the vertex
     */
    @Nullable
    public static long[] bytes(CompletedCheckpoint checkpoint, ExecutionJobVertex vertex) {
        long[] bytes = new long[vertex.getMaxParallelism()];
        boolean known = false;
        for (OperatorIDPair pair : vertex.getOperatorIDs()) {
            OperatorState state = checkpoint.getOperatorStates().get(pair.getGeneratedOperatorID());
            if (state == null) {
                continue;
            }
            OperatorState collected =
                    state instanceof ElasticOperatorState
                            ? ((ElasticOperatorState) state).asCollected()
                            : state;
            for (OperatorSubtaskState part : collected.getStates()) {
                for (KeyedStateHandle handle : part.getManagedKeyedState()) {
                    if (!(handle instanceof KeyGroupsStateHandle)) {
                        return null;
                    }
                    add((KeyGroupsStateHandle) handle, bytes);
                    known = true;
                }
            }
        }
        return known ? bytes : null;
    }

    /** Each key-group ends where the next one begins, be it one of another slice of the file. */
    static void add(KeyGroupsStateHandle handle, long[] bytes) {
        long[] starts = KeyGroupSlices.starts(handle);
        long end = handle.getDelegateStateHandle().getStateSize();
        for (int keyGroup : handle.getKeyGroupRange()) {
            long start = handle.getOffsetForKeyGroup(keyGroup);
            if (start > 0 && keyGroup < bytes.length) {
                int next = Arrays.binarySearch(starts, start) + 1;
                bytes[keyGroup] += Math.max(0, (next < starts.length ? starts[next] : end) - start);
            }
        }
    }
}
