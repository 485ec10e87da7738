// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.api.RescaleDetails;
import io.meces.flink.runtime.Savepoints;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.testing.MecesMiniCluster;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.concurrent.TimeUnit;
import javax.annotation.Nullable;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.StateChangelogOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.checkpoint.CompletedCheckpointStats;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.executiongraph.AccessExecutionGraph;
import org.apache.flink.runtime.executiongraph.AccessExecutionVertex;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Jobs that begin with what another one has left, of ours or of a stock Flink. Its files become
 * theirs, are copied, or are shared.
 */
@Tag("full")
@Timeout(300)
class RestoreModesTest {

    private static final String CLAIM = "CLAIM";

    private static MecesMiniCluster cluster;
    private static MiniCluster stock;

    /** Deleted behind the clusters, which write to it and delete from it also after a job. */
    @TempDir static Path directory;

    private final Ledger ledger = new Ledger();

    @BeforeAll
    static void start() throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.parse("128m"));
        cluster = Clusters.start(2, 4, configuration);
        configuration.set(RestOptions.PORT, 0);
        stock =
                new MiniCluster(
                        new MiniClusterConfiguration.Builder()
                                .setConfiguration(configuration)
                                .setNumTaskManagers(1)
                                .setNumSlotsPerTaskManager(4)
                                .build());
        stock.start();
    }

    @AfterAll
    static void stop() throws Exception {
        cluster.close();
        stock.close();
    }

    private JobGraph counting(
            String backend, @Nullable SavepointRestoreSettings from, Configuration more) {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(2);
        env.setMaxParallelism(Jobs.MAX_PARALLELISM);
        env.setBufferTimeout(5);
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
        return graph;
    }

    private JobID submit(
            String backend, @Nullable SavepointRestoreSettings from, Configuration more)
            throws Exception {
        return cluster.submit(counting(backend, from, more));
    }

    /** Runs a job of ours, or of a stock Flink, until it gives results. */
    private JobID run(MiniCluster where, String backend, @Nullable SavepointRestoreSettings from)
            throws Exception {
        JobGraph graph = counting(backend, from, new Configuration());
        JobID job = graph.getJobID();
        if (where == stock) {
            stock.runDetached(graph);
        } else {
            cluster.submit(graph);
        }
        Ledger.awaitOrFail("the job", () -> allRun(where, job));
        ledger.paused = false;
        ledger.awaitResults(2_000);
        return job;
    }

    private static boolean allRun(MiniCluster where, JobID job) throws Exception {
        // a job that is being initialized has no vertices
        if (where.getJobStatus(job).get() != JobStatus.RUNNING) {
            return false;
        }
        if (where != stock) {
            return Clusters.knowsToRun(cluster, job, 0);
        }
        AccessExecutionGraph graph = where.getExecutionGraph(job).get();
        for (AccessExecutionVertex vertex : graph.getAllExecutionVertices()) {
            if (vertex.getExecutionState() != ExecutionState.RUNNING) {
                return false;
            }
        }
        return true;
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

    private static long completed(MiniCluster where, JobID job) throws Exception {
        return where.getExecutionGraph(job)
                .get()
                .getCheckpointStatsSnapshot()
                .getCounts()
                .getNumberOfCompletedCheckpoints();
    }

    private static void awaitCheckpoints(MiniCluster where, JobID job, int more) throws Exception {
        long enough = completed(where, job) + more;
        Ledger.awaitOrFail("checkpoints", () -> completed(where, job) >= enough);
    }

    private static void cancel(MiniCluster where, JobID job) throws Exception {
        where.cancelJob(job).get(30, TimeUnit.SECONDS);
        Ledger.awaitOrFail("the end", () -> where.getJobStatus(job).get() == JobStatus.CANCELED);
    }

    /** Cancels a job, and tells the checkpoint that it leaves. */
    private static String leave(MiniCluster where, JobID job) throws Exception {
        awaitCheckpoints(where, job, 2);
        cancel(where, job);
        CompletedCheckpointStats last =
                where.getExecutionGraph(job)
                        .get()
                        .getCheckpointStatsSnapshot()
                        .getHistory()
                        .getLatestCompletedCheckpoint();
        return last.getExternalPath();
    }

    private static SavepointRestoreSettings from(String path, String mode) {
        Configuration claim = new Configuration();
        claim.set(StateRecoveryOptions.SAVEPOINT_PATH, path);
        claim.setString(StateRecoveryOptions.RESTORE_MODE.key(), mode);
        return SavepointRestoreSettings.fromConfiguration(claim);
    }

    private void assertExact() throws Exception {
        Ledger.Verdict verdict = ledger.settle();
        assertThat(verdict.violations).isEmpty();
        assertThat(verdict.distinct).isEqualTo(verdict.emitted);
        ledger.paused = false;
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
        ledger.rate = 1_000;
        JobID first = run(cluster.flink(), backend, null);
        rescale(first, 3);
        String left = leave(cluster.flink(), first);
        SavepointRestoreSettings from = from(left, mode);
        JobID second = submit(backend, from, new Configuration());
        Ledger.awaitOrFail("the job", () -> Clusters.knowsToRun(cluster, second, 0));
        rescale(second, 4);
        awaitResults(second, 0);
        Clusters.awaitCheckpointOfNow(cluster, second);
        rescale(second, 2);
        Clusters.awaitCheckpointOfNow(cluster, second);
        Path files = directory.resolve(first.toString());
        Path away = directory.resolve(first + "-away");
        if (mode.equals("NO_CLAIM")) {
            // nothing is to depend on them
            Files.move(files, away);
        }
        ledger.failOnce = true;
        Ledger.awaitOrFail("the restart", () -> Clusters.restarts(cluster, second) == 1);
        awaitResults(second, 1);
        rescale(second, 3);
        assertExact();
        Clusters.awaitCheckpointOfNow(cluster, second);
        cancel(cluster.flink(), second);
        if (!mode.equals(CLAIM)) {
            if (mode.equals("NO_CLAIM")) {
                Files.move(away, files);
            }
            // nobody has deleted a file of it; what has been emitted since is emitted again
            ledger.rate = 50_000;
            JobID third = submit(backend, from, new Configuration());
            awaitResults(third, 0);
            ledger.rate = 1_000;
            rescale(third, 4);
            assertExact();
            cancel(cluster.flink(), third);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "NATIVE, CLAIM",
        "NATIVE, NO_CLAIM",
        "NATIVE, LEGACY",
        "CANONICAL, CLAIM",
        "CANONICAL, NO_CLAIM",
        "CANONICAL, LEGACY"
    })
    void savepointsGoFromStockToOursAndBack(SavepointFormatType format, String mode)
            throws Exception {
        ledger.rate = 1_000;
        JobID first = run(stock, "rocksdb", null);
        String ofStock = savepoint(stock, first, format);

        JobID second = run(cluster.flink(), "rocksdb", from(ofStock, mode));
        rescale(second, 3);
        Clusters.awaitCheckpointOfNow(cluster, second);
        rescale(second, 2);
        ledger.failOnce = true;
        Ledger.awaitOrFail("the restart", () -> Clusters.restarts(cluster, second) == 1);
        awaitResults(second, 1);
        awaitFate(ofStock, mode);
        rescale(second, 3);
        assertExact();
        String ofOurs = savepoint(cluster.flink(), second, format);

        JobID third = run(stock, "rocksdb", from(ofOurs, mode));
        awaitCheckpoints(stock, third, 2);
        awaitFate(ofOurs, mode);
        assertExact();
        cancel(stock, third);
    }

    private static String savepoint(MiniCluster where, JobID job, SavepointFormatType format)
            throws Exception {
        String savepoint =
                Savepoints.take(where, job, directory.toUri().toString(), true, format)
                        .get(60, TimeUnit.SECONDS);
        where.requestJobResult(job).get(60, TimeUnit.SECONDS);
        return savepoint;
    }

    /** A savepoint is deleted if it has been claimed. */
    private static void awaitFate(String savepoint, String mode) throws Exception {
        File metadata = metadata(savepoint);
        if (mode.equals(CLAIM)) {
            Ledger.awaitOrFail("the savepoint is deleted", () -> !metadata.exists());
        } else {
            assertThat(metadata).exists();
            assertThat(CheckpointFiles.of(savepoint)).isNotEmpty().allMatch(File::exists);
        }
    }

    private static File metadata(String checkpoint) {
        return new File(Paths.get(java.net.URI.create(checkpoint)).toFile(), "_metadata");
    }

    /** A checkpoint of a vertex that has been rescaled has a set of files several times. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void filesThatAreClaimedAreDeletedWhenNothingRefersToThem(boolean byOurs) throws Exception {
        MiniCluster next = byOurs ? cluster.flink() : stock;
        ledger.rate = 1_000;
        JobID first = run(cluster.flink(), "rocksdb", null);
        for (int parallelism : new int[] {4, 1, 3}) {
            rescale(first, parallelism);
            ledger.awaitResults(1_000);
        }
        String left = leave(cluster.flink(), first);
        assertThat(CheckpointFiles.of(left)).isNotEmpty().allMatch(File::exists);

        JobID second = run(next, "rocksdb", from(left, CLAIM));
        for (int parallelism : byOurs ? new int[] {2, 4} : new int[0]) {
            rescale(second, parallelism);
            ledger.awaitResults(1_000);
        }
        Ledger.awaitOrFail("the checkpoint is subsumed", () -> !metadata(left).exists());
        awaitCheckpoints(next, second, 4);
        assertExact();
        String last = leave(next, second);
        assertThat(CheckpointFiles.of(last)).isNotEmpty().allMatch(File::exists);
        // those that nothing refers to are deleted in the background
        Path files = directory.resolve(first.toString());
        Ledger.awaitOrFail(
                "no file is left behind",
                () -> CheckpointFiles.of(last).containsAll(CheckpointFiles.below(files)));

        JobID third = run(byOurs ? stock : cluster.flink(), "rocksdb", from(last, CLAIM));
        assertExact();
        cancel(byOurs ? stock : cluster.flink(), third);
    }

    @Test
    void aCheckpointWithAChangelogIsRefused() throws Exception {
        Configuration changelog = new Configuration();
        changelog.set(StateChangelogOptions.ENABLE_STATE_CHANGE_LOG, true);
        JobID first = submit("hashmap", null, changelog);
        awaitResults(first, 0);
        assertThat(cluster.elasticity(first).get().refusal()).contains("state.changelog.enabled");
        String left = leave(cluster.flink(), first);
        SavepointRestoreSettings from = SavepointRestoreSettings.forPath(left, false);
        assertThatThrownBy(() -> awaitFailure(cluster.flink(), from))
                .hasStackTraceContaining("has a changelog of state");
    }

    /** Whose records in flight are, after a rescale, its own JobManager can tell. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anUnalignedCheckpointOfARescaledJobIsRefused(boolean byOurs) throws Exception {
        Configuration unaligned = new Configuration();
        unaligned.set(CheckpointingOptions.ENABLE_UNALIGNED, true);
        ledger.rate = 20_000;
        ledger.workNanos = 200_000;
        JobID first = submit("hashmap", null, unaligned);
        awaitResults(first, 0);
        // 2 to 3 leaves one of them with two ranges
        rescale(first, 3);
        String left = leave(cluster.flink(), first);
        ledger.workNanos = 0;
        SavepointRestoreSettings from = SavepointRestoreSettings.forPath(left, false);
        assertThatThrownBy(() -> awaitFailure(byOurs ? cluster.flink() : stock, from))
                .hasStackTraceContaining("Cannot map checkpoint/savepoint state for operator")
                .hasStackTraceContaining("0000006d65636573696e666c69676874");
    }

    private void awaitFailure(MiniCluster where, SavepointRestoreSettings from) throws Exception {
        JobGraph graph = counting("hashmap", from, new Configuration());
        if (where == stock) {
            stock.runDetached(graph);
        } else {
            cluster.submit(graph);
        }
        where.requestJobResult(graph.getJobID())
                .get(60, TimeUnit.SECONDS)
                .toJobExecutionResult(RestoreModesTest.class.getClassLoader());
    }
}
