// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.graph;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.MecesOptions;
import io.meces.state.ElasticStateBackend;
import io.meces.state.MecesStateBackend;
import io.meces.state.rocksdb.MecesRocksDBStateBackend;
import io.meces.state.rocksdb.MecesRocksDBStateBackendFactory;
import java.io.IOException;
import javax.annotation.Nullable;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.contrib.streaming.state.RocksDBStateBackend;
import org.apache.flink.contrib.streaming.state.RocksDBStateBackend.PriorityQueueStateType;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.DiscardingSink;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;

/** Which jobs with RocksDB get ours. */
class RocksDBTakeoverTest {

    static final String CHECKPOINTS = "file:///checkpoints";

    private static final String TIMERS = "state.backend.rocksdb.timer-service.factory";

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
        cluster.setString("state.backend", "rocksdb");
        cluster.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, CHECKPOINTS);
        assertThat(of(null)).isInstanceOf(MecesRocksDBStateBackend.class);
        // what a job sets in its code comes before it
        assertThat(of(new MecesStateBackend())).isInstanceOf(MecesStateBackend.class);
    }

    @Test
    void byTheNameOfItsFactory() throws Exception {
        cluster.setString("state.backend", MecesRocksDBStateBackendFactory.class.getName());
        cluster.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, CHECKPOINTS);
        assertThat(of(null)).isInstanceOf(MecesRocksDBStateBackend.class);
    }

    @Test
    void notIfThatIsSwitchedOff() throws Exception {
        cluster.set(MecesOptions.REPLACE_ROCKSDB_BACKENDS, false);
        RocksDBStateBackend flinks = new RocksDBStateBackend(CHECKPOINTS);
        assertThat(of(flinks)).isNotInstanceOf(ElasticStateBackend.class);
        assertThat(refusal(flinks)).contains("RocksDBStateBackend", "replace-rocksdb-backends");
    }

    @Test
    void timersThatAreWantedInRocksDBAreRefused() throws Exception {
        assertThat(refusal(new RocksDBStateBackend(CHECKPOINTS))).isNull();

        RocksDBStateBackend inCode = new RocksDBStateBackend(CHECKPOINTS);
        inCode.setPriorityQueueStateType(PriorityQueueStateType.ROCKSDB);
        assertThat(refusal(inCode)).contains("state.backend.rocksdb.timer-service.factory: HEAP");

        cluster.setString(TIMERS, "ROCKSDB");
        assertThat(refusal(new RocksDBStateBackend(CHECKPOINTS))).contains(TIMERS);

        inCode.setNumberOfTransferThreads(4);
        assertThat(refusal(inCode)).contains(TIMERS);

        RocksDBStateBackend onHeap = new RocksDBStateBackend(CHECKPOINTS);
        onHeap.setPriorityQueueStateType(PriorityQueueStateType.HEAP);
        assertThat(refusal(onHeap)).isNull();
        assertThat(refusal(onHeap.configure(new Configuration(), getClass().getClassLoader())))
                .isNull();
    }

    /** A job with a keyed vertex; null: it sets no state backend in its code. */
    static JobGraph job(@Nullable StateBackend backend) {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        if (backend != null) {
            TestGraphs.setStateBackend(env, backend);
        }
        return job(env);
    }

    static JobGraph job(StreamExecutionEnvironment env) {
        env.setParallelism(2);
        env.setMaxParallelism(128);
        env.fromElements(1L, 2L).keyBy(n -> n).reduce(Long::sum).addSink(new DiscardingSink<>());
        return TestGraphs.of(env, "job");
    }

    /** Null if the job can be rescaled. */
    @Nullable
    static String refusal(JobGraph job, Configuration cluster) throws Exception {
        return ElasticJobGraph.rewrite(
                        job,
                        cluster,
                        RocksDBTakeoverTest.class.getClassLoader(),
                        RestoredState.NONE)
                .refusal();
    }

    private StateBackend of(@Nullable StateBackend fromCode) throws IOException {
        return JobStateBackend.of(job(fromCode), cluster, getClass().getClassLoader());
    }

    private String refusal(StateBackend fromCode) throws Exception {
        return refusal(job(fromCode), cluster);
    }
}
