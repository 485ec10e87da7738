// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.RescaleDetails;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.testing.MecesMiniCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.contrib.streaming.state.EmbeddedRocksDBStateBackend;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Jobs that choose RocksDB, and where their checkpoints go, each way there is in this line. */
@Timeout(200)
class EmbeddedRocksDBLiveTest {

    private static MecesMiniCluster cluster;

    /** Deleted behind the cluster, which writes to it and deletes from it also after a job. */
    @TempDir static Path directory;

    private final Ledger ledger = new Ledger();

    /** What has RocksDB in it. */
    enum Chosen {
        IN_CODE {
            @Override
            void by(StreamExecutionEnvironment env, Path checkpoints) {
                TestGraphs.setStateBackend(env, new EmbeddedRocksDBStateBackend(true));
                env.configure(
                        new Configuration()
                                .set(
                                        CheckpointingOptions.CHECKPOINTS_DIRECTORY,
                                        checkpoints.toUri().toString()));
            }
        },
        BY_CONFIGURATION {
            @Override
            void by(StreamExecutionEnvironment env, Path checkpoints) {
                Configuration job = new Configuration();
                job.set(StateBackendOptions.STATE_BACKEND, "rocksdb");
                job.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
                job.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, checkpoints.toUri().toString());
                TestGraphs.chooseStateBackend(env, job);
            }
        };

        abstract void by(StreamExecutionEnvironment env, Path checkpoints);
    }

    @BeforeAll
    static void start() throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.parse("128m"));
        cluster = Clusters.start(2, 4, configuration);
    }

    @AfterAll
    static void stop() throws Exception {
        cluster.close();
    }

    @ParameterizedTest
    @EnumSource
    void isExactAndItsCheckpointsGoWhereItSays(Chosen chosen) throws Exception {
        Path checkpoints = directory.resolve(chosen.name());
        ledger.rate = 1_000;
        StreamExecutionEnvironment env = Jobs.counting(ledger, 1_000, Long.MAX_VALUE, 1_000);
        chosen.by(env, checkpoints);
        JobID job = cluster.submit(TestGraphs.of(env, "counting"));
        try {
            ledger.awaitResults(2_000);
            rescale(job, 3);
            rescale(job, 2);
            Clusters.awaitCheckpointOfNow(cluster, job);
            Path shared = checkpoints.resolve(job.toString()).resolve("shared");
            try (Stream<Path> files = Files.list(shared)) {
                assertThat(files).isNotEmpty();
            }
            ledger.failOnce = true;
            Ledger.awaitOrFail(
                    "the restart",
                    () ->
                            Clusters.restarts(cluster, job) == 1
                                    && cluster.status(job).get() == JobStatus.RUNNING
                                    && Clusters.knowsToRun(cluster, job, 1));
            ledger.awaitResults(2_000);
            Ledger.Verdict verdict = ledger.settle();
            assertThat(verdict.violations).isEmpty();
            assertThat(verdict.distinct).isEqualTo(verdict.emitted);
        } finally {
            cluster.cancel(job).get(30, TimeUnit.SECONDS);
        }
    }

    private static void rescale(JobID job, int parallelism) throws Exception {
        RescaleDetails status =
                cluster.rescale(job, "count", parallelism).get(120, TimeUnit.SECONDS);
        assertThat(status.failure()).isNull();
    }
}
