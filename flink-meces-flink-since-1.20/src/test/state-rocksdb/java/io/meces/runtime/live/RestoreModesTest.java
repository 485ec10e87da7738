// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.api.RescaleDetails;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.testing.MecesMiniCluster;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import javax.annotation.Nullable;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.StateChangelogOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.checkpoint.CompletedCheckpointStats;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Jobs that begin with a checkpoint that another one has left, whose files are theirs, are copied,
 * or are shared.
 */
@Tag("full")
@Timeout(300)
class RestoreModesTest {

    private static MecesMiniCluster cluster;

    /** Deleted behind the cluster, which writes to it and deletes from it also after a job. */
    @TempDir static Path directory;

    private final Ledger ledger = new Ledger();

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

    private JobID submit(
            String backend, @Nullable SavepointRestoreSettings from, Configuration more)
            throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(2);
        env.setMaxParallelism(Jobs.MAX_PARALLELISM);
        env.enableCheckpointing(1_000);
        Configuration job = new Configuration();
        job.set(StateBackendOptions.STATE_BACKEND, backend);
        job.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
        job.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, directory.toUri().toString());
        job.set(CheckpointingOptions.FS_SMALL_FILE_THRESHOLD, MemorySize.ZERO);
        job.set(
                CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
                ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
        job.addAll(more);
        env.configure(job);
        Jobs.count(Jobs.source(env, ledger, 1_000, Long.MAX_VALUE), ledger, 2);
        JobGraph graph = TestGraphs.of(env, "counting");
        if (from != null) {
            graph.setSavepointRestoreSettings(from);
        }
        return cluster.submit(graph);
    }

    private void awaitResults(JobID job, int restarts) throws Exception {
        Ledger.awaitOrFail("the job", () -> Clusters.knowsToRun(cluster, job, restarts));
        ledger.awaitResults(2_000);
    }

    private static void rescale(JobID job, int parallelism) throws Exception {
        RescaleDetails status =
                cluster.rescale(job, "count", parallelism).get(120, TimeUnit.SECONDS);
        assertThat(status.failure()).isNull();
    }

    private static void cancel(JobID job) throws Exception {
        cluster.cancel(job).get(30, TimeUnit.SECONDS);
        Ledger.awaitOrFail("the end", () -> cluster.status(job).get() == JobStatus.CANCELED);
    }

    /** Cancels a job, and tells the checkpoint that it leaves. */
    private static String leave(JobID job) throws Exception {
        Clusters.awaitCheckpointOfNow(cluster, job);
        cancel(job);
        CompletedCheckpointStats last =
                cluster.flink()
                        .getExecutionGraph(job)
                        .get()
                        .getCheckpointStatsSnapshot()
                        .getHistory()
                        .getLatestCompletedCheckpoint();
        return last.getExternalPath();
    }

    private void assertExact() throws Exception {
        Ledger.Verdict verdict = ledger.settle();
        assertThat(verdict.violations).isEmpty();
        assertThat(verdict.distinct).isEqualTo(verdict.emitted);
    }

    @ParameterizedTest
    @CsvSource({
        "rocksdb, CLAIM",
        "rocksdb, NO_CLAIM",
        "rocksdb, LEGACY",
        "hashmap, CLAIM",
        "hashmap, NO_CLAIM",
        "hashmap, LEGACY"
    })
    void rescalesBeforeAndAfterTheFirstCheckpointAreExact(String backend, String mode)
            throws Exception {
        ledger.rate = 2_000;
        JobID first = submit(backend, null, new Configuration());
        awaitResults(first, 0);
        rescale(first, 3);
        String left = leave(first);
        Configuration claim = new Configuration();
        claim.set(StateRecoveryOptions.SAVEPOINT_PATH, left);
        claim.setString(StateRecoveryOptions.RESTORE_MODE.key(), mode);
        SavepointRestoreSettings from = SavepointRestoreSettings.fromConfiguration(claim);
        JobID second = submit(backend, from, new Configuration());
        Ledger.awaitOrFail("the job", () -> Clusters.knowsToRun(cluster, second, 0));
        rescale(second, 4);
        awaitResults(second, 0);
        Clusters.awaitCheckpointOfNow(cluster, second);
        rescale(second, 2);
        Clusters.awaitCheckpointOfNow(cluster, second);
        ledger.failOnce = true;
        Ledger.awaitOrFail("the restart", () -> Clusters.restarts(cluster, second) == 1);
        awaitResults(second, 1);
        rescale(second, 3);
        assertExact();
        ledger.paused = false;
        Clusters.awaitCheckpointOfNow(cluster, second);
        cancel(second);
        if (!mode.equals("CLAIM")) {
            // nobody has deleted a file of it
            JobID third = submit(backend, from, new Configuration());
            awaitResults(third, 0);
            rescale(third, 4);
            assertExact();
            cancel(third);
        }
    }

    @Test
    void aCheckpointWithAChangelogIsRefused() throws Exception {
        Configuration changelog = new Configuration();
        changelog.set(StateChangelogOptions.ENABLE_STATE_CHANGE_LOG, true);
        JobID first = submit("hashmap", null, changelog);
        awaitResults(first, 0);
        assertThat(cluster.elasticity(first).get().refusal()).contains("state.changelog.enabled");
        String left = leave(first);
        SavepointRestoreSettings from = SavepointRestoreSettings.forPath(left, false);
        assertThatThrownBy(
                        () -> {
                            JobID second = submit("hashmap", from, new Configuration());
                            Ledger.awaitOrFail(
                                    "the end",
                                    () -> cluster.status(second).get() == JobStatus.FAILED);
                            cluster.flink()
                                    .requestJobResult(second)
                                    .get()
                                    .toJobExecutionResult(RestoreModesTest.class.getClassLoader());
                        })
                .hasStackTraceContaining("has a changelog of state");
    }
}
