// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live.matrix;

import io.meces.flink.rocksdb.TestRocksDB;
import java.io.IOException;
import java.net.URI;
import java.util.Collection;
import javax.annotation.Nonnull;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.contrib.streaming.state.RocksDBStateBackend;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.query.TaskKvStateRegistry;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;

/** Flink's, in which state expires by the clock of a run. */
final class ClockedRocksDB extends RocksDBStateBackend {

    private static final long serialVersionUID = 1L;

    private final String runName;

    ClockedRocksDB(String runName, String checkpoints) throws IOException {
        super(URI.create(checkpoints), true);
        this.runName = runName;
        TestRocksDB.leaveManagedMemory(this);
    }

    @Override
    public RocksDBStateBackend configure(ReadableConfig config, ClassLoader classLoader) {
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
            CloseableRegistry cancelStreamRegistry,
            double managedMemoryFraction)
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
                cancelStreamRegistry,
                managedMemoryFraction);
    }
}
