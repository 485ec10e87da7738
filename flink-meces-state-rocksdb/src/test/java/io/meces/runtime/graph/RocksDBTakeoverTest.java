// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.graph;

import static io.meces.runtime.graph.JobStateBackendTest.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.runtime.MecesOptions;
import io.meces.state.ElasticStateBackend;
import io.meces.state.MecesStateBackend;
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
import org.apache.flink.runtime.state.filesystem.FsStateBackend;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;

/** Which jobs with RocksDB get ours. */
class RocksDBTakeoverTest {

    private static final String CHECKPOINTS = "file:///checkpoints";

    private final Configuration cluster = new Configuration();

    @Test
    void ofTheCodeOfAJobWhateverTheClusterHas() throws Exception {
        StateBackend ours = of(new RocksDBStateBackend(CHECKPOINTS, true));
        assertThat(ours).isInstanceOf(MecesRocksDBStateBackend.class);
        assertThat(((ElasticStateBackend) ours).refusal()).isNull();
        assertThat(ours.useManagedMemory()).isTrue();
        assertThat(InstantiationUtil.clone(ours).toString()).isEqualTo(ours.toString());
    }

    @Test
    void ofAClusterThatHasRocksDB() throws Exception {
        cluster.set(CheckpointingOptions.STATE_BACKEND, "rocksdb");
        cluster.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, CHECKPOINTS);
        assertThat(of(null)).isInstanceOf(MecesRocksDBStateBackend.class);
        // what a job sets in its code comes before it
        assertThat(of(new FsStateBackend(CHECKPOINTS))).isInstanceOf(MecesStateBackend.class);
    }

    @Test
    void byTheNameOfItsFactory() throws Exception {
        cluster.set(
                CheckpointingOptions.STATE_BACKEND,
                MecesRocksDBStateBackendFactory.class.getName());
        assertThatThrownBy(() -> of(null))
                .isInstanceOf(IllegalConfigurationException.class)
                .hasMessageContaining("state.checkpoints.dir");
        cluster.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, CHECKPOINTS);
        assertThat(of(null)).isInstanceOf(MecesRocksDBStateBackend.class);
    }

    @Test
    void notIfThatIsSwitchedOff() throws Exception {
        cluster.set(MecesOptions.REPLACE_ROCKSDB_BACKENDS, false);
        RocksDBStateBackend flinks = new RocksDBStateBackend(CHECKPOINTS);
        assertThat(of(flinks)).isExactlyInstanceOf(RocksDBStateBackend.class);
        assertThat(refusal(flinks)).contains("RocksDBStateBackend", "replace-rocksdb-backends");
    }

    @Test
    void timersThatAreWantedInRocksDBAreRefused() throws Exception {
        assertThat(refusal(new RocksDBStateBackend(CHECKPOINTS))).isNull();

        RocksDBStateBackend inCode = new RocksDBStateBackend(CHECKPOINTS);
        inCode.setPriorityQueueStateType(PriorityQueueStateType.ROCKSDB);
        assertThat(refusal(inCode)).contains("state.backend.rocksdb.timer-service.factory: HEAP");

        cluster.set(RocksDBOptions.TIMER_SERVICE_FACTORY, PriorityQueueStateType.ROCKSDB);
        assertThat(refusal(new RocksDBStateBackend(CHECKPOINTS))).contains("timer-service.factory");

        inCode.setNumberOfTransferThreads(4);
        assertThat(refusal(inCode)).contains("timer-service.factory");

        RocksDBStateBackend onHeap = new RocksDBStateBackend(CHECKPOINTS);
        onHeap.setPriorityQueueStateType(PriorityQueueStateType.HEAP);
        assertThat(refusal(onHeap)).isNull();
        assertThat(refusal(configured(onHeap))).isNull();
    }

    private RocksDBStateBackend configured(RocksDBStateBackend backend) {
        return backend.configure(new Configuration(), getClass().getClassLoader());
    }

    /** A client makes the backend that its flink-conf.yaml names a part of the job. */
    @Test
    void ofAClientThatHasRocksDBInItsConfiguration() throws Exception {
        RocksDBStateBackend configured = configured(new RocksDBStateBackend(CHECKPOINTS));
        assertThat(of(configured)).isInstanceOf(MecesRocksDBStateBackend.class);
        assertThat(refusal(configured)).isNull();
        cluster.set(RocksDBOptions.TIMER_SERVICE_FACTORY, PriorityQueueStateType.ROCKSDB);
        assertThat(refusal(configured)).contains("timer-service.factory");
    }

    private StateBackend of(@Nullable StateBackend fromCode) throws IOException {
        return JobStateBackend.of(job(fromCode), cluster, getClass().getClassLoader());
    }

    private String refusal(StateBackend fromCode) throws Exception {
        return ElasticJobGraph.rewrite(
                        job(fromCode), cluster, getClass().getClassLoader(), RestoredState.NONE)
                .refusal();
    }
}
