// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live.matrix;

import io.meces.flink.rocksdb.TestRocksDB;
import io.meces.flink.state.KeyedBackendParameters;
import java.io.IOException;
import java.net.URI;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.contrib.streaming.state.RocksDBStateBackend;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;

/** Flink's, in which state expires by the clock of a run. */
final class ClockedRocksDB extends RocksDBStateBackend {

    private static final long serialVersionUID = 1L;

    private final String runName;

    ClockedRocksDB(String runName, String checkpoints) throws IOException {
        super(URI.create(checkpoints), true);
        this.runName = runName;
        TestRocksDB.leaveManagedMemory(this);
    }

    @Override
    public RocksDBStateBackend configure(ReadableConfig config, ClassLoader classLoader) {
        return this;
    }

    @Override
    public <K> AbstractKeyedStateBackend<K> createKeyedStateBackend(
            KeyedStateBackendParameters<K> parameters) throws IOException {
        return super.createKeyedStateBackend(
                TestRocksDB.with(
                                parameters.getEnv(),
                                Run.named(runName)::clock,
                                new KeyedBackendParameters<>(parameters))
                        .flinks());
    }
}
