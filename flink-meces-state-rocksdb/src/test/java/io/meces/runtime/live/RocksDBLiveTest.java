// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.RescaleDetails;
import io.meces.api.RescaleRequest;
import io.meces.api.RescaleStatus;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.testing.MecesMiniCluster;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.contrib.streaming.state.RocksDBStateBackend;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs that set Flink's RocksDB backend in their code, on managed memory. */
@Timeout(400)
class RocksDBLiveTest {

    @TempDir static Path checkpoints;

    private static MecesMiniCluster cluster;

    private final Ledger ledger = new Ledger();
    private JobID job;

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

    private void submit(boolean incremental) throws Exception {
        ledger.rate = 1_000;
        StreamExecutionEnvironment env = Jobs.counting(ledger, 1_000, Long.MAX_VALUE, 1_000);
        TestGraphs.setStateBackend(env, new RocksDBStateBackend(checkpoints.toUri(), incremental));
        job = cluster.submit(TestGraphs.of(env, "counting"));
        ledger.awaitResults(2_000);
    }

    private void rescale(int parallelism) throws Exception {
        RescaleDetails status =
                cluster.rescale(job, "count", parallelism).get(120, TimeUnit.SECONDS);
        assertThat(status.failure()).isNull();
        assertThat(status.status()).isEqualTo(RescaleStatus.FINISHED);
        assertThat(status.unitsMigrated()).isEqualTo(status.unitsTotal()).isPositive();
    }

    @Test
    void staysExactThroughRandomRescales() throws Exception {
        long seed = Long.getLong("rescale.seed", System.nanoTime());
        Random random = new Random(seed);
        submit(true);
        for (int i = 0; i < 6; i++) {
            RescaleDetails status =
                    cluster.rescale(
                                    job,
                                    RescaleRequest.of(
                                                    RescaleRequest.Target.byName(
                                                            "count", 1 + random.nextInt(6)))
                                            .withBatchSize(8 + random.nextInt(64)))
                            .get(120, TimeUnit.SECONDS);
            assertThat(status.failure()).as("rescale %s, -Drescale.seed=%s", i, seed).isNull();
            ledger.awaitResults(random.nextInt(2_000));
        }
        Ledger.Verdict verdict = ledger.settle();
        assertThat(verdict.violations).isEmpty();
        assertThat(verdict.duplicated).isZero();
        assertThat(verdict.distinct).isEqualTo(verdict.emitted);
    }

    @Test
    void rescalesOutAndInWhenASubtaskOfTheSourceHasFinished() throws Exception {
        ledger.rate = 1_000;
        StreamExecutionEnvironment env = Jobs.environment(1_000);
        Jobs.count(Jobs.sourceThatEndsInPart(env, ledger, 1_000, 2_000), ledger, 2);
        TestGraphs.setStateBackend(env, new RocksDBStateBackend(checkpoints.toUri(), true));
        job = cluster.submit(TestGraphs.of(env, "counting"));
        Ledger.awaitOrFail(
                "the end of a part of the source",
                () -> Clusters.finished(cluster, job, "Source: ") == 1);
        rescale(3);
        ledger.awaitResults(1_000);
        rescale(2);
        ledger.awaitResults(1_000);
        Ledger.Verdict verdict = ledger.settle();
        assertThat(verdict.violations).isEmpty();
        assertThat(verdict.duplicated).isZero();
        assertThat(verdict.distinct).isEqualTo(verdict.emitted);
        assertThat(Clusters.restarts(cluster, job)).isZero();
    }

    /** With handles that are shared by subtasks, and stale key-groups in their files. */
    @ParameterizedTest(name = "incremental: {0}")
    @ValueSource(booleans = {true, false})
    void recoversFromFailuresOfAScatteredAssignment(boolean incremental) throws Exception {
        submit(incremental);
        rescale(3);
        rescale(2);
        rescale(5);
        Clusters.awaitCheckpointOfNow(cluster, job);
        fail(1);
        rescale(3);
        Clusters.awaitCheckpointOfNow(cluster, job);
        fail(2);
        rescale(4);
        Clusters.awaitCheckpointOfNow(cluster, job);
        fail(3);
        Ledger.Verdict verdict = ledger.settle();
        assertThat(verdict.violations).isEmpty();
        assertThat(verdict.distinct).isEqualTo(verdict.emitted);
    }

    private void fail(int restarts) throws Exception {
        ledger.failed.set(false);
        ledger.failOnce = true;
        Ledger.awaitOrFail(
                "the restart",
                () ->
                        Clusters.restarts(cluster, job) == restarts
                                && cluster.status(job).get() == JobStatus.RUNNING
                                && Clusters.knowsToRun(cluster, job, restarts));
        ledger.awaitResults(2_000);
    }

    @Test
    void recoversFromAFailureInARescaleAndGoesOnWithIt() throws Exception {
        submit(true);
        Clusters.awaitCheckpointOfNow(cluster, job);
        CompletableFuture<RescaleDetails> rescale =
                cluster.rescale(
                        job,
                        RescaleRequest.of(RescaleRequest.Target.byName("count", 4))
                                .withBatchSize(8));
        Ledger.awaitOrFail(
                "migration",
                () -> {
                    List<RescaleDetails> all = cluster.rescales(job).get();
                    return !all.isEmpty() && all.get(0).stepsCompleted() > 1;
                });
        ledger.failOnce = true;
        RescaleDetails status = rescale.get(120, TimeUnit.SECONDS);
        assertThat(status.failure()).isNull();
        assertThat(status.attempt()).isEqualTo(2);
        ledger.awaitResults(2_000);
        Ledger.Verdict verdict = ledger.settle();
        assertThat(verdict.violations).isEmpty();
        assertThat(verdict.distinct).isEqualTo(verdict.emitted);
    }
}
