// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import io.meces.state.ElasticEnvironment;
import io.meces.state.ElasticStateBackend;
import java.io.IOException;
import java.util.Collection;
import javax.annotation.Nonnull;
import javax.annotation.Nullable;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.contrib.streaming.state.AdoptedRocksDBKeyedStateBackend;
import org.apache.flink.contrib.streaming.state.RocksDBKeyedStateBackend;
import org.apache.flink.contrib.streaming.state.RocksDBOptions;
import org.apache.flink.contrib.streaming.state.RocksDBStateBackend;
import org.apache.flink.contrib.streaming.state.RocksDBStateBackend.PriorityQueueStateType;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.query.TaskKvStateRegistry;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.AbstractManagedMemoryStateBackend;
import org.apache.flink.runtime.state.CheckpointStorageAccess;
import org.apache.flink.runtime.state.CompletedCheckpointStorageLocation;
import org.apache.flink.runtime.state.ConfigurableStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.OperatorStateBackend;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;

/**
 * Flink's RocksDB backend, with all of its options, whose key-groups can move between subtasks
 * while the job runs. A unit is a whole key-group.
 *
 * <p>Layout of keys, files, checkpoints and savepoints are Flink's. Timers of an elastic vertex are
 * on the heap; those of a checkpoint that has them in RocksDB are taken over.
 *
 * <p>Immutable and serializable.
 */
