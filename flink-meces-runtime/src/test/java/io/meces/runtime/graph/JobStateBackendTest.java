// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.graph;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.MecesOptions;
import io.meces.state.MecesStateBackend;
import io.meces.state.MecesStateBackendFactory;
import io.meces.state.MecesStateOptions;
import java.io.IOException;
import javax.annotation.Nullable;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.Path;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.filesystem.FsStateBackend;
import org.apache.flink.runtime.state.memory.MemoryStateBackend;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.DiscardingSink;
import org.junit.jupiter.api.Test;

/** Which jobs with state on the heap get our state backend, and where their checkpoints go. */
class JobStateBackendTest {

    private static final String OF_THE_JOB = "file:///of-the-job";
    private static final String OF_THE_CLUSTER = "file:///of-the-cluster";

    private final Configuration cluster = new Configuration();

    @Test
    void ofAJobThatSetsOneInItsCode() throws Exception {
        cluster.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, OF_THE_CLUSTER);
        assertThat(checkpoints(new FsStateBackend(OF_THE_JOB))).isEqualTo(new Path(OF_THE_JOB));
        assertThat(of(new MemoryStateBackend()).toString()).contains("MemoryStateBackend");
    }

    @Test
    void ofAClusterThatHasOne() throws Exception {
        cluster.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, OF_THE_CLUSTER);
        cluster.set(CheckpointingOptions.STATE_BACKEND, "filesystem");
        assertThat(checkpoints(null)).isEqualTo(new Path(OF_THE_CLUSTER));
        assertThat(of(null).toString()).doesNotContain("MemoryStateBackend");
        cluster.set(CheckpointingOptions.STATE_BACKEND, "jobmanager");
        assertThat(of(null).toString()).contains("MemoryStateBackend");
    }

    /** Flink keeps state on the heap then, and checkpoints in the JobManager. */
    @Test
    void ofAClusterThatSaysNothing() throws Exception {
        assertThat(checkpoints(null)).isNull();
        cluster.set(MecesStateOptions.SUB_GROUPS, 4);
        assertThat(((MecesStateBackend) of(null)).subGroups()).isEqualTo(4);
    }

    @Test
    void byTheNameOfItsFactory() throws Exception {
        cluster.set(CheckpointingOptions.STATE_BACKEND, MecesStateBackendFactory.class.getName());
        cluster.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, OF_THE_CLUSTER);
        assertThat(checkpoints(null)).isEqualTo(new Path(OF_THE_CLUSTER));
        // as by Flink's own, what a job sets comes before it
        assertThat(checkpoints(new FsStateBackend(OF_THE_JOB))).isEqualTo(new Path(OF_THE_JOB));
    }

    @Test
    void notIfThatIsSwitchedOff() throws Exception {
        cluster.set(MecesOptions.REPLACE_HEAP_BACKENDS, false);
        assertThat(of(new FsStateBackend(OF_THE_JOB))).isExactlyInstanceOf(FsStateBackend.class);
        assertThat(of(null)).isExactlyInstanceOf(MemoryStateBackend.class);
        assertThat(
                        ElasticJobGraph.rewrite(
                                        job(null),
                                        cluster,
                                        getClass().getClassLoader(),
                                        RestoredState.NONE)
                                .refusal())
                .contains("MemoryStateBackend", "meces.rescale.replace-heap-backends");
        // that it is ours says somebody himself
        cluster.set(CheckpointingOptions.STATE_BACKEND, MecesStateBackendFactory.class.getName());
        assertThat(of(null)).isInstanceOf(MecesStateBackend.class);
    }

    @Nullable
    private Path checkpoints(@Nullable StateBackend fromCode) throws IOException {
        return ((MecesStateBackend) of(fromCode)).checkpointPath();
    }

    private StateBackend of(@Nullable StateBackend fromCode) throws IOException {
        return JobStateBackend.of(job(fromCode), cluster, getClass().getClassLoader());
    }

    /** A job with a keyed vertex; null: it sets no state backend in its code. */
    static JobGraph job(@Nullable StateBackend backend) {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(2);
        env.setMaxParallelism(128);
        if (backend != null) {
            TestGraphs.setStateBackend(env, backend);
        }
        env.fromElements(1L, 2L).keyBy(n -> n).reduce(Long::sum).addSink(new DiscardingSink<>());
        return TestGraphs.of(env, "job");
    }
}
