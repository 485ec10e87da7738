// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.graph;

import static io.meces.runtime.graph.RocksDBTakeoverTest.job;
import static io.meces.runtime.graph.RocksDBTakeoverTest.refusal;
import static org.assertj.core.api.Assertions.assertThat;

import io.meces.flink.runtime.TestGraphs;
import io.meces.state.rocksdb.MecesRocksDBStateBackend;
import io.meces.state.rocksdb.MecesRocksDBStateBackendFactory;
import java.io.IOException;
import java.time.Duration;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.StateChangelogOptions;
import org.apache.flink.contrib.streaming.state.EmbeddedRocksDBStateBackend;
import org.apache.flink.contrib.streaming.state.EmbeddedRocksDBStateBackend.PriorityQueueStateType;
import org.apache.flink.contrib.streaming.state.RocksDBConfigurableOptions;
import org.apache.flink.contrib.streaming.state.RocksDBOptions;
import org.apache.flink.contrib.streaming.state.sstmerge.RocksDBManualCompactionOptions;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.state.CheckpointStorage;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What configurations lead to in this line, where checkpoint storage is apart from state. */
class ConfiguredRocksDBTest {

    private final Configuration cluster = new Configuration();
    private final Configuration ofJob = new Configuration();

    @Test
    void theStorageOfTheJobStays() throws Exception {
        assertThat(of(job(new EmbeddedRocksDBStateBackend())))
                .isInstanceOf(MecesRocksDBStateBackend.class)
                .isNotInstanceOf(CheckpointStorage.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"state.backend", "state.backend.type"})
    void ofAClusterWithoutADirectory(String key) throws Exception {
        cluster.setString(key, "rocksdb");
        assertThat(of(job((StateBackend) null)))
                .isInstanceOf(MecesRocksDBStateBackend.class)
                .isNotInstanceOf(CheckpointStorage.class);
        cluster.setString(key, MecesRocksDBStateBackendFactory.class.getName());
        assertThat(of(job((StateBackend) null))).isInstanceOf(MecesRocksDBStateBackend.class);
    }

    @Test
    void allFormatsAndModesOfRestoreAreThose() throws Exception {
        StateBackend ours = of(job(new EmbeddedRocksDBStateBackend()));
        assertThat(ours.supportsNoClaimRestoreMode()).isTrue();
        for (SavepointFormatType format : SavepointFormatType.values()) {
            assertThat(ours.supportsSavepointFormat(format)).isTrue();
        }
    }

    /** Also in a TaskManager, which has a configuration of its own. */
    @Test
    void whatTheJobIsConfiguredWithComesBeforeTheCluster() throws Exception {
        ofJob.set(StateBackendOptions.STATE_BACKEND, "rocksdb");
        ofJob.set(RocksDBOptions.CHECKPOINT_TRANSFER_THREAD_NUM, 7);
        cluster.set(RocksDBOptions.CHECKPOINT_TRANSFER_THREAD_NUM, 3);
        cluster.set(RocksDBConfigurableOptions.WRITE_BATCH_SIZE, MemorySize.ofMebiBytes(5));
        MecesRocksDBStateBackend ours = (MecesRocksDBStateBackend) of(configured());
        assertThat(ours.configure(cluster, getClass().getClassLoader()).toString())
                .contains("numberOfTransferThreads=7", "writeBatchSize=" + (5 << 20));
    }

    @Test
    void timersInRocksDBAreRefusedWhereTheyAreAskedFor() throws Exception {
        ofJob.set(StateBackendOptions.STATE_BACKEND, "rocksdb");
        assertThat(refusal(configured(), cluster)).isNull();
        ofJob.set(RocksDBOptions.TIMER_SERVICE_FACTORY, PriorityQueueStateType.ROCKSDB);
        assertThat(refusal(configured(), cluster)).contains("timer-service.factory: HEAP");
    }

    @Test
    void filesThatFlinkMergesAreRefused() throws Exception {
        cluster.set(RocksDBManualCompactionOptions.MIN_INTERVAL, Duration.ofSeconds(10));
        assertThat(refusal(job(new EmbeddedRocksDBStateBackend()), cluster))
                .contains("state.backend.rocksdb.manual-compaction.min-interval");
    }

    @Test
    void aChangelogIsRefused() throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        TestGraphs.setStateBackend(env, new EmbeddedRocksDBStateBackend());
        env.enableChangelogStateBackend(true);
        assertThat(refusal(job(env), cluster))
                .contains("ChangelogStateBackend", "state.changelog.enabled");
        cluster.set(StateChangelogOptions.ENABLE_STATE_CHANGE_LOG, true);
        assertThat(refusal(job(new EmbeddedRocksDBStateBackend()), cluster))
                .contains("ChangelogStateBackend", "state.changelog.enabled");
    }

    private JobGraph configured() {
        return job(StreamExecutionEnvironment.getExecutionEnvironment(ofJob));
    }

    private StateBackend of(JobGraph job) throws IOException {
        return JobStateBackend.of(job, cluster, getClass().getClassLoader());
    }
}
