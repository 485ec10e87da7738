// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.rocksdb;

import io.meces.flink.state.KeyedBackendParameters;
import java.io.IOException;
import java.io.Serializable;
import java.util.function.UnaryOperator;
import javax.annotation.Nullable;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.contrib.streaming.state.AdoptedRocksDBKeyedStateBackend;
import org.apache.flink.contrib.streaming.state.RocksDBKeyedStateBackend;
import org.apache.flink.contrib.streaming.state.RocksDBOptions;
import org.apache.flink.contrib.streaming.state.RocksDBOptionsFactory;
import org.apache.flink.contrib.streaming.state.RocksDBStateBackend;
import org.apache.flink.contrib.streaming.state.RocksDBStateBackend.PriorityQueueStateType;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.StateBackend;

/** Flink's RocksDB backend as somebody has chosen it, with its options. Serializable. */
public final class FlinkRocksDB implements Serializable {

    private static final long serialVersionUID = 1L;

    private final RocksDBStateBackend backend;

    private FlinkRocksDB(RocksDBStateBackend backend) {
        this.backend = backend;
    }

    /** Whether it is Flink's own. One of a class that extends it may do what nobody knows. */
    public static boolean isOne(StateBackend backend) {
        return backend.getClass() == RocksDBStateBackend.class;
    }

    /**
     * One of Flink's, or of a class that extends it.
     *
     * @throws ClassCastException if it is another
     */
    public static FlinkRocksDB of(StateBackend backend) {
        return new FlinkRocksDB((RocksDBStateBackend) backend);
    }

    /**
     * That of a configuration, not configured yet.
     *
     * @param job says nothing in 1.12
     * @throws IllegalConfigurationException if there is no {@code state.checkpoints.dir}
     */
    public static FlinkRocksDB of(ReadableConfig cluster, Configuration job) {
        String directory = cluster.get(CheckpointingOptions.CHECKPOINTS_DIRECTORY);
        if (directory == null) {
            throw new IllegalConfigurationException(
                    "State in RocksDB needs a directory for checkpoints: "
                            + CheckpointingOptions.CHECKPOINTS_DIRECTORY.key());
        }
        try {
            return new FlinkRocksDB(new RocksDBStateBackend(directory));
        } catch (IOException | IllegalArgumentException e) {
            throw new IllegalConfigurationException(
                    "Invalid value for "
                            + CheckpointingOptions.CHECKPOINTS_DIRECTORY.key()
                            + ": "
                            + directory,
                    e);
        }
    }

    /** Whether the job or the cluster has asked for timers in RocksDB. */
    public boolean wantsTimersInRocksDB(ReadableConfig cluster) {
        PriorityQueueStateType timers = AdoptedRocksDBKeyedStateBackend.timersOf(backend);
        return (timers == null
                        ? cluster.getOptional(RocksDBOptions.TIMER_SERVICE_FACTORY)
                                .orElse(PriorityQueueStateType.HEAP)
                        : timers)
                == PriorityQueueStateType.ROCKSDB;
    }

    /** Why state cannot move with what else is configured, and the remedy; null if it can. */
    @Nullable
    public String refusal(ReadableConfig cluster) {
        return null;
    }

    /** Whether checkpoints are stored as this one has it, and not as the job has it besides. */
    public boolean storesCheckpoints() {
        return true;
    }

    /**
     * A copy with the configured values for whatever was not set in code.
     *
     * @throws IllegalConfigurationException if a value is invalid
     */
    public FlinkRocksDB configure(ReadableConfig config, ClassLoader classLoader) {
        return new FlinkRocksDB(backend.configure(config, classLoader));
    }

    RocksDBStateBackend backend() {
        return backend;
    }

    /** As Flink makes it. */
    public <K> AbstractKeyedStateBackend<K> keyed(KeyedBackendParameters<K> parameters)
            throws IOException {
        return keyed(parameters, parameters.keyGroupRange());
    }

    /**
     * As Flink makes it, but for all key-groups, and with timers in RocksDB: its builder refuses
     * those that a checkpoint has there otherwise.
     *
     * @param options changes the options of the job, which may be null
     */
    public <K> RocksDBKeyedStateBackend<K> keyedForAll(
            KeyedBackendParameters<K> parameters, UnaryOperator<RocksDBOptionsFactory> options)
            throws IOException {
        backend.setPriorityQueueStateType(PriorityQueueStateType.ROCKSDB);
        backend.setRocksDBOptions(options.apply(backend.getRocksDBOptions()));
        return (RocksDBKeyedStateBackend<K>)
                keyed(parameters, KeyGroupRange.of(0, parameters.numberOfKeyGroups() - 1));
    }

    private <K> AbstractKeyedStateBackend<K> keyed(
            KeyedBackendParameters<K> parameters, KeyGroupRange range) throws IOException {
        return backend.createKeyedStateBackend(
                parameters.environment(),
                parameters.jobId(),
                parameters.operatorIdentifier(),
                parameters.keySerializer(),
                parameters.numberOfKeyGroups(),
                range,
                parameters.kvStateRegistry(),
                parameters.ttlTimeProvider(),
                parameters.metricGroup(),
                parameters.stateHandles(),
                parameters.cancelStreamRegistry(),
                parameters.managedMemoryFraction());
    }

    @Override
    public String toString() {
        return backend.toString();
    }
}
