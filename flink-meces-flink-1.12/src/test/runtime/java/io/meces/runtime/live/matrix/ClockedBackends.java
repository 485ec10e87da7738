// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live.matrix;

import io.meces.state.MecesStateBackend;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import javax.annotation.Nonnull;
import javax.annotation.Nullable;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.query.TaskKvStateRegistry;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.BackendBuildingException;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.memory.MemoryStateBackend;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;

/** Our state backend and Flink's heap backend, in which state expires by the clock of a run. */
final class ClockedBackends implements MatrixBackends {

    @Override
    public StateBackend ours(Run run, int subGroups) {
        return new Ours(run.name, subGroups);
    }

    @Override
    public StateBackend flinks(Run run) {
        return new Flinks(run.name);
    }

    @Override
    public boolean writeTheSameBytes() {
        return true;
    }

    @Override
    @Nullable
    public Path checkpoints() {
        return null;
    }

    private static final class Ours extends MecesStateBackend {
        private static final long serialVersionUID = 1L;
        private final String runName;
        private final int subGroups;

        Ours(String runName, int subGroups) {
            this.runName = runName;
            this.subGroups = subGroups;
        }

        @Override
        public MecesStateBackend configure(ReadableConfig config, ClassLoader classLoader) {
            return this;
        }

        @Override
        public int subGroups() {
            return subGroups;
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
                CloseableRegistry cancelStreamRegistry)
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
                    cancelStreamRegistry);
        }
    }

    private static final class Flinks extends MemoryStateBackend {
        private static final long serialVersionUID = 1L;
        private final String runName;

        Flinks(String runName) {
            this.runName = runName;
        }

        @Override
        public MemoryStateBackend configure(ReadableConfig config, ClassLoader classLoader) {
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
                CloseableRegistry cancelStreamRegistry)
                throws BackendBuildingException {
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
                    cancelStreamRegistry);
        }
    }
}
