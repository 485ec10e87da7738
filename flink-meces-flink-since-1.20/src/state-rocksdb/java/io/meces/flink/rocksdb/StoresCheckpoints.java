// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.rocksdb;

import java.io.IOException;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.state.CheckpointStorage;
import org.apache.flink.runtime.state.CheckpointStorageAccess;
import org.apache.flink.runtime.state.CompletedCheckpointStorageLocation;

/**
 * A state backend that also stores the checkpoints of its job, as those before 1.13 did. Flink asks
 * no other storage then.
 */
public interface StoresCheckpoints extends CheckpointStorage {

    /** By which it stores them. */
    FlinkRocksDB flinks();

    @Override
    default CompletedCheckpointStorageLocation resolveCheckpoint(String pointer)
            throws IOException {
        return flinks().storage().resolveCheckpoint(pointer);
    }

    @Override
    default CheckpointStorageAccess createCheckpointStorage(JobID jobId) throws IOException {
        return flinks().storage().createCheckpointStorage(jobId);
    }
}
