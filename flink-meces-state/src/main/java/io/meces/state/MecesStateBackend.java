// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import io.meces.flink.state.AccessMetrics;
import io.meces.flink.state.BackendEnvironment;
import io.meces.flink.state.DelegatingStateBackend;
import io.meces.flink.state.HashMapBackends;
import io.meces.flink.state.KeyedBackendParameters;
import io.meces.flink.state.StoringBackends;
import java.net.URI;
import javax.annotation.Nullable;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.state.BackendBuildingException;
import org.apache.flink.runtime.state.ConfigurableStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.filesystem.AbstractFileStateBackend;

/**
 * Keeps keyed state on the heap like Flink's own heap backends, with key-groups divided into
 * sub-groups so that state can move between subtasks while the job runs.
 *
 * <p>Checkpoints and savepoints have the format of Flink's heap backends and are stored as by them:
 * with a checkpoint directory, given in code or as {@code state.checkpoints.dir}, in files,
 * otherwise in the memory of the JobManager; the options of Flink for these apply. Keyed state is
 * always snapshotted asynchronously.
 *
 * <p>Immutable and serializable.
 */
public class MecesStateBackend extends DelegatingStateBackend
        implements ConfigurableStateBackend, ElasticStateBackend {

    private static final long serialVersionUID = 1L;

    private final AbstractFileStateBackend storage;

    /** Whether the kind of storage was chosen by the job, and no configuration changes it. */
    private final boolean chosen;

    /** Null: as configured. */
    @Nullable private final Integer subGroups;

    private final AccessMetrics metrics;

    /** Stores checkpoints where the configuration says, by default in the JobManager's memory. */
    public MecesStateBackend() {
        this(StoringBackends.inMemory(), false, null, AccessMetrics.none());
    }

    /**
     * Stores checkpoints in a directory.
     *
     * @param checkpointDirectory URI with scheme, like {@code hdfs:///checkpoints}
     */
    public MecesStateBackend(String checkpointDirectory) {
        this(new Path(checkpointDirectory).toUri(), null);
    }

    /**
     * Stores checkpoints in a directory.
     *
     * @param checkpointDirectory URI with scheme
     * @param savepointDirectory default directory for savepoints, null for the configured one
     */
    public MecesStateBackend(URI checkpointDirectory, @Nullable URI savepointDirectory) {
        this(
                StoringBackends.inFiles(checkpointDirectory, savepointDirectory),
                true,
                null,
                AccessMetrics.none());
    }

    private MecesStateBackend(
            AbstractFileStateBackend storage,
            boolean chosen,
            @Nullable Integer subGroups,
            AccessMetrics metrics) {
        this.metrics = metrics;
        this.storage = storage;
        this.chosen = chosen;
        this.subGroups = subGroups;
    }

    /**
     * One that stores checkpoints as another one does, so that it can take its place in a job.
     *
     * @param config of the cluster, applied to what was not set in code
     * @return null if the other does not keep state on the heap, or does more than Flink's own
     * @throws IllegalConfigurationException if a value is invalid
     */
    @Nullable
    public static ElasticStateBackend inPlaceOf(
            StateBackend other, ReadableConfig config, ClassLoader classLoader) {
        if (StoringBackends.isFlinks(other)) {
            return new MecesStateBackend(
                            (AbstractFileStateBackend) other, true, null, AccessMetrics.none())
                    .configure(config, classLoader);
        }
        // chosen: what stores nothing needs no directory
        return HashMapBackends.inPlaceOf(
                other,
                () ->
                        new MecesStateBackend(
                                        StoringBackends.inMemory(),
                                        true,
                                        null,
                                        AccessMetrics.none())
                                .configure(config, classLoader));
    }

    /**
     * A copy with another number of sub-groups than the configured one.
     *
     * @param newSubGroups per key-group, 1..{@link SubGroups#MAX}
     * @throws IllegalConfigurationException if out of range
     */
    public MecesStateBackend withSubGroups(int newSubGroups) {
        return new MecesStateBackend(
                storage, chosen, MecesStateOptions.checkSubGroups(newSubGroups), metrics);
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
                subGroups == null ? MecesStateOptions.subGroups(config) : subGroups,
                AccessMetrics.configured(config));
    }

    private AbstractFileStateBackend configuredStorage(
            ReadableConfig config, ClassLoader classLoader) {
        AbstractFileStateBackend inDirectory = null;
        if (!chosen) {
            try {
                inDirectory = StoringBackends.configured(config, classLoader);
            } catch (IllegalArgumentException e) {
                throw new IllegalConfigurationException(
                        "Invalid value for "
                                + CheckpointingOptions.CHECKPOINTS_DIRECTORY.key()
                                + ": "
                                + config.get(CheckpointingOptions.CHECKPOINTS_DIRECTORY),
                        e);
            }
        }
        return inDirectory == null
                ? StoringBackends.configure(storage, config, classLoader)
                : inDirectory;
    }

    @Override
    protected AbstractFileStateBackend storage() {
        return storage;
    }

    /**
     * The backend for a task: with the given key-groups and {@link #subGroups()}, or if the
     * environment is an {@link ElasticEnvironment} with all key-groups and its number of
     * sub-groups.
     *
     * @param parameters with state handles of Flink's heap backends or this one; any number, their
     *     declared ranges may overlap
     * @throws BackendBuildingException if the state cannot be restored
     */
    @Override
    protected <K> MecesKeyedStateBackend<K> createKeyedStateBackend(
            KeyedBackendParameters<K> parameters) throws BackendBuildingException {
        Environment env = parameters.environment();
        boolean elastic = env instanceof ElasticEnvironment;
        int keyGroups = parameters.numberOfKeyGroups();
        return MecesKeyedStateBackend.restore(
                BackendEnvironment.of(
                        parameters,
                        getCompressionDecorator(env.getExecutionConfig()),
                        metrics.in(parameters.metricGroup())),
                parameters.keySerializer(),
                new UnitKeyContext<>(
                        elastic ? KeyGroupRange.of(0, keyGroups - 1) : parameters.keyGroupRange(),
                        keyGroups,
                        elastic ? ((ElasticEnvironment) env).subGroups() : subGroups(),
                        elastic ? ((ElasticEnvironment) env).keyGroups() : null),
                env.getTaskStateManager().createLocalRecoveryConfig(),
                parameters.stateHandles(),
                parameters.cancelStreamRegistry());
    }

    @Override
    public String toString() {
        return "MecesStateBackend (sub-groups: " + subGroups() + ", storage: " + storage + ")";
    }
}
