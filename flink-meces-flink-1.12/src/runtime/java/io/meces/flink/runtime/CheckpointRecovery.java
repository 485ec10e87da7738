// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.io.DataInputStream;
import java.io.IOException;
import java.util.Collection;
import java.util.concurrent.Executor;
import javax.annotation.Nullable;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.checkpoint.CheckpointIDCounter;
import org.apache.flink.runtime.checkpoint.CheckpointRecoveryFactory;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.CompletedCheckpoint;
import org.apache.flink.runtime.checkpoint.CompletedCheckpointStore;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.state.CompletedCheckpointStorageLocation;
import org.apache.flink.runtime.state.StateBackend;

/**
 * Where Flink gets the checkpoints of a job from, which can be looked at before it does. Belongs to
 * the thread that makes the scheduler.
 */
public abstract class CheckpointRecovery implements CheckpointRecoveryFactory {

    private final JobGraph job;
    private final Configuration cluster;
    private final CheckpointRecoveryFactory flinks;
    private final ClassLoader userCode;

    /** Null unless one has been opened that Flink has not asked for yet. */
    @Nullable private CompletedCheckpointStore opened;

    /**
     * @param executor deletes checkpoints, where the store does not
     */
    protected CheckpointRecovery(
            JobGraph job,
            Configuration cluster,
            CheckpointRecoveryFactory flinks,
            ClassLoader userCode,
            Executor executor) {
        this.job = job;
        this.cluster = cluster;
        this.flinks = flinks;
        this.userCode = userCode;
    }

    /** The checkpoints that the job itself has taken, or has begun with. */
    protected final CompletedCheckpointStore store() throws Exception {
        if (opened == null) {
            opened =
                    flinks.createCheckpointStore(
                            job.getJobID(), retainedCheckpoints(cluster), userCode);
            opened.recover();
        }
        return opened;
    }

    /** The one that Flink restores; null if the job has taken none. */
    @Nullable
    protected final CompletedCheckpoint latest() throws Exception {
        return store().getLatestCheckpoint(
                        job.getCheckpointingSettings()
                                .getCheckpointCoordinatorConfiguration()
                                .isPreferCheckpointForRecovery());
    }

    /** What the metadata of a savepoint have of operators. */
    protected final Collection<OperatorState> read(String savepoint, StateBackend backend)
            throws IOException {
        CompletedCheckpointStorageLocation location = backend.resolveCheckpoint(savepoint);
        try (DataInputStream in =
                new DataInputStream(location.getMetadataHandle().openInputStream())) {
            return Checkpoints.loadCheckpointMetadata(in, userCode, location.getExternalPointer())
                    .getOperatorStates();
        }
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
    public final CompletedCheckpointStore createCheckpointStore(
            JobID jobId, int maxNumberOfCheckpointsToRetain, ClassLoader userClassLoader)
            throws Exception {
        CompletedCheckpointStore store = opened;
        opened = null;
        return store != null
                ? store
                : flinks.createCheckpointStore(
                        jobId, maxNumberOfCheckpointsToRetain, userClassLoader);
    }

    @Override
    public final CheckpointIDCounter createCheckpointIDCounter(JobID jobId) throws Exception {
        return flinks.createCheckpointIDCounter(jobId);
    }
}
