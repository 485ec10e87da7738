/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.state;

import java.io.IOException;
import java.net.URI;
import java.util.Collection;
import javax.annotation.Nonnull;
import javax.annotation.Nullable;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.core.fs.Path;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.query.TaskKvStateRegistry;
import org.apache.flink.runtime.state.AbstractStateBackend;
import org.apache.flink.runtime.state.BackendBuildingException;
import org.apache.flink.runtime.state.CheckpointStorageAccess;
import org.apache.flink.runtime.state.CompletedCheckpointStorageLocation;
import org.apache.flink.runtime.state.ConfigurableStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.OperatorStateBackend;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.filesystem.AbstractFileStateBackend;
import org.apache.flink.runtime.state.filesystem.FsStateBackend;
import org.apache.flink.runtime.state.memory.MemoryStateBackend;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.util.TernaryBoolean;

/**
 * Keeps keyed state on the heap like Flink's own heap backends, with key-groups divided into
 * sub-groups so that state can move between subtasks while the job runs.
 *
 * <p>Checkpoints and savepoints have the format of Flink's heap backends and are stored as by them:
 * with a checkpoint directory, given in code or as {@code state.checkpoints.dir}, as by {@link
 * FsStateBackend}, otherwise as by {@link MemoryStateBackend}; their options apply. Keyed state is
 * always snapshotted asynchronously.
 *
 * <p>Immutable and serializable.
 */
