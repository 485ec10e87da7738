// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.concurrent.Executor;
import javax.annotation.Nullable;
import org.apache.flink.api.common.JobID;
import org.apache.flink.core.execution.RestoreMode;
import org.apache.flink.runtime.checkpoint.CheckpointRecoveryFactory;
import org.apache.flink.runtime.checkpoint.CompletedCheckpointStore;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.state.SharedStateRegistry;
import org.apache.flink.runtime.state.SharedStateRegistryFactory;

/**
 * Opens the checkpoints of a job before Flink does. Belongs to the thread that makes the scheduler.
 */
abstract class EarlyCheckpointStore implements CheckpointRecoveryFactory {

    private final CheckpointRecoveryFactory flinks;

    /** Null unless one has been opened that Flink has not asked for yet. */
    @Nullable private CompletedCheckpointStore opened;

    EarlyCheckpointStore(CheckpointRecoveryFactory flinks) {
        this.flinks = flinks;
    }

    final CompletedCheckpointStore open(JobGraph job, int retained, Executor executor)
            throws Exception {
        if (opened == null) {
            opened =
                    flinks.createRecoveredCompletedCheckpointStore(
                            job.getJobID(),
                            retained,
                            SharedStateRegistry.DEFAULT_FACTORY,
                            executor,
                            job.getSavepointRestoreSettings().getRestoreMode());
        }
        return opened;
    }

    /** A second store would hold locks in ZooKeeper that nobody releases. */
    @Override
    public final CompletedCheckpointStore createRecoveredCompletedCheckpointStore(
            JobID jobId,
            int maxNumberOfCheckpointsToRetain,
            SharedStateRegistryFactory registries,
            Executor ioExecutor,
            RestoreMode mode)
            throws Exception {
        CompletedCheckpointStore store = opened;
        opened = null;
        return store != null
                ? store
                : flinks.createRecoveredCompletedCheckpointStore(
                        jobId, maxNumberOfCheckpointsToRetain, registries, ioExecutor, mode);
    }
}
