// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.state;

import java.util.Collection;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.query.TaskKvStateRegistry;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;

/**
 * What Flink says when it has a task's keyed state backend made: single arguments in 1.12, one
 * value in later lines.
 */
public final class KeyedBackendParameters<K> {

    private final Environment environment;
    private final JobID jobId;
    private final String operatorIdentifier;
    private final TypeSerializer<K> keySerializer;
    private final int numberOfKeyGroups;
    private final KeyGroupRange keyGroupRange;
    private final TaskKvStateRegistry kvStateRegistry;
    private final TtlTimeProvider ttlTimeProvider;
    private final MetricGroup metricGroup;
    private final Collection<KeyedStateHandle> stateHandles;
    private final CloseableRegistry cancelStreamRegistry;
    private final double managedMemoryFraction;

    /** All that Flink says; the last one only to backends that use managed memory. */
    public KeyedBackendParameters(
            Environment environment,
            JobID jobId,
            String operatorIdentifier,
            TypeSerializer<K> keySerializer,
            int numberOfKeyGroups,
            KeyGroupRange keyGroupRange,
            TaskKvStateRegistry kvStateRegistry,
            TtlTimeProvider ttlTimeProvider,
            MetricGroup metricGroup,
            Collection<KeyedStateHandle> stateHandles,
            CloseableRegistry cancelStreamRegistry,
            double managedMemoryFraction) {
        this.environment = environment;
        this.jobId = jobId;
        this.operatorIdentifier = operatorIdentifier;
        this.keySerializer = keySerializer;
        this.numberOfKeyGroups = numberOfKeyGroups;
        this.keyGroupRange = keyGroupRange;
        this.kvStateRegistry = kvStateRegistry;
        this.ttlTimeProvider = ttlTimeProvider;
        this.metricGroup = metricGroup;
        this.stateHandles = stateHandles;
        this.cancelStreamRegistry = cancelStreamRegistry;
        this.managedMemoryFraction = managedMemoryFraction;
    }

    public Environment environment() {
        return environment;
    }

    public JobID jobId() {
        return jobId;
    }

    /** Names the backend in messages. */
    public String operatorIdentifier() {
        return operatorIdentifier;
    }

    public TypeSerializer<K> keySerializer() {
        return keySerializer;
    }

    /** The max parallelism. */
    public int numberOfKeyGroups() {
        return numberOfKeyGroups;
    }

    public KeyGroupRange keyGroupRange() {
        return keyGroupRange;
    }

    public TaskKvStateRegistry kvStateRegistry() {
        return kvStateRegistry;
    }

    public TtlTimeProvider ttlTimeProvider() {
        return ttlTimeProvider;
    }

    /** Of the operator. */
    public MetricGroup metricGroup() {
        return metricGroup;
    }

    /** To be restored. */
    public Collection<KeyedStateHandle> stateHandles() {
        return stateHandles;
    }

    public CloseableRegistry cancelStreamRegistry() {
        return cancelStreamRegistry;
    }

    /** Of that of the slot. */
    public double managedMemoryFraction() {
        return managedMemoryFraction;
    }
}
