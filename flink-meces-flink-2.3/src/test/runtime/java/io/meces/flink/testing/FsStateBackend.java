// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.testing;

import java.net.URI;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.CheckpointStorage;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.runtime.state.storage.FileSystemCheckpointStorage;

/** In place of the class of Flink, which it has no more. */
public final class FsStateBackend extends HashMapStateBackend implements ChosenBackend {

    private static final long serialVersionUID = 1L;

    private final FileSystemCheckpointStorage storage;

    public FsStateBackend(String checkpoints) {
        this(new Path(checkpoints).toUri());
    }

    public FsStateBackend(URI checkpoints) {
        storage = new FileSystemCheckpointStorage(checkpoints);
    }

    @Override
    public StateBackend ofStates() {
        return new HashMapStateBackend();
    }

    @Override
    public CheckpointStorage ofCheckpoints() {
        return storage;
    }
}
