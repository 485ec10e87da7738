// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.RescaleDetails;
import io.meces.api.RescaleStatus;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.MecesOptions;
import io.meces.runtime.testing.MecesMiniCluster;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rescales that cannot be completed end with a reason, and the job does not notice. */
@Tag("full")
@Timeout(180)
class GivenUpTest {

    private final Ledger ledger = new Ledger();
    private final EndingSourcesTest.Doors doors = EndingSourcesTest.Doors.of(ledger.name);
    private MecesMiniCluster cluster;
    private JobID job;
    private String vertex;

    @AfterEach
    void stop() throws Exception {
        doors.open.countDown();
        if (job != null) {
            cluster.cancel(job).get(30, TimeUnit.SECONDS);
        }
        cluster.close();
    }

    private void submit(StreamExecutionEnvironment env) throws Exception {
        Jobs.source(env, ledger, 1_000, Long.MAX_VALUE)
                .keyBy(r -> r.f0, Types.INT)
                .process(new Jobs.Counter(ledger.name))
                .returns(Jobs.RESULT)
                .name("count")
                .map(new EndingSourcesTest.Door(ledger.name))
                .returns(Jobs.RESULT)
                .rebalance()
                .addSink(new Jobs.Books(ledger.name))
                .name("books");
        JobGraph graph = TestGraphs.of(env, "given up");
        for (JobVertex v : graph.getVertices()) {
            if (v.getName().startsWith("count")) {
                vertex = v.getName();
            }
        }
        job = cluster.submit(graph);
        ledger.awaitResults(1_000);
    }

    private long failedCheckpoints() throws Exception {
        return cluster.flink()
                .getExecutionGraph(job)
                .get()
                .getCheckpointStatsSnapshot()
                .getCounts()
                .getNumberOfFailedCheckpoints();
    }

    private RescaleDetails rescale(int parallelism) throws Exception {
        return cluster.rescale(job, vertex, parallelism).get(90, TimeUnit.SECONDS);
    }

    private void assertExactWithoutARestart() throws Exception {
        ledger.awaitResults(500);
        Ledger.Verdict verdict = ledger.settle();
        assertThat(verdict.violations).isEmpty();
        assertThat(verdict.duplicated).isZero();
        assertThat(verdict.distinct).isEqualTo(verdict.emitted);
        assertThat(Clusters.restarts(cluster, job)).isZero();
    }

    @Test
    void checkpointsThatARescaleHoldsBackForLongAreNoFailuresOfTheJob() throws Exception {
        cluster = Clusters.start(2, 4, new Configuration());
        StreamExecutionEnvironment env = Jobs.environment(200);
        env.getCheckpointConfig().setCheckpointTimeout(10_000);
        env.getCheckpointConfig().setTolerableCheckpointFailureNumber(0);
        submit(env);
        CompletableFuture<RescaleDetails> rescale = cluster.rescale(job, vertex, 3);
        Ledger.awaitOrFail("two that do not pass", () -> failedCheckpoints() >= 2);
        doors.open.countDown();
        assertThat(rescale.get(90, TimeUnit.SECONDS).status()).isEqualTo(RescaleStatus.FINISHED);
        Clusters.awaitCheckpointOfNow(cluster, job);
        assertExactWithoutARestart();
    }

    @Test
    void aScaleOutWhoseNewSubtasksGetNoBuffersIsTakenBackAndNotTriedAgain() throws Exception {
        isTakenBackAndNotTriedAgain(1, 4, "has failed");
    }

    /** With several TaskManagers a consumer, or what it reads from, gets none for the channel. */
    @Test
    void aScaleOutWhoseConsumersGetNoBuffersIsTakenBackAndNotTriedAgain() throws Exception {
        isTakenBackAndNotTriedAgain(4, 1, "cannot be connected with");
    }

    private void isTakenBackAndNotTriedAgain(int taskManagers, int slots, String reason)
            throws Exception {
        Configuration config = new Configuration();
        // 14 buffers are enough for the job, but not for three more subtasks
        config.set(TaskManagerOptions.NETWORK_MEMORY_MIN, MemorySize.parse("448k"));
        config.set(TaskManagerOptions.NETWORK_MEMORY_MAX, MemorySize.parse("448k"));
        cluster = Clusters.start(taskManagers, slots, config);
        StreamExecutionEnvironment env = Jobs.environment(200);
        env.setParallelism(1);
        env.setMaxParallelism(8);
        doors.open.countDown();
        submit(env);
        for (int i = 0; i < 2; i++) {
            RescaleDetails status = rescale(4);
            assertThat(status.status()).isEqualTo(RescaleStatus.FAILED);
            assertThat(status.failure())
                    .contains(reason)
                    .contains("Insufficient number of network buffers")
                    .contains("taskmanager.memory.network");
            assertThat(status.attempt()).isEqualTo(1);
            assertThat(status.interruption()).isNull();
        }
        assertExactWithoutARestart();
    }

    /** A request for a slot that Flink gives up itself is a failure of the job. */
    @Test
    void aRescaleThatGetsNoSlotsIsGivenUpBeforeFlinkGivesUpItsRequests() throws Exception {
        Configuration config = new Configuration();
        config.setString(JobManagerOptions.SLOT_REQUEST_TIMEOUT.key(), "5000");
        config.set(MecesOptions.SLOT_TIMEOUT, Duration.ofSeconds(20));
        cluster = Clusters.start(2, 4, config);
        doors.open.countDown();
        submit(Jobs.environment(200));
        RescaleDetails status = rescale(32);
        assertThat(status.status()).isEqualTo(RescaleStatus.FAILED);
        assertThat(status.failure()).startsWith("no slots for").contains("within 4500 ms");
        assertThat(status.interruption()).isNull();
        assertExactWithoutARestart();
    }

    @Test
    void aNewSubtaskThatIsNotReadyInTimeIsTakenBackInAJobWithoutCheckpoints() throws Exception {
        Configuration config = new Configuration();
        config.set(MecesOptions.STEP_TIMEOUT, Duration.ofSeconds(5));
        cluster = Clusters.start(2, 4, config);
        submit(Jobs.environment(0));
        RescaleDetails status = rescale(3);
        assertThat(status.status()).isEqualTo(RescaleStatus.FAILED);
        assertThat(status.failure()).startsWith("BEGINNING took longer than PT5S");
        assertThat(status.interruption()).isNull();
        doors.open.countDown();
        assertThat(rescale(3).status()).isEqualTo(RescaleStatus.FINISHED);
        assertExactWithoutARestart();
    }
}
