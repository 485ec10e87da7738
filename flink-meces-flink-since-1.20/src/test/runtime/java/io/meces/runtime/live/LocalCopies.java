// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.RescaleDetails;
import io.meces.api.RescaleRequest;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.testing.MecesMiniCluster;
import java.io.File;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.core.execution.CheckpointType;
import org.apache.flink.runtime.checkpoint.CheckpointStatsSnapshot;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A job whose TaskManagers keep copies of what it has stored, fails before and after rescales. */
@Tag("full")
@Timeout(600)
abstract class LocalCopies {

    private static final Logger LOG = LoggerFactory.getLogger(LocalCopies.class);

    /** So often that no rescale asks for a checkpoint at its end, and seldom enough for a test. */
    private static final long INTERVAL_MS = 10_000;

    @TempDir private Path directory;

    private final Ledger ledger = new Ledger();
    private MecesMiniCluster cluster;
    private JobID job;

    /** As in the configuration. */
    abstract String backend();

    @BeforeEach
    void start() throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.parse("128m"));
        configuration.set(StateRecoveryOptions.LOCAL_RECOVERY, true);
        cluster = Clusters.start(2, 4, configuration);
        ledger.rate = 1_000;
        StreamExecutionEnvironment env = Jobs.counting(ledger, 1_000, Long.MAX_VALUE, INTERVAL_MS);
        Configuration options = new Configuration();
        options.set(StateBackendOptions.STATE_BACKEND, backend());
        options.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
        options.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, directory.toUri().toString());
        options.set(CheckpointingOptions.FS_SMALL_FILE_THRESHOLD, MemorySize.ZERO);
        TestGraphs.chooseStateBackend(env, options);
        TestGraphs.restart(env, 1_000, 50);
        job = cluster.submit(TestGraphs.of(env, "counting"));
        ledger.awaitResults(2_000);
        Ledger.awaitOrFail("the job", () -> Clusters.knowsToRun(cluster, job, 0));
    }

    @AfterEach
    void stop() throws Exception {
        cluster.cancel(job).get(30, TimeUnit.SECONDS);
        cluster.close();
    }

    private void rescale(int parallelism) throws Exception {
        RescaleDetails status =
                cluster.rescale(job, "count", parallelism).get(240, TimeUnit.SECONDS);
        assertThat(status.failure()).isNull();
        ledger.awaitResults(500);
    }

    private void checkpoint() throws Exception {
        cluster.flink().triggerCheckpoint(job, CheckpointType.CONFIGURED).get(60, TimeUnit.SECONDS);
    }

    private CheckpointStatsSnapshot stats() throws Exception {
        return cluster.flink().getExecutionGraph(job).get().getCheckpointStatsSnapshot();
    }

    private int restarts() throws Exception {
        return Clusters.restarts(cluster, job);
    }

    private void fail() throws Exception {
        int before = restarts();
        ledger.failed.set(false);
        ledger.failOnce = true;
        Ledger.awaitOrFail("the restart", () -> restarts() > before);
        awaitRecovery();
    }

    /** Subtasks that a rescale has activated anew have other numbers of attempts. */
    private void awaitRecovery() throws Exception {
        Clusters.awaitRecovery(cluster, job, ledger, ledger.results.get());
    }

    private void assertExact() throws Exception {
        Ledger.Verdict verdict = ledger.settle();
        assertThat(verdict.violations).isEmpty();
        assertThat(verdict.distinct).isEqualTo(verdict.emitted);
        ledger.resume();
    }

    /**
     * Has the job fail when the state of its keys is nowhere but in the copies: a subtask that
     * looked elsewhere would fail again.
     */
    private void failWithCopiesAlone() throws Exception {
        // another checkpoint may come between
        for (int i = 0; i < 5; i++) {
            int before = restarts();
            checkpoint();
            long id = stats().getHistory().getLatestCompletedCheckpoint().getCheckpointId();
            String path = stats().getHistory().getLatestCompletedCheckpoint().getExternalPath();
            for (File file : CheckpointFiles.keyed(path)) {
                // a file may be of several checkpoints
                assertThat(file.delete() || !file.exists()).isTrue();
            }
            fail();
            assertThat(restarts()).isEqualTo(before + 1);
            if (stats().getLatestRestoredCheckpoint().getCheckpointId() == id) {
                return;
            }
        }
        throw new AssertionError("Never restored from a checkpoint without files");
    }

    @Test
    void atRestNothingIsReadFromElsewhere() throws Exception {
        failWithCopiesAlone();
        failWithCopiesAlone();
        assertExact();
    }

    @Test
    void afterRescalesWithACheckpointSinceNothingIsReadFromElsewhere() throws Exception {
        for (int parallelism : new int[] {4, 1, 3}) {
            rescale(parallelism);
        }
        failWithCopiesAlone();
        rescale(2);
        failWithCopiesAlone();
        assertExact();
    }

    /** Copies are of the assignment of before, and there are some of subtasks that have left. */
    @Test
    void afterRescalesWithoutACheckpointSinceItIsExact() throws Exception {
        rescale(3);
        checkpoint();
        rescale(5);
        fail();
        assertExact();
        // a scale-in takes a checkpoint, in which one subtask has all
        rescale(1);
        rescale(3);
        fail();
        assertExact();
        checkpoint();
        rescale(2);
        fail();
        assertExact();
        failWithCopiesAlone();
        assertExact();
    }

    @Test
    void afterFailuresInRescalesItIsExact() throws Exception {
        long seed = Long.getLong("rescale.seed", System.nanoTime());
        LOG.info("-Drescale.seed={}", seed);
        Random random = new Random(seed);
        int parallelism = 2;
        for (int i = 0; i < 4; i++) {
            if (random.nextBoolean()) {
                checkpoint();
            }
            int next = 1 + random.nextInt(5);
            parallelism = next == parallelism ? 6 : next;
            int before = restarts();
            CompletableFuture<RescaleDetails> rescale =
                    cluster.rescale(
                            job,
                            RescaleRequest.of(RescaleRequest.Target.byName("count", parallelism))
                                    .withBatchSize(8));
            ledger.awaitResults(random.nextInt(1_000));
            ledger.failed.set(false);
            ledger.failOnce = true;
            Ledger.awaitOrFail("the restart", () -> restarts() > before);
            assertThat(rescale.get(240, TimeUnit.SECONDS).failure())
                    .as("-Drescale.seed=%s", seed)
                    .isNull();
            awaitRecovery();
            assertExact();
        }
        failWithCopiesAlone();
        assertExact();
    }
}
