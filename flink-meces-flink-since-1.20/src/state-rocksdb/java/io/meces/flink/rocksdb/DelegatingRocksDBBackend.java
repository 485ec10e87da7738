// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.rocksdb;

import io.meces.flink.state.KeyedBackendParameters;
import java.io.IOException;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.AbstractManagedMemoryStateBackend;
import org.apache.flink.runtime.state.OperatorStateBackend;

/** Has keyed state of its own; all else is done as Flink's RocksDB backend does it. */
public abstract class DelegatingRocksDBBackend extends AbstractManagedMemoryStateBackend {

    private static final long serialVersionUID = 1L;

    protected final FlinkRocksDB flinks;

    protected DelegatingRocksDBBackend(FlinkRocksDB flinks) {
        this.flinks = flinks;
    }

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
        return flinks.backend().createOperatorStateBackend(parameters);
    }

    @Override
    public boolean supportsNoClaimRestoreMode() {
        return flinks.backend().supportsNoClaimRestoreMode();
    }

    @Override
    public boolean supportsSavepointFormat(SavepointFormatType format) {
        return flinks.backend().supportsSavepointFormat(format);
    }
}
