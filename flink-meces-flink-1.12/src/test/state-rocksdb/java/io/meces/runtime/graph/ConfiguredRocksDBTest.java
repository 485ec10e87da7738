// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.graph;

import static io.meces.runtime.graph.RocksDBTakeoverTest.CHECKPOINTS;
import static io.meces.runtime.graph.RocksDBTakeoverTest.job;
import static io.meces.runtime.graph.RocksDBTakeoverTest.refusal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.state.rocksdb.MecesRocksDBStateBackend;
import io.meces.state.rocksdb.MecesRocksDBStateBackendFactory;
import java.io.IOException;
import javax.annotation.Nullable;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.contrib.streaming.state.RocksDBOptions;
import org.apache.flink.contrib.streaming.state.RocksDBStateBackend;
import org.apache.flink.contrib.streaming.state.RocksDBStateBackend.PriorityQueueStateType;
import org.apache.flink.runtime.state.StateBackend;
import org.junit.jupiter.api.Test;

/** What configurations lead to in this line. */
class ConfiguredRocksDBTest {

    private final Configuration cluster = new Configuration();

    @Test
    void aDirectoryForCheckpointsIsNeeded() {
        cluster.set(
                CheckpointingOptions.STATE_BACKEND,
                MecesRocksDBStateBackendFactory.class.getName());
        assertThatThrownBy(() -> of(null))
                .isInstanceOf(IllegalConfigurationException.class)
                .hasMessageContaining("state.checkpoints.dir");
    }

    /** A client makes the backend that its flink-conf.yaml names a part of the job. */
    @Test
    void aClientHasRocksDBInItsConfiguration() throws Exception {
        RocksDBStateBackend configured =
                new RocksDBStateBackend(CHECKPOINTS)
                        .configure(new Configuration(), getClass().getClassLoader());
        assertThat(of(configured)).isInstanceOf(MecesRocksDBStateBackend.class);
        assertThat(refusal(job(configured), cluster)).isNull();
        cluster.set(RocksDBOptions.TIMER_SERVICE_FACTORY, PriorityQueueStateType.ROCKSDB);
        assertThat(refusal(job(configured), cluster)).contains("timer-service.factory");
    }

    private StateBackend of(@Nullable StateBackend fromCode) throws IOException {
        return JobStateBackend.of(job(fromCode), cluster, getClass().getClassLoader());
    }
}
