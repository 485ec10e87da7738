// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.checkpoint;

import io.meces.core.job.StoredElasticity;
import io.meces.flink.runtime.CheckpointRecovery;
import io.meces.runtime.FlinkIds;
import io.meces.runtime.graph.RestoredState;
import java.io.IOException;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.checkpoint.CheckpointKinds;
import org.apache.flink.runtime.checkpoint.CheckpointRecoveryFactory;
import org.apache.flink.runtime.checkpoint.CompletedCheckpoint;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.runtime.state.StateBackend;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at the checkpoint that Flink is going to restore a job from, before it does. It takes the
 * same one: the latest of the job itself, as after a failover of the JobManager, and only if there
 * is none the savepoint that the job was started with. That one may have been deleted meanwhile.
 *
 * <p>So the metadata of a savepoint are read twice, here and by Flink, which has no hook in
 * between. They may be large. Checkpoints are not: Flink gets the store that they were read into.
 *
 * <p>Belongs to the thread that makes the scheduler.
 */
public final class RestoredCheckpoint extends CheckpointRecovery implements RestoredState {

    private static final Logger LOG = LoggerFactory.getLogger(RestoredCheckpoint.class);

    private final JobGraph job;

    public RestoredCheckpoint(
            JobGraph job,
            Configuration cluster,
            CheckpointRecoveryFactory recovery,
            ClassLoader userCode,
            Executor executor) {
        super(job, cluster, recovery, userCode, executor);
        this.job = job;
    }

    @Override
    public Map<OperatorID, Integer> maxParallelisms(StateBackend backend) throws Exception {
        SavepointRestoreSettings savepoint = job.getSavepointRestoreSettings();
        if (!savepoint.restoreSavepoint() || job.getCheckpointingSettings() == null) {
            // checkpoints of the job itself can only be of the same job graph
            return Collections.emptyMap();
        }
        CompletedCheckpoint latest = latest();
        if (latest != null) {
            return maxParallelisms(latest.getOperatorStates().values());
        }
        try {
            return maxParallelisms(read(savepoint.getRestorePath(), backend));
        } catch (IOException | RuntimeException e) {
            // Flink says so to the user when it cannot read it either
            LOG.warn(
                    "Cannot read the metadata of savepoint {}. Vertices without a max parallelism"
                            + " get the one that Flink derives from their parallelism. If Flink can"
                            + " read the savepoint and its max parallelism does not match, submit"
                            + " the job again.",
                    savepoint.getRestorePath(),
                    e);
            return Collections.emptyMap();
        }
    }

    @Override
    public Map<JobVertexID, Integer> parallelisms() throws Exception {
        if (job.getCheckpointingSettings() == null) {
            return Collections.emptyMap();
        }
        List<CompletedCheckpoint> checkpoints = store().getAllCheckpoints();
        CompletedCheckpoint newest =
                checkpoints.isEmpty() ? null : checkpoints.get(checkpoints.size() - 1);
        StoredElasticity before =
                newest == null || CheckpointKinds.isNamedByUser(newest)
                        ? null
                        : CheckpointGate.storedIn(newest);
        Map<JobVertexID, Integer> parallelisms = new HashMap<>();
        if (before != null) {
            before.parallelisms()
                    .forEach(
                            (vertex, largest) ->
                                    parallelisms.put(FlinkIds.flinks(vertex), largest));
        }
        return parallelisms;
    }

    @Override
    public boolean hasRecordsInFlight() throws Exception {
        CompletedCheckpoint latest = job.getCheckpointingSettings() == null ? null : latest();
        return latest != null && StateRedistribution.hasChannelState(latest);
    }

    /** The job is restored under the assignment that records in flight are of. */
    public void acceptScatteredInFlight() throws Exception {
        store().getAllCheckpoints().forEach(ScatteredInFlight::unmark);
    }

    private static Map<OperatorID, Integer> maxParallelisms(Collection<OperatorState> operators) {
        Map<OperatorID, Integer> found = new HashMap<>();
        operators.forEach(state -> found.put(state.getOperatorID(), state.getMaxParallelism()));
        return found;
    }
}
