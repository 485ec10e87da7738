// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live.matrix;

import io.meces.flink.rocksdb.FlinkRocksDB;
import io.meces.flink.rocksdb.StoresCheckpoints;
import io.meces.flink.rocksdb.TestRocksDB;
import io.meces.flink.state.KeyedBackendParameters;
import io.meces.state.rocksdb.MecesRocksDBStateBackend;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.StateBackend;

/** Those of RocksDB, with incremental checkpoints. Timers of Flink's are where Flink has them. */
final class ClockedRocksDBBackends implements MatrixBackends {

    private final Path checkpoints;

    ClockedRocksDBBackends(Path checkpoints) {
        this.checkpoints = checkpoints;
    }

    @Override
    public boolean writeTheSameBytes() {
        return false;
    }

    @Override
    public Path checkpoints() {
        return checkpoints;
    }

    @Override
    public StateBackend ours(Run run, int subGroups) {
        return new Ours(run.name, checkpoints.toUri().toString());
    }

    @Override
    public StateBackend flinks(Run run) {
        return clocked(run.name, checkpoints.toUri().toString());
    }

    private static ClockedRocksDB clocked(String runName, String checkpoints) {
        try {
            return new ClockedRocksDB(runName, checkpoints);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static final class Ours extends MecesRocksDBStateBackend implements StoresCheckpoints {
        private static final long serialVersionUID = 1L;
        private final String runName;

        Ours(String runName, String checkpoints) {
            // what moves is little; all of it becomes files where it can
            super(FlinkRocksDB.of(clocked(runName, checkpoints)), null, 1);
            this.runName = runName;
        }

        @Override
        public FlinkRocksDB flinks() {
            return flinks;
        }

        @Override
        public MecesRocksDBStateBackend configure(ReadableConfig config, ClassLoader classLoader) {
            return this;
        }

        @Override
        protected <K> AbstractKeyedStateBackend<K> createKeyedStateBackend(
                KeyedBackendParameters<K> parameters) throws IOException {
            return super.createKeyedStateBackend(
                    TestRocksDB.with(
                            parameters.environment(), Run.named(runName)::clock, parameters));
        }
    }
}
