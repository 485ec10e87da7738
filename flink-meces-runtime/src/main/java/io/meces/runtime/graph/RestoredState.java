// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.graph;

import java.util.Collections;
import java.util.Map;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.StateBackend;

/** What a job will be restored from. Belongs to the thread that makes the job's scheduler. */
@FunctionalInterface
public interface RestoredState {

    /** That of a job that begins anew. */
    RestoredState NONE = backend -> Collections.emptyMap();

    /**
     * The max parallelism of each operator that is in it; empty if there is nothing to restore, or
     * if that cannot be told.
     *
     * @param backend knows where savepoints are
     * @throws Exception if the checkpoints of an earlier JobManager cannot be read
     */
    Map<OperatorID, Integer> maxParallelisms(StateBackend backend) throws Exception;

    /**
     * Whether the job goes on from a checkpoint of an earlier JobManager that has records in
     * flight, as an unaligned one may have.
     *
     * @throws Exception if the checkpoints of an earlier JobManager cannot be read
     */
    default boolean hasRecordsInFlight() throws Exception {
        return false;
    }

    /**
     * The parallelism that vertices had under an earlier JobManager, and will have again; without
     * those that were never rescaled.
     *
     * @throws Exception if the checkpoints of an earlier JobManager cannot be read
     */
    default Map<JobVertexID, Integer> parallelisms() throws Exception {
        return Collections.emptyMap();
    }
}
