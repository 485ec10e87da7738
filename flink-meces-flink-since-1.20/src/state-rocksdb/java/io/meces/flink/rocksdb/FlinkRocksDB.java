// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.rocksdb;

import io.meces.flink.state.KeyedBackendParameters;
import java.io.IOException;
import java.io.Serializable;
import java.util.function.UnaryOperator;
import javax.annotation.Nullable;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.contrib.streaming.state.AdoptedRocksDBKeyedStateBackend;
import org.apache.flink.contrib.streaming.state.EmbeddedRocksDBStateBackend;
import org.apache.flink.contrib.streaming.state.EmbeddedRocksDBStateBackend.PriorityQueueStateType;
import org.apache.flink.contrib.streaming.state.RocksDBConfigurableOptions;
import org.apache.flink.contrib.streaming.state.RocksDBKeyedStateBackend;
import org.apache.flink.contrib.streaming.state.RocksDBOptions;
import org.apache.flink.contrib.streaming.state.RocksDBOptionsFactory;
import org.apache.flink.contrib.streaming.state.sstmerge.RocksDBManualCompactionOptions;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.CheckpointStorage;
import org.apache.flink.runtime.state.ConfigurableStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateBackendParametersImpl;
import org.apache.flink.runtime.state.StateBackend;

/** Flink's RocksDB backend as somebody has chosen it, with its options. Serializable. */
public final class FlinkRocksDB implements Serializable {

    private static final long serialVersionUID = 1L;

    private final EmbeddedRocksDBStateBackend backend;

    /** By what it stores checkpoints; null: that is apart from state. */
    @Nullable private final StateBackend storage;

    /** What the job is configured with; it comes before the cluster's. */
    private final Configuration job;

    private FlinkRocksDB(
            EmbeddedRocksDBStateBackend backend,
            @Nullable StateBackend storage,
            Configuration job) {
        this.backend = backend;
        this.storage = storage;
        this.job = job;
    }

    /** Whether it is Flink's own. One of a class that extends it may do what nobody knows. */
    public static boolean isOne(StateBackend backend) {
        return RocksDBBackends.isFlinks(backend);
    }

    /**
     * One of Flink's, or of a class that extends it.
     *
     * @throws ClassCastException if it is another
     */
    public static FlinkRocksDB of(StateBackend backend) {
        // Flink applies only the cluster's configuration to one that is set in code
        return new FlinkRocksDB(
                RocksDBBackends.embeddedIn(backend),
                RocksDBBackends.storageOf(backend),
                new Configuration());
    }

    /** That of a configuration, not configured yet. */
    public static FlinkRocksDB of(ReadableConfig cluster, Configuration job) {
        return new FlinkRocksDB(new EmbeddedRocksDBStateBackend(), null, job);
    }

    private Configuration withJob(ReadableConfig cluster) {
        Configuration all = Configuration.fromMap(cluster.toMap());
        all.addAll(job);
        return all;
    }

    /** Whether the job or the cluster has asked for timers in RocksDB. */
    public boolean wantsTimersInRocksDB(ReadableConfig cluster) {
        PriorityQueueStateType timers = AdoptedRocksDBKeyedStateBackend.timersOf(backend);
        return (timers == null
                        ? withJob(cluster)
                                .getOptional(RocksDBOptions.TIMER_SERVICE_FACTORY)
                                .orElse(PriorityQueueStateType.HEAP)
                        : timers)
                == PriorityQueueStateType.ROCKSDB;
    }

    /** Why state cannot move with what else is configured, and the remedy; null if it can. */
    @Nullable
    public String refusal(ReadableConfig cluster) {
        return withJob(cluster).get(RocksDBManualCompactionOptions.MIN_INTERVAL).isZero()
                ? null
                : "The job has Flink merge small files of RocksDB, also those of state that moves."
                        + " Leave "
                        + RocksDBManualCompactionOptions.MIN_INTERVAL.key()
                        + " out.";
    }

    /** Whether checkpoints are stored as this one has it, and not as the job has it besides. */
    public boolean storesCheckpoints() {
        return storage != null;
    }

    /**
     * A copy with the configured values for whatever was not set in code, but that it copies rows
     * to restore from several subtasks.
     *
     * @throws IllegalConfigurationException if a value is invalid
     */
    public FlinkRocksDB configure(ReadableConfig config, ClassLoader classLoader) {
        Configuration all = withJob(config);
        // RocksDB takes over files of several subtasks if their key-groups do not interleave
        all.set(RocksDBConfigurableOptions.USE_INGEST_DB_RESTORE_MODE, false);
        return new FlinkRocksDB(
                backend.configure(all, classLoader),
                storage instanceof ConfigurableStateBackend
                        ? ((ConfigurableStateBackend) storage).configure(config, classLoader)
                        : storage,
                job);
    }

    EmbeddedRocksDBStateBackend backend() {
        return backend;
    }

    /** Where checkpoints go, if {@link #storesCheckpoints()}. */
    CheckpointStorage storage() {
        return (CheckpointStorage) storage;
    }

    /** As Flink makes it. */
    public <K> AbstractKeyedStateBackend<K> keyed(KeyedBackendParameters<K> parameters)
            throws IOException {
        return backend.createKeyedStateBackend(parameters.flinks());
    }

    /**
     * As Flink makes it, but for all key-groups, and with timers in RocksDB: those that a
     * checkpoint has there become column families then.
     *
     * @param options changes the options of the job, which may be null
     */
    public <K> RocksDBKeyedStateBackend<K> keyedForAll(
            KeyedBackendParameters<K> parameters, UnaryOperator<RocksDBOptionsFactory> options)
            throws IOException {
        backend.setPriorityQueueStateType(PriorityQueueStateType.ROCKSDB);
        backend.setRocksDBOptions(options.apply(backend.getRocksDBOptions()));
        StateBackend.KeyedStateBackendParameters<K> flinks = parameters.flinks();
        return (RocksDBKeyedStateBackend<K>)
                backend.createKeyedStateBackend(
                        new KeyedStateBackendParametersImpl<>(
                                flinks.getEnv(),
                                flinks.getJobID(),
                                flinks.getOperatorIdentifier(),
                                flinks.getKeySerializer(),
                                flinks.getNumberOfKeyGroups(),
                                KeyGroupRange.of(0, flinks.getNumberOfKeyGroups() - 1),
                                flinks.getKvStateRegistry(),
                                flinks.getTtlTimeProvider(),
                                flinks.getMetricGroup(),
                                flinks.getCustomInitializationMetrics(),
                                flinks.getStateHandles(),
                                flinks.getCancelStreamRegistry(),
                                flinks.getManagedMemoryFraction()));
    }

    @Override
    public String toString() {
        return storage == null ? backend.toString() : backend + " with " + storage;
    }
}
