// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import java.io.File;
import java.io.IOException;
import java.util.Collection;
import javax.annotation.Nonnull;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.contrib.streaming.state.RocksDBStateBackend;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.query.TaskKvStateRegistry;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.filesystem.FsStateBackend;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.apache.flink.util.TernaryBoolean;
import org.junit.rules.TemporaryFolder;

/** Ours with incremental checkpoints, where all tasks are elastic. */
final class InElasticTasks extends MecesRocksDBStateBackend {
    private static final long serialVersionUID = 1L;

    private InElasticTasks(RocksDBStateBackend flinks) {
        super(flinks, false, MecesRocksDBOptions.FILES_FROM.defaultValue().getBytes());
    }

    static InElasticTasks in(TemporaryFolder directory) throws IOException {
        File checkpoints = directory.newFolder();
        RocksDBStateBackend flinks =
                new RocksDBStateBackend(
                        (StateBackend) new FsStateBackend(checkpoints.toURI()),
                        TernaryBoolean.TRUE);
        flinks.setDbStoragePath(directory.newFolder().getAbsolutePath());
        return new InElasticTasks(flinks);
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
                ElasticMock.of(env, ElasticMock.range(keyGroupRange)),
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
                managedMemoryFraction);
    }
}
