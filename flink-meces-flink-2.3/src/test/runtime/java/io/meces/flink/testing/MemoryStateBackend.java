// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.testing;

import org.apache.flink.runtime.state.CheckpointStorage;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.runtime.state.storage.JobManagerCheckpointStorage;

/** In place of the class of Flink, which it has no more. */
public final class MemoryStateBackend extends HashMapStateBackend implements ChosenBackend {

    private static final long serialVersionUID = 1L;

    private final JobManagerCheckpointStorage storage;

    public MemoryStateBackend() {
        this(JobManagerCheckpointStorage.DEFAULT_MAX_STATE_SIZE);
    }

    public MemoryStateBackend(int maxStateSize) {
        storage = new JobManagerCheckpointStorage(maxStateSize);
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
