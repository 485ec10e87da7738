// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.rocksdb;

import io.meces.flink.testing.ChosenBackend;
import java.io.IOException;
import java.net.URI;
import org.apache.flink.api.common.JobID;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.CheckpointStorage;
import org.apache.flink.runtime.state.CheckpointStorageAccess;
import org.apache.flink.runtime.state.CompletedCheckpointStorageLocation;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.storage.FileSystemCheckpointStorage;
import org.apache.flink.state.rocksdb.AdoptedRocksDBKeyedStateBackend;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;

/** In place of the class of Flink, which it has no more: RocksDB, and where checkpoints go. */
public class RocksDBStateBackend extends EmbeddedRocksDBStateBackend
        implements CheckpointStorage, ChosenBackend {

    private static final long serialVersionUID = 1L;

    private final FileSystemCheckpointStorage storage;

    public RocksDBStateBackend(String checkpoints) {
        this(checkpoints, false);
    }

    public RocksDBStateBackend(String checkpoints, boolean incremental) {
        this(new Path(checkpoints).toUri(), incremental);
    }

    public RocksDBStateBackend(URI checkpoints, boolean incremental) {
        super(incremental);
        storage = new FileSystemCheckpointStorage(checkpoints);
    }

    @Override
    public CompletedCheckpointStorageLocation resolveCheckpoint(String pointer) throws IOException {
        return storage.resolveCheckpoint(pointer);
    }

    @Override
    public CheckpointStorageAccess createCheckpointStorage(JobID job) throws IOException {
        return storage.createCheckpointStorage(job);
    }

    /** A class that extends this one does what Flink's would not. */
    @Override
    public StateBackend ofStates() {
        if (getClass() != RocksDBStateBackend.class) {
            return this;
        }
        EmbeddedRocksDBStateBackend chosen =
                new EmbeddedRocksDBStateBackend(isIncrementalCheckpointsEnabled());
        chosen.setDbStoragePaths(getDbStoragePaths());
        chosen.setRocksDBOptions(getRocksDBOptions());
        PriorityQueueStateType timers = AdoptedRocksDBKeyedStateBackend.timersOf(this);
        if (timers != null) {
            chosen.setPriorityQueueStateType(timers);
        }
        return chosen;
    }

    @Override
    public CheckpointStorage ofCheckpoints() {
        return storage;
    }
}
