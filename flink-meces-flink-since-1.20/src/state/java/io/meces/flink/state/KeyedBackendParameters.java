// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.state;

import java.util.Collection;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.query.TaskKvStateRegistry;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;

/** What Flink says when it has a task's keyed state backend made. */
public final class KeyedBackendParameters<K> {

    private final StateBackend.KeyedStateBackendParameters<K> flinks;

    public KeyedBackendParameters(StateBackend.KeyedStateBackendParameters<K> flinks) {
        this.flinks = flinks;
    }

    public StateBackend.KeyedStateBackendParameters<K> flinks() {
        return flinks;
    }

    public Environment environment() {
        return flinks.getEnv();
    }

    /** Names the backend in messages. */
    public String operatorIdentifier() {
        return flinks.getOperatorIdentifier();
    }

    public TypeSerializer<K> keySerializer() {
        return flinks.getKeySerializer();
    }

    /** The max parallelism. */
    public int numberOfKeyGroups() {
        return flinks.getNumberOfKeyGroups();
    }

    public KeyGroupRange keyGroupRange() {
        return flinks.getKeyGroupRange();
    }

    public TaskKvStateRegistry kvStateRegistry() {
        return flinks.getKvStateRegistry();
    }

    public TtlTimeProvider ttlTimeProvider() {
        return flinks.getTtlTimeProvider();
    }

    /** Of the operator. */
    public MetricGroup metricGroup() {
        return flinks.getMetricGroup();
    }

    /** To be restored. */
    public Collection<KeyedStateHandle> stateHandles() {
        return flinks.getStateHandles();
    }

    public CloseableRegistry cancelStreamRegistry() {
        return flinks.getCancelStreamRegistry();
    }
}
