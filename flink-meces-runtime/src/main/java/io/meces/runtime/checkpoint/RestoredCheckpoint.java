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

import io.meces.core.rescale.StoredElasticity;
import io.meces.runtime.FlinkIds;
import io.meces.runtime.graph.RestoredState;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.checkpoint.CheckpointIDCounter;
import org.apache.flink.runtime.checkpoint.CheckpointKinds;
import org.apache.flink.runtime.checkpoint.CheckpointRecoveryFactory;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.CompletedCheckpoint;
import org.apache.flink.runtime.checkpoint.CompletedCheckpointStore;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.runtime.jobgraph.tasks.JobCheckpointingSettings;
import org.apache.flink.runtime.state.CompletedCheckpointStorageLocation;
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
public final class RestoredCheckpoint implements RestoredState, CheckpointRecoveryFactory {

    private static final Logger LOG = LoggerFactory.getLogger(RestoredCheckpoint.class);

    private final JobGraph job;
    private final Configuration cluster;
    private final CheckpointRecoveryFactory recovery;
    private final ClassLoader userCode;

    /** Null unless one has been opened that Flink has not asked for yet. */
    @Nullable private CompletedCheckpointStore opened;

    public RestoredCheckpoint(
            JobGraph job,
            Configuration cluster,
            CheckpointRecoveryFactory recovery,
            ClassLoader userCode) {
        this.job = job;
        this.cluster = cluster;
        this.recovery = recovery;
        this.userCode = userCode;
    }

    @Override
    public Map<OperatorID, Integer> maxParallelisms(StateBackend backend) throws Exception {
        SavepointRestoreSettings savepoint = job.getSavepointRestoreSettings();
        JobCheckpointingSettings checkpoints = job.getCheckpointingSettings();
        if (!savepoint.restoreSavepoint() || checkpoints == null) {
            // checkpoints of the job itself can only be of the same job graph
            return Collections.emptyMap();
        }
        CompletedCheckpoint latest = latest(checkpoints);
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
        JobCheckpointingSettings checkpoints = job.getCheckpointingSettings();
        CompletedCheckpoint latest = checkpoints == null ? null : latest(checkpoints);
        return latest != null && StateRedistribution.hasChannelState(latest);
    }

    /** The one that Flink restores; null if the job has taken none. */
    @Nullable
    private CompletedCheckpoint latest(JobCheckpointingSettings checkpoints) throws Exception {
        return store().getLatestCheckpoint(
                        checkpoints
                                .getCheckpointCoordinatorConfiguration()
                                .isPreferCheckpointForRecovery());
    }

    private CompletedCheckpointStore store() throws Exception {
        if (opened == null) {
            opened =
                    recovery.createCheckpointStore(
                            job.getJobID(), retainedCheckpoints(cluster), userCode);
            opened.recover();
        }
        return opened;
    }

    private Collection<OperatorState> read(String savepoint, StateBackend backend)
            throws IOException {
        CompletedCheckpointStorageLocation location = backend.resolveCheckpoint(savepoint);
        try (DataInputStream in =
                new DataInputStream(location.getMetadataHandle().openInputStream())) {
            return Checkpoints.loadCheckpointMetadata(in, userCode, location.getExternalPointer())
                    .getOperatorStates();
        }
    }

    private static Map<OperatorID, Integer> maxParallelisms(Collection<OperatorState> operators) {
        Map<OperatorID, Integer> found = new HashMap<>();
        operators.forEach(state -> found.put(state.getOperatorID(), state.getMaxParallelism()));
        return found;
    }

    /** As Flink reads it. */
    private static int retainedCheckpoints(Configuration cluster) {
        int retained = cluster.getInteger(CheckpointingOptions.MAX_RETAINED_CHECKPOINTS);
        return retained > 0
                ? retained
                : CheckpointingOptions.MAX_RETAINED_CHECKPOINTS.defaultValue();
    }

    // ------------------------------------------------------------------------
    //  For Flink
    // ------------------------------------------------------------------------

    /** A second store would hold locks in ZooKeeper that nobody releases. */
    @Override
    public CompletedCheckpointStore createCheckpointStore(
            JobID jobId, int maxNumberOfCheckpointsToRetain, ClassLoader userClassLoader)
            throws Exception {
        CompletedCheckpointStore store = opened;
        opened = null;
        return store != null
                ? store
                : recovery.createCheckpointStore(
                        jobId, maxNumberOfCheckpointsToRetain, userClassLoader);
    }

    @Override
    public CheckpointIDCounter createCheckpointIDCounter(JobID jobId) throws Exception {
        return recovery.createCheckpointIDCounter(jobId);
    }
}