public class MecesRocksDBStateBackend extends AbstractManagedMemoryStateBackend
        implements ConfigurableStateBackend, ElasticStateBackend {

    private static final long serialVersionUID = 1L;

    private final RocksDBStateBackend flinks;

    /** Whether the job or the cluster has asked for timers in RocksDB. */
    private final boolean timersInRocksDB;

    private final long leastFileBytes;

    /**
     * @param leastFileBytes from how many bytes on rows that come become a file
     */
    protected MecesRocksDBStateBackend(
            RocksDBStateBackend flinks, boolean timersInRocksDB, long leastFileBytes) {
        this.flinks = flinks;
        this.timersInRocksDB = timersInRocksDB;
        this.leastFileBytes = leastFileBytes;
    }

    /**
     * That of a cluster, not configured yet.
     *
     * @throws IllegalConfigurationException if there is no {@code state.checkpoints.dir}
     */
    static MecesRocksDBStateBackend of(ReadableConfig cluster) {
        String directory = cluster.get(CheckpointingOptions.CHECKPOINTS_DIRECTORY);
        if (directory == null) {
            throw new IllegalConfigurationException(
                    "State in RocksDB needs a directory for checkpoints: "
                            + CheckpointingOptions.CHECKPOINTS_DIRECTORY.key());
        }
        try {
            return inPlaceOf(new RocksDBStateBackend(directory), cluster);
        } catch (IOException | IllegalArgumentException e) {
            throw new IllegalConfigurationException(
                    "Invalid value for "
                            + CheckpointingOptions.CHECKPOINTS_DIRECTORY.key()
                            + ": "
                            + directory,
                    e);
        }
    }

    /**
     * One with the options of another, whether that has been configured or not.
     *
     * @throws IllegalConfigurationException if a value of the cluster is invalid
     */
    public static MecesRocksDBStateBackend inPlaceOf(
            RocksDBStateBackend other, ReadableConfig cluster) {
        PriorityQueueStateType timers = AdoptedRocksDBKeyedStateBackend.timersOf(other);
        return new MecesRocksDBStateBackend(
                other,
                (timers == null
                                ? cluster.getOptional(RocksDBOptions.TIMER_SERVICE_FACTORY)
                                        .orElse(PriorityQueueStateType.HEAP)
                                : timers)
                        == PriorityQueueStateType.ROCKSDB,
                MecesRocksDBOptions.filesFrom(cluster));
    }

    @Override
    public int subGroups() {
        return 1;
    }

    @Override
    @Nullable
    public String refusal() {
        return timersInRocksDB
                ? "The job keeps timers in RocksDB, where they cannot be moved. Set "
                        + RocksDBOptions.TIMER_SERVICE_FACTORY.key()
                        + ": HEAP (or leave it out, and do not set it in the code of the job)."
                : null;
    }

    /**
     * A copy with the configured values for whatever was not set in code.
     *
     * @throws IllegalConfigurationException if a value is invalid
     */
    @Override
    public MecesRocksDBStateBackend configure(ReadableConfig config, ClassLoader classLoader) {
        return new MecesRocksDBStateBackend(
                flinks.configure(config, classLoader), timersInRocksDB, leastFileBytes);
    }

    @Override
    public CompletedCheckpointStorageLocation resolveCheckpoint(String pointer) throws IOException {
        return flinks.resolveCheckpoint(pointer);
    }

    @Override
    public CheckpointStorageAccess createCheckpointStorage(JobID jobId) throws IOException {
        return flinks.createCheckpointStorage(jobId);
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
        return createKeyedStateBackend(
                env,
                jobID,
                operatorIdentifier,
                keySerializer,
                numberOfKeyGroups,
                keyGroupRange,
                kvStateRegistry,
                ttlTimeProvider,
                metricGroup,
                stateHandles,
                cancelStreamRegistry,
                1.0);
    }

    /**
     * The backend for a task: if the environment is an {@link ElasticEnvironment}, one with all
     * key-groups of which it has some; otherwise Flink's own.
     *
     * @param stateHandles to be restored, of Flink's RocksDB backend or this one; any number, their
     *     declared ranges may overlap
     */
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
        boolean elastic = env instanceof ElasticEnvironment;
        KeyGroupRange all = KeyGroupRange.of(0, numberOfKeyGroups - 1);
        boolean mayHoldMore = RestoredHandles.mayHoldMoreThan(all, stateHandles);
        if (elastic) {
            // Flink's builder refuses timers that a checkpoint has in RocksDB if it is told HEAP
            flinks.setPriorityQueueStateType(PriorityQueueStateType.ROCKSDB);
            flinks.setRocksDBOptions(ElasticDatabase.with(flinks.getRocksDBOptions()));
        }
        AbstractKeyedStateBackend<K> built =
                flinks.createKeyedStateBackend(
                        env,
                        jobID,
                        operatorIdentifier,
                        keySerializer,
                        numberOfKeyGroups,
                        elastic ? all : keyGroupRange,
                        kvStateRegistry,
                        ttlTimeProvider,
                        metricGroup,
                        stateHandles,
                        cancelStreamRegistry,
                        managedMemoryFraction);
        if (!elastic) {
            return built;
        }
        return MecesRocksDBKeyedStateBackend.adopt(
                "MecesRocksDBKeyedStateBackend(" + operatorIdentifier + ")",
                (RocksDBKeyedStateBackend<K>) built,
                kvStateRegistry,
                env.getUserCodeClassLoader().asClassLoader(),
                env.getExecutionConfig(),
                ttlTimeProvider,
                getCompressionDecorator(env.getExecutionConfig()),
                numberOfKeyGroups,
                ((ElasticEnvironment) env).keyGroups(),
                mayHoldMore,
                PostponedCompactions.turnOf(
                        env.getTaskInfo().getTaskName(), env.getTaskInfo().getIndexOfThisSubtask()),
                leastFileBytes,
                metricGroup);
    }

    @Override
    public OperatorStateBackend createOperatorStateBackend(
            Environment env,
            String operatorIdentifier,
            @Nonnull Collection<OperatorStateHandle> stateHandles,
            CloseableRegistry cancelStreamRegistry)
            throws Exception {
        return flinks.createOperatorStateBackend(
                env, operatorIdentifier, stateHandles, cancelStreamRegistry);
    }

    @Override
    public String toString() {
        return "MecesRocksDBStateBackend (" + flinks + ")";
    }
}
