// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live.matrix;

import io.meces.state.rocksdb.MecesRocksDBStateBackend;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import javax.annotation.Nonnull;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.contrib.streaming.state.RocksDBStateBackend;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.query.TaskKvStateRegistry;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.filesystem.FsStateBackend;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.util.TernaryBoolean;

/** Those of RocksDB, with incremental checkpoints. Timers of Flink's are where 1.12 has them. */
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
        return new Flinks(run.name, checkpoints.toUri().toString());
    }

    private static final class Ours extends MecesRocksDBStateBackend {
        private static final long serialVersionUID = 1L;
        private final String runName;

        Ours(String runName, String checkpoints) {
            // what moves is little; all of it becomes files where it can
            super(new Flinks(runName, checkpoints), false, 1);
            this.runName = runName;
        }

        @Override
        public MecesRocksDBStateBackend configure(ReadableConfig config, ClassLoader classLoader) {
            return this;
        }

        @Override
        public <K> AbstractKeyedStateBackend<K> createKeyedStateBackend(
                Environment env,
                JobID jobID,
                String operatorIdentifier,
                TypeSerializer<K> keySerializer,
                int numberOfKeyGroups,
                KeyGroupRange keyGroupRange,
                TaskKvStateRegistry kvStateRegistry,
                TtlTimeProvider ttlTimeProvider,
                MetricGroup metricGroup,
                @Nonnull Collection<KeyedStateHandle> stateHandles,
                CloseableRegistry cancelStreamRegistry,
                double managedMemoryFraction)
                throws IOException {
            return super.createKeyedStateBackend(
                    env,
                    jobID,
                    operatorIdentifier,
                    keySerializer,
                    numberOfKeyGroups,
                    keyGroupRange,
                    kvStateRegistry,
                    Run.named(runName)::clock,
                    metricGroup,
                    stateHandles,
                    cancelStreamRegistry,
                    managedMemoryFraction);
        }
    }

    private static final class Flinks extends RocksDBStateBackend {
        private static final long serialVersionUID = 1L;
        private final String runName;

        Flinks(String runName, String checkpoints) {
            super((StateBackend) new FsStateBackend(checkpoints), TernaryBoolean.TRUE);
            this.runName = runName;
            getMemoryConfiguration().setUseManagedMemory(false);
        }

        @Override
        public RocksDBStateBackend configure(ReadableConfig config, ClassLoader classLoader) {
            return this;
        }

        @Override
        public <K> AbstractKeyedStateBackend<K> createKeyedStateBackend(
                Environment env,
                JobID jobID,
                String operatorIdentifier,
                TypeSerializer<K> keySerializer,
                int numberOfKeyGroups,
                KeyGroupRange keyGroupRange,
                TaskKvStateRegistry kvStateRegistry,
                TtlTimeProvider ttlTimeProvider,
                MetricGroup metricGroup,
                @Nonnull Collection<KeyedStateHandle> stateHandles,
                CloseableRegistry cancelStreamRegistry,
                double managedMemoryFraction)
                throws IOException {
            return super.createKeyedStateBackend(
                    env,
                    jobID,
                    operatorIdentifier,
                    keySerializer,
                    numberOfKeyGroups,
                    keyGroupRange,
                    kvStateRegistry,
                    Run.named(runName)::clock,
                    metricGroup,
                    stateHandles,
                    cancelStreamRegistry,
                    managedMemoryFraction);
        }
    }
}
