// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.RescaleDetails;
import io.meces.api.RescaleRequest;
import io.meces.api.RescaleStatus;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.testing.MecesMiniCluster;
import io.meces.state.rocksdb.HeldDeletions;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.contrib.streaming.state.RocksDBStateBackend;
import org.apache.flink.runtime.checkpoint.CheckpointStatsSnapshot;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A restart after all key-groups have moved, from a checkpoint of before: each subtask gets the
 * files of all that have a key-group of its own, and most of what is in them belongs elsewhere.
 */
@Tag("full")
@Timeout(400)
class RocksDBStaleDataTest {

    private static final int KEYS = 25_000;

    /** 100 MB in all. */
    private static final int PAYLOAD = 4 << 10;

    /** Longer than a rescale takes. */
    private static final long CHECKPOINT_INTERVAL = 10_000;

    private static final long RESCALE_SECONDS = 120;

    @TempDir static Path checkpoints;

    private static MecesMiniCluster cluster;

    private final Ledger ledger = new Ledger();
    private final AtomicInteger failing = LargeCounter.failing(ledger.name);
    private JobID job;
    private int restarts;

    @BeforeAll
    static void start() throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.parse("128m"));
        cluster = Clusters.start(3, 4, configuration);
    }

    @AfterAll
    static void stop() throws Exception {
        cluster.close();
    }

    @AfterEach
    void cancel() throws Exception {
        if (job != null) {
            cluster.cancel(job).get(30, TimeUnit.SECONDS);
        }
    }

    @Test
    void recordsGoOnWhileItIsDeletedAndCheckpointsAndRescalesAfterwards() throws Exception {
        submit();
        finish(rescale(3));
        finish(rescale(2));
        for (int parallelism : new int[] {5, 3, 5, 3, 5}) {
            long before = awaitCheckpoint();
            finish(rescale(parallelism));
            try (HeldDeletions deletions = new HeldDeletions()) {
                fail(parallelism - 1);
                if (statistics().getLatestRestoredCheckpoint().getCheckpointId() == before) {
                    expectAllToGoOn(deletions, parallelism);
                    return;
                }
                // another checkpoint was quicker than the failure: its files belong to one subtask
            }
        }
        throw new AssertionError("Each time there was a checkpoint between rescale and failure.");
    }

    private void submit() throws Exception {
        ledger.rate = 20_000;
        StreamExecutionEnvironment env = Jobs.environment(CHECKPOINT_INTERVAL);
        TestGraphs.setStateBackend(env, new RocksDBStateBackend(checkpoints.toUri(), true));
        Jobs.source(env, ledger, KEYS, Long.MAX_VALUE)
                .keyBy(r -> r.f0, Types.INT)
                .process(new LargeCounter(ledger.name, PAYLOAD))
                .returns(Jobs.RESULT)
                .name("count")
                .uid("count")
                .rebalance()
                .addSink(new Jobs.Books(ledger.name))
                .name("books")
                .uid("books");
        job = cluster.submit(TestGraphs.of(env, "large"));
        ledger.awaitResults(2 * KEYS);
        assertThat(ledger.results.get()).isGreaterThanOrEqualTo(2 * KEYS);
        ledger.rate = 1_000;
    }

    /** All in one step: so no checkpoint is taken meanwhile. */
    private CompletableFuture<RescaleDetails> rescale(int parallelism) {
        return cluster.rescale(
                job,
                RescaleRequest.of(RescaleRequest.Target.byName("count", parallelism))
                        .withBatchSize(Jobs.MAX_PARALLELISM));
    }

    private static void finish(CompletableFuture<RescaleDetails> rescale) throws Exception {
        RescaleDetails status = rescale.get(RESCALE_SECONDS, TimeUnit.SECONDS);
        assertThat(status.failure()).isNull();
        assertThat(status.status()).isEqualTo(RescaleStatus.FINISHED);
        assertThat(status.unitsMigrated()).isEqualTo(status.unitsTotal()).isPositive();
    }

    private CheckpointStatsSnapshot statistics() throws Exception {
        return cluster.flink().getExecutionGraph(job).get().getCheckpointStatsSnapshot();
    }

    /** Waits for the next one; returns its id. */
    private long awaitCheckpoint() throws Exception {
        long completed = Clusters.completedCheckpoints(cluster, job);
        Ledger.awaitOrFail(
                "a checkpoint", () -> Clusters.completedCheckpoints(cluster, job) > completed);
        return statistics().getHistory().getLatestCompletedCheckpoint().getCheckpointId();
    }

    private void fail(int subtask) throws Exception {
        failing.set(subtask);
        restarts++;
        Ledger.awaitOrFail(
                "the restart",
                () ->
                        Clusters.restarts(cluster, job) == restarts
                                && Clusters.knowsToRun(cluster, job, restarts));
    }

    private void expectAllToGoOn(HeldDeletions deletions, int parallelism) throws Exception {
        long completed = Clusters.completedCheckpoints(cluster, job);
        // a task is said to run before it has restored its state
        Ledger.awaitOrFail(
                "as many deletions as there are subtasks",
                () -> deletions.waiting() >= parallelism);
        awaitResultsOfEach(parallelism);
        CompletableFuture<RescaleDetails> rescale = rescale(4);
        // more than a checkpoint interval
        ledger.awaitResults(3 * ledger.rate * CHECKPOINT_INTERVAL / 1_000);
        awaitResultsOfEach(parallelism);
        assertThat(Clusters.completedCheckpoints(cluster, job)).isEqualTo(completed);
        assertThat(rescale).isNotDone();
        List<RescaleDetails> rescales = cluster.rescales(job).get(30, TimeUnit.SECONDS);
        assertThat(rescales.get(rescales.size() - 1).unitsMigrated()).isZero();

        deletions.open();
        long end = System.nanoTime() + RESCALE_SECONDS * 1_000_000_000;
        while (!rescale.isDone()) {
            assertThat(System.nanoTime() - end).as("the rescale goes on and on").isNegative();
            // those that stay
            awaitResultsOfEach(Math.min(parallelism, 4));
        }
        finish(rescale);
        Clusters.awaitCheckpointOfNow(cluster, job);
        awaitResultsOfEach(4);
        Ledger.Verdict verdict = ledger.settle();
        assertThat(verdict.violations).isEmpty();
        assertThat(verdict.distinct).isEqualTo(verdict.emitted);
    }

    /** No task is stuck. */
    private void awaitResultsOfEach(int subtasks) throws Exception {
        int[] before = IntStream.range(0, subtasks).map(ledger.resultsBySubtask::get).toArray();
        Ledger.awaitOrFail(
                "results of each subtask, so far " + Arrays.toString(before),
                () ->
                        IntStream.range(0, subtasks)
                                .allMatch(i -> ledger.resultsBySubtask.get(i) > before[i]));
    }
}
