// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import io.meces.flink.rocksdb.FlinkRocksDB;
import io.meces.flink.rocksdb.TestRocksDB;
import io.meces.flink.state.KeyedBackendParameters;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.contrib.streaming.state.RocksDBStateBackend;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;

/** Ours with incremental checkpoints, where all tasks are elastic. */
public final class InElasticTasks extends MecesRocksDBStateBackend {
    private static final long serialVersionUID = 1L;

    private InElasticTasks(FlinkRocksDB flinks) {
        super(flinks, null, MecesRocksDBOptions.FILES_FROM.defaultValue().getBytes());
    }

    /** With databases and checkpoints in a directory. */
    public static InElasticTasks in(Path directory) throws IOException {
        RocksDBStateBackend flinks =
                new RocksDBStateBackend(directory.resolve("checkpoints").toUri(), true);
        flinks.setDbStoragePath(directory.resolve("db").toString());
        return new InElasticTasks(FlinkRocksDB.of(flinks));
    }

    @Override
    public InElasticTasks configure(ReadableConfig config, ClassLoader classLoader) {
        return new InElasticTasks(flinks.configure(config, classLoader));
    }

    @Override
    protected <K> AbstractKeyedStateBackend<K> createKeyedStateBackend(
            KeyedBackendParameters<K> parameters) throws IOException {
        return super.createKeyedStateBackend(
                TestRocksDB.with(
                        ElasticMock.of(
                                parameters.environment(),
                                ElasticMock.range(parameters.keyGroupRange())),
                        parameters.ttlTimeProvider(),
                        parameters));
    }
}
