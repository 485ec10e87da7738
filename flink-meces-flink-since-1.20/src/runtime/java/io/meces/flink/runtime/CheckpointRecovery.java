// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.io.DataInputStream;
import java.io.IOException;
import java.util.Collection;
import java.util.concurrent.Executor;
import javax.annotation.Nullable;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.checkpoint.CheckpointIDCounter;
import org.apache.flink.runtime.checkpoint.CheckpointRecoveryFactory;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.CompletedCheckpoint;
import org.apache.flink.runtime.checkpoint.CompletedCheckpointStore;
import org.apache.flink.runtime.checkpoint.DefaultCompletedCheckpointStoreUtils;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.state.CompletedCheckpointStorageLocation;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.storage.JobManagerCheckpointStorage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where Flink gets the checkpoints of a job from, which can be looked at before it does. Belongs to
 * the thread that makes the scheduler.
 */
public abstract class CheckpointRecovery extends EarlyCheckpointStore {

    private static final Logger LOG = LoggerFactory.getLogger(CheckpointRecovery.class);

    private final JobGraph job;
    private final Configuration cluster;
    private final CheckpointRecoveryFactory flinks;
    private final ClassLoader userCode;
    private final Executor executor;

    /**
     * @param executor deletes checkpoints
     */
    protected CheckpointRecovery(
            JobGraph job,
            Configuration cluster,
            CheckpointRecoveryFactory flinks,
            ClassLoader userCode,
            Executor executor) {
        super(flinks);
        this.job = job;
        this.cluster = cluster;
        this.flinks = flinks;
        this.userCode = userCode;
        this.executor = executor;
    }

    /** The checkpoints that the job itself has taken, or has begun with. */
    protected final CompletedCheckpointStore store() throws Exception {
        return open(
                job,
                DefaultCompletedCheckpointStoreUtils.getMaximumNumberOfRetainedCheckpoints(
                        cluster, LOG),
                executor);
    }

    /** The one that Flink restores; null if the job has taken none. */
    @Nullable
    protected final CompletedCheckpoint latest() throws Exception {
        return store().getLatestCheckpoint();
    }

    /** What the metadata of a savepoint have of operators. */
    protected final Collection<OperatorState> read(String savepoint, StateBackend backend)
            throws IOException {
        // all storages read the same
        CompletedCheckpointStorageLocation location =
                new JobManagerCheckpointStorage().resolveCheckpoint(savepoint);
        try (DataInputStream in =
                new DataInputStream(location.getMetadataHandle().openInputStream())) {
            return Checkpoints.loadCheckpointMetadata(in, userCode, location.getExternalPointer())
                    .getOperatorStates();
        }
    }

    // ------------------------------------------------------------------------
    //  For Flink
    // ------------------------------------------------------------------------

    @Override
    public final CheckpointIDCounter createCheckpointIDCounter(JobID jobId) throws Exception {
        return flinks.createCheckpointIDCounter(jobId);
    }
}
