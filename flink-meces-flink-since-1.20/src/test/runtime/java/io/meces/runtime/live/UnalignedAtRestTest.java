// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.RescaleDetails;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.testing.MecesMiniCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.checkpoint.CompletedCheckpointStats;
import org.apache.flink.runtime.highavailability.nonha.embedded.HaLeadershipControl;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Jobs that ask for unaligned checkpoints, under back pressure: what is in flight is restored, at
 * each parallelism that they are rescaled to. {@code -Dunaligned.seed=N} draws the same events.
 */
@Tag("full")
@Timeout(600)
class UnalignedAtRestTest {

    private static final int SLOTS = 5;
    private static final int ROUNDS = 6;

    /** Records a second of each source, which one subtask can take, and which all cannot. */
    private static final int CALM = 1_000;

    private static final int TOO_MUCH = 20_000;

    private final AtomicReference<HaLeadershipControl> leadership = new AtomicReference<>();
    private final Ledger ledger = new Ledger();

    private enum Event {
        NONE,
        TASK_FAILS,
        TASK_FAILS_IN_THE_NEXT_RESCALE,
        NEW_LEADER
    }

    @Test
    void whatIsInFlightIsRestoredWhateverHappens() throws Exception {
        run(Duration.ZERO);
    }

    @Test
    void barriersThatBecomeUnalignedOnTheirWayAreNoDifferent() throws Exception {
        run(Duration.ofMillis(50));
    }

    private void run(Duration alignedBefore) throws Exception {
        long seed = Long.getLong("unaligned.seed", System.nanoTime());
        List<String> events = new ArrayList<>();
        try {
            run(alignedBefore, new Random(seed), events);
        } catch (Exception | AssertionError e) {
            throw new AssertionError("-Dunaligned.seed=" + seed + ", " + events, e);
        }
    }

    private void run(Duration alignedBefore, Random random, List<String> events) throws Exception {
        ledger.rate = CALM;
        ledger.workNanos = 200_000;
        Configuration configuration = new Configuration();
        // so that a backlog is one of seconds
        configuration.set(TaskManagerOptions.MEMORY_SEGMENT_SIZE, MemorySize.parse("4kb"));
        try (MecesMiniCluster cluster = Leadership.start(2, 3, configuration, leadership)) {
            StreamExecutionEnvironment env = Jobs.counting(ledger, 1_000, Long.MAX_VALUE, 300);
            env.getCheckpointConfig().enableUnalignedCheckpoints();
            env.getCheckpointConfig().setAlignedCheckpointTimeout(alignedBefore);
            JobID job = cluster.submit(TestGraphs.of(env, "unaligned"));
            ledger.awaitResults(1_000);
            Clusters.awaitRunning(cluster, job);
            assertThat(cluster.elasticity(job).get().refusal()).isNull();
            for (int round = 0; round < ROUNDS; round++) {
                int parallelism = another(cluster, job, random);
                Event event = Event.values()[random.nextInt(Event.values().length)];
                events.add(event + " after a rescale to " + parallelism);
                ledger.rate = CALM;
                RescaleDetails end =
                        cluster.rescale(job, "count", parallelism).get(240, TimeUnit.SECONDS);
                assertThat(end.failure()).isNull();
                ledger.rate = TOO_MUCH;
                awaitRecordsInFlight(cluster, job);
                happen(event, cluster, job, random);
                assertThat(ledger.verdict().violations).isEmpty();
            }
            ledger.workNanos = 0;
            ledger.rate = CALM;
            Ledger.Verdict verdict = ledger.settle();
            assertThat(verdict.violations).isEmpty();
            assertThat(verdict.distinct).isEqualTo(verdict.emitted);
            cluster.cancel(job).get(30, TimeUnit.SECONDS);
        }
    }

    private void happen(Event event, MecesMiniCluster cluster, JobID job, Random random)
            throws Exception {
        long before = ledger.results.get();
        switch (event) {
            case TASK_FAILS:
                fail();
                Clusters.awaitRecovery(cluster, job, ledger, before);
                break;
            case TASK_FAILS_IN_THE_NEXT_RESCALE:
                ledger.rate = CALM;
                CompletableFuture<RescaleDetails> rescale =
                        cluster.rescale(job, "count", another(cluster, job, random));
                fail();
                assertThat(rescale.get(240, TimeUnit.SECONDS).failure()).isNull();
                break;
            case NEW_LEADER:
                Leadership.changeLeader(cluster, leadership.get(), job, ledger);
                break;
            default:
        }
    }

    /** A parallelism that the vertex does not have. */
    private static int another(MecesMiniCluster cluster, JobID job, Random random)
            throws Exception {
        int parallelism = cluster.elasticity(job).get().vertices().get(0).parallelism();
        return 1 + (parallelism + random.nextInt(SLOTS - 1)) % SLOTS;
    }

    private void fail() throws Exception {
        ledger.failed.set(false);
        ledger.failOnce = true;
        Ledger.awaitOrFail("the failure", ledger.failed::get);
        ledger.failOnce = false;
    }

    /** Waits for a checkpoint of now that has records in flight. */
    private static void awaitRecordsInFlight(MecesMiniCluster cluster, JobID job) throws Exception {
        long before = Clusters.completedCheckpoints(cluster, job);
        Ledger.awaitOrFail(
                "a checkpoint with records in flight",
                () -> {
                    CompletedCheckpointStats last =
                            cluster.flink()
                                    .getExecutionGraph(job)
                                    .get()
                                    .getCheckpointStatsSnapshot()
                                    .getHistory()
                                    .getLatestCompletedCheckpoint();
                    return Clusters.completedCheckpoints(cluster, job) > before
                            && last.isUnalignedCheckpoint()
                            && last.getPersistedData() > 0;
                });
    }
}
