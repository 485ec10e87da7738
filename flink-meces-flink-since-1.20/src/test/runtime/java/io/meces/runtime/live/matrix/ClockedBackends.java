// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live.matrix;

import io.meces.state.MecesStateBackend;
import java.io.IOException;
import java.nio.file.Path;
import javax.annotation.Nullable;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyedStateBackendParametersImpl;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;

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

    private static <K> StateBackend.KeyedStateBackendParameters<K> clocked(
            String runName, StateBackend.KeyedStateBackendParameters<K> parameters) {
        return new KeyedStateBackendParametersImpl<>(parameters)
                .setTtlTimeProvider(Run.named(runName)::clock);
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
                KeyedStateBackendParameters<K> parameters) throws IOException {
            return super.createKeyedStateBackend(clocked(runName, parameters));
        }
    }

    private static final class Flinks extends HashMapStateBackend {
        private static final long serialVersionUID = 1L;
        private final String runName;

        Flinks(String runName) {
            this.runName = runName;
        }

        @Override
        public HashMapStateBackend configure(ReadableConfig config, ClassLoader classLoader) {
            return this;
        }

        @Override
        public <K> AbstractKeyedStateBackend<K> createKeyedStateBackend(
                KeyedStateBackendParameters<K> parameters) throws IOException {
            return super.createKeyedStateBackend(clocked(runName, parameters));
        }
    }
}
