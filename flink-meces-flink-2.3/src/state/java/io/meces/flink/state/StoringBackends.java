// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.state;

import java.io.IOException;
import java.net.URI;
import javax.annotation.Nullable;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.CheckpointStorage;
import org.apache.flink.runtime.state.CheckpointStorageAccess;
import org.apache.flink.runtime.state.OperatorStateBackend;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.filesystem.AbstractFileStateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.runtime.state.storage.FileSystemCheckpointStorage;
import org.apache.flink.runtime.state.storage.JobManagerCheckpointStorage;

/** Backends that store checkpoints, and keep the state of operators. Pure. */
public final class StoringBackends {

    private StoringBackends() {}

    /** In the memory of the JobManager. */
    public static AbstractFileStateBackend inMemory() {
        JobManagerCheckpointStorage storage = new JobManagerCheckpointStorage();
        return new Storing(storage, storage.getCheckpointPath(), storage.getSavepointPath());
    }

    /** In a directory. */
    public static AbstractFileStateBackend inFiles(URI checkpoints, @Nullable URI savepoints) {
        return new Storing(
                new FileSystemCheckpointStorage(checkpoints),
                new Path(checkpoints),
                savepoints == null ? null : new Path(savepoints));
    }

    /** Whether it is one of Flink's that store checkpoints and keep state on the heap: none. */
    public static boolean isFlinks(StateBackend backend) {
        return false;
    }

    /** With the configured values for whatever was not set. */
    public static AbstractFileStateBackend configure(
            AbstractFileStateBackend backend, ReadableConfig config, ClassLoader classLoader) {
        return ((Storing) backend).configure(config, classLoader);
    }

    /**
     * In the configured directory; null if there is none.
     *
     * @throws IllegalArgumentException if it cannot be one
     */
    @Nullable
    public static AbstractFileStateBackend configured(
            ReadableConfig config, ClassLoader classLoader) {
        String directory = config.get(CheckpointingOptions.CHECKPOINTS_DIRECTORY);
        return directory == null
                ? null
                : configure(inFiles(new Path(directory).toUri(), null), config, classLoader);
    }

    /** What Flink has apart since 2.0. */
    private static final class Storing extends AbstractFileStateBackend {
        private static final long serialVersionUID = 1L;

        private final HashMapStateBackend states = new HashMapStateBackend();
        private final CheckpointStorage storage;

        Storing(CheckpointStorage storage, @Nullable Path checkpoints, @Nullable Path savepoints) {
            super(checkpoints, savepoints);
            this.storage = storage;
        }

        Storing configure(ReadableConfig config, ClassLoader classLoader) {
            if (storage instanceof JobManagerCheckpointStorage) {
                JobManagerCheckpointStorage configured =
                        ((JobManagerCheckpointStorage) storage).configure(config, classLoader);
                return new Storing(
                        configured, configured.getCheckpointPath(), configured.getSavepointPath());
            }
            Configuration all = Configuration.fromMap(config.toMap());
            if (getSavepointPath() != null) {
                all.set(CheckpointingOptions.SAVEPOINT_DIRECTORY, getSavepointPath().toString());
            }
            FileSystemCheckpointStorage configured =
                    ((FileSystemCheckpointStorage) storage).configure(all, classLoader);
            return new Storing(
                    configured, configured.getCheckpointPath(), configured.getSavepointPath());
        }

        @Override
        public CheckpointStorageAccess createCheckpointStorage(JobID job) throws IOException {
            return storage.createCheckpointStorage(job);
        }

        @Override
        public <K> AbstractKeyedStateBackend<K> createKeyedStateBackend(
                KeyedStateBackendParameters<K> parameters) throws IOException {
            return states.createKeyedStateBackend(parameters);
        }

        @Override
        public OperatorStateBackend createOperatorStateBackend(
                OperatorStateBackendParameters parameters) throws Exception {
            return states.createOperatorStateBackend(parameters);
        }

        @Override
        public String toString() {
            return storage.toString();
        }
    }
}
