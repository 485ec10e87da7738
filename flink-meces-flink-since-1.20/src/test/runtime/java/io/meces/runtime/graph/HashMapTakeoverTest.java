// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.graph;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.MecesOptions;
import io.meces.state.ElasticStateBackend;
import io.meces.state.MecesStateBackend;
import io.meces.state.MecesStateOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import javax.annotation.Nullable;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.state.CheckpointStorage;
import org.apache.flink.runtime.state.CheckpointStorageLoader;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.filesystem.FsStateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.runtime.state.storage.FileSystemCheckpointStorage;
import org.apache.flink.runtime.state.storage.JobManagerCheckpointStorage;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;

/** Which jobs with state on the heap get our state backend, and where their checkpoints go. */
class HashMapTakeoverTest {

    private static final ClassLoader CLASS_LOADER = HashMapTakeoverTest.class.getClassLoader();

    private final Configuration cluster = new Configuration();

    @Test
    void whereverItIsChosen() throws Exception {
        cluster.set(MecesStateOptions.SUB_GROUPS, 4);
        assertIsOurs(of(null));
        assertIsOurs(of(new HashMapStateBackend()));
        for (String name : new String[] {"hashmap", "filesystem"}) {
            cluster.set(StateBackendOptions.STATE_BACKEND, name);
            assertIsOurs(of(null));
        }
        assertThat(refusal()).isNull();
    }

    private static void assertIsOurs(StateBackend backend) {
        assertThat(backend).isInstanceOf(ElasticStateBackend.class);
        assertThat(((ElasticStateBackend) backend).subGroups()).isEqualTo(4);
    }

    @Test
    void checkpointsGoWhereTheJobStoresThem() throws Exception {
        JobManagerCheckpointStorage ofTheJob = new JobManagerCheckpointStorage(1_000);
        assertThat(storage(of(null), ofTheJob)).isInstanceOf(JobManagerCheckpointStorage.class);
        cluster.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, "file:///of-the-cluster");
        assertThat(storage(of(null), null)).isInstanceOf(FileSystemCheckpointStorage.class);
        assertThat(storage(of(null), ofTheJob)).isInstanceOf(JobManagerCheckpointStorage.class);
    }

    /** As a task, which has the backend from the JobManager. */
    private CheckpointStorage storage(StateBackend backend, @Nullable CheckpointStorage ofTheJob)
            throws Exception {
        return CheckpointStorageLoader.load(
                ofTheJob,
                InstantiationUtil.clone(backend),
                new Configuration(),
                cluster,
                CLASS_LOADER,
                null);
    }

    @Test
    void oneThatStoresCheckpointsItselfIsReplacedByOneThatDoes() throws Exception {
        assertThat(of(new FsStateBackend("file:///of-the-job")))
                .isInstanceOf(MecesStateBackend.class)
                .isInstanceOf(CheckpointStorage.class);
    }

    @Test
    void notIfThatIsSwitchedOff() throws Exception {
        cluster.set(MecesOptions.REPLACE_HEAP_BACKENDS, false);
        assertThat(of(null)).isExactlyInstanceOf(HashMapStateBackend.class);
        assertThat(refusal())
                .contains("HashMapStateBackend", "meces.rescale.replace-heap-backends");
    }

    @Test
    void notWithFilesOfCheckpointsThatFlinkMerges() throws Exception {
        cluster.set(CheckpointingOptions.FILE_MERGING_ENABLED, true);
        String refusal = refusal();
        assertThat(refusal).contains("execution.checkpointing.file-merging.enabled: false");
        assertThat(
                        new String(
                                Files.readAllBytes(Paths.get("..", "docs", "refusals.md")),
                                StandardCharsets.UTF_8))
                .contains(refusal);
        JobGraph job = job(null);
        job.getJobConfiguration().set(CheckpointingOptions.FILE_MERGING_ENABLED, false);
        assertThat(
                        ElasticJobGraph.rewrite(job, cluster, CLASS_LOADER, RestoredState.NONE)
                                .refusal())
                .isNull();
    }

    private StateBackend of(@Nullable StateBackend fromCode) throws IOException {
        return JobStateBackend.of(job(fromCode), cluster, CLASS_LOADER);
    }

    @Nullable
    private String refusal() throws Exception {
        return ElasticJobGraph.rewrite(job(null), cluster, CLASS_LOADER, RestoredState.NONE)
                .refusal();
    }

    /** A job with a keyed vertex; null: it sets no state backend in its code. */
    private static JobGraph job(@Nullable StateBackend backend) {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(2);
        env.setMaxParallelism(128);
        if (backend != null) {
            TestGraphs.setStateBackend(env, backend);
        }
        env.fromSequence(1, 2).keyBy(n -> n).reduce(Long::sum).sinkTo(new DiscardingSink<>());
        return TestGraphs.of(env, "job");
    }
}
