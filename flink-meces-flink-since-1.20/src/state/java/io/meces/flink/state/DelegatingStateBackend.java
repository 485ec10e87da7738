// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.state;

import java.io.IOException;
import org.apache.flink.api.common.JobID;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.AbstractStateBackend;
import org.apache.flink.runtime.state.CheckpointStorage;
import org.apache.flink.runtime.state.CheckpointStorageAccess;
import org.apache.flink.runtime.state.CompletedCheckpointStorageLocation;
import org.apache.flink.runtime.state.OperatorStateBackend;
import org.apache.flink.runtime.state.filesystem.AbstractFileStateBackend;

/** Has keyed state of its own; all else is done as another backend does it. */
public abstract class DelegatingStateBackend extends AbstractStateBackend
        implements CheckpointStorage {

    private static final long serialVersionUID = 1L;

    /** Stores checkpoints, and the state of operators. */
    protected abstract AbstractFileStateBackend storage();

    /** The keyed backend of a task. */
    protected abstract <K> AbstractKeyedStateBackend<K> createKeyedStateBackend(
            KeyedBackendParameters<K> parameters) throws IOException;

    @Override
    public <K> AbstractKeyedStateBackend<K> createKeyedStateBackend(
            KeyedStateBackendParameters<K> parameters) throws IOException {
        return createKeyedStateBackend(new KeyedBackendParameters<>(parameters));
    }

    @Override
    public OperatorStateBackend createOperatorStateBackend(
            OperatorStateBackendParameters parameters) throws Exception {
        return storage().createOperatorStateBackend(parameters);
    }

    /** Each checkpoint has all state of its own. */
    @Override
    public boolean supportsNoClaimRestoreMode() {
        return true;
    }

    @Override
    public boolean supportsSavepointFormat(SavepointFormatType format) {
        return true;
    }

    @Override
    public CompletedCheckpointStorageLocation resolveCheckpoint(String externalPointer)
            throws IOException {
        return storage().resolveCheckpoint(externalPointer);
    }

    @Override
    public CheckpointStorageAccess createCheckpointStorage(JobID jobId) throws IOException {
        return storage().createCheckpointStorage(jobId);
    }
}