public class MecesStateBackend extends AbstractStateBackend
        implements ConfigurableStateBackend, ElasticStateBackend {

    private static final long serialVersionUID = 1L;

    private final AbstractFileStateBackend storage;

    /** Whether the kind of storage was chosen by the job, and no configuration changes it. */
    private final boolean chosen;

    /** Null: as configured. */
    @Nullable private final Integer subGroups;

    /** Stores checkpoints where the configuration says, by default in the JobManager's memory. */
    public MecesStateBackend() {
        this(new MemoryStateBackend(), false, null);
    }

    /**
     * Stores checkpoints in a directory.
     *
     * @param checkpointDirectory URI with scheme, like {@code hdfs:///checkpoints}
     */
    public MecesStateBackend(String checkpointDirectory) {
        this(new FsStateBackend(checkpointDirectory), true, null);
    }

    /**
     * Stores checkpoints in a directory.
     *
     * @param checkpointDirectory URI with scheme
     * @param savepointDirectory default directory for savepoints, null for the configured one
     */
    public MecesStateBackend(URI checkpointDirectory, @Nullable URI savepointDirectory) {
        this(new FsStateBackend(checkpointDirectory, savepointDirectory), true, null);
    }

    private MecesStateBackend(
            AbstractFileStateBackend storage, boolean chosen, @Nullable Integer subGroups) {
        this.storage = storage;
        this.chosen = chosen;
        this.subGroups = subGroups;
    }

    /**
     * One that stores checkpoints as another one does, so that it can take its place in a job.
     *
     * @return null if the other does not keep state on the heap, or does more than Flink's own
     */
    @Nullable
    public static MecesStateBackend inPlaceOf(StateBackend other) {
        return other.getClass() == FsStateBackend.class
                        || other.getClass() == MemoryStateBackend.class
                ? new MecesStateBackend((AbstractFileStateBackend) other, true, null)
                : null;
    }

    /**
     * A copy with another number of sub-groups than the configured one.
     *
     * @param newSubGroups per key-group, 1..{@link SubGroups#MAX}
     * @throws IllegalConfigurationException if out of range
     */
    public MecesStateBackend withSubGroups(int newSubGroups) {
        return new MecesStateBackend(
                storage, chosen, MecesStateOptions.checkSubGroups(newSubGroups));
    }

    /** Sub-groups per key-group, also of tasks that are not elastic. */
    @Override
    public int subGroups() {
        return subGroups == null ? MecesStateOptions.SUB_GROUPS.defaultValue() : subGroups;
    }

    /** The directory for checkpoints, or null if they are kept in memory. */
    @Nullable
    public Path checkpointPath() {
        return storage.getCheckpointPath();
    }

    /** The default directory for savepoints, or null if there is none. */
    @Nullable
    public Path savepointPath() {
        return storage.getSavepointPath();
    }

    /**
     * A copy with the configured values for whatever was not set in code.
     *
     * @throws IllegalConfigurationException if a value is invalid
     */
    @Override
    public MecesStateBackend configure(ReadableConfig config, ClassLoader classLoader) {
        return new MecesStateBackend(
                configuredStorage(config, classLoader),
                chosen,
                subGroups == null ? MecesStateOptions.subGroups(config) : subGroups);
    }

    private AbstractFileStateBackend configuredStorage(
            ReadableConfig config, ClassLoader classLoader) {
        if (storage instanceof FsStateBackend) {
            return ((FsStateBackend) storage).configure(config, classLoader);
        }
        String directory = chosen ? null : config.get(CheckpointingOptions.CHECKPOINTS_DIRECTORY);
        if (directory == null) {
            return ((MemoryStateBackend) storage).configure(config, classLoader);
        }
        try {
            return new FsStateBackend(
                            new Path(directory).toUri(), null, -1, -1, TernaryBoolean.UNDEFINED)
                    .configure(config, classLoader);
        } catch (IllegalArgumentException e) {
            throw new IllegalConfigurationException(
                    "Invalid value for "
                            + CheckpointingOptions.CHECKPOINTS_DIRECTORY.key()
                            + ": "
                            + directory,
                    e);
        }
    }

    @Override
    public CompletedCheckpointStorageLocation resolveCheckpoint(String externalPointer)
            throws IOException {
        return storage.resolveCheckpoint(externalPointer);
    }

    @Override
    public CheckpointStorageAccess createCheckpointStorage(JobID jobId) throws IOException {
        return storage.createCheckpointStorage(jobId);
    }

    /**
     * The backend for a task: with the given key-groups and {@link #subGroups()}, or if the
     * environment is an {@link ElasticEnvironment} with all key-groups and its number of
     * sub-groups.
     *
     * @param stateHandles to be restored, of Flink's heap backends or this one; any number, their
     *     declared ranges may overlap
     * @throws BackendBuildingException if the state cannot be restored
     */
    @Override
    public <K> MecesKeyedStateBackend<K> createKeyedStateBackend(
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
        boolean elastic = env instanceof ElasticEnvironment;
        return new MecesKeyedStateBackendBuilder<>(
                        operatorIdentifier,
                        kvStateRegistry,
                        keySerializer,
                        env.getUserCodeClassLoader().asClassLoader(),
                        numberOfKeyGroups,
                        elastic ? KeyGroupRange.of(0, numberOfKeyGroups - 1) : keyGroupRange,
                        env.getExecutionConfig(),
                        ttlTimeProvider,
                        stateHandles,
                        getCompressionDecorator(env.getExecutionConfig()),
                        env.getTaskStateManager().createLocalRecoveryConfig(),
                        cancelStreamRegistry,
                        elastic ? ((ElasticEnvironment) env).subGroups() : subGroups(),
                        elastic ? ((ElasticEnvironment) env).keyGroups() : null)
                .build();
    }

    @Override
    public OperatorStateBackend createOperatorStateBackend(
            Environment env,
            String operatorIdentifier,
            @Nonnull Collection<OperatorStateHandle> stateHandles,
            CloseableRegistry cancelStreamRegistry)
            throws Exception {
        return storage.createOperatorStateBackend(
                env, operatorIdentifier, stateHandles, cancelStreamRegistry);
    }

    @Override
    public String toString() {
        return "MecesStateBackend (sub-groups: " + subGroups() + ", storage: " + storage + ")";
    }
}
