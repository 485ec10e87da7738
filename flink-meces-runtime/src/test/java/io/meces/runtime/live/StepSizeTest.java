// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.RescaleDetails;
import io.meces.api.RescaleRequest;
import io.meces.api.RescaleStatus;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.MecesOptions;
import io.meces.runtime.testing.MecesMiniCluster;
import io.meces.state.MecesStateBackend;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** In how many steps a rescale moves its key-groups. */
@Tag("full")
@Timeout(180)
class StepSizeTest {

    private static final int KEYS = 20_000;

    /** 42 of 128 key-groups go to the third of three subtasks, 16 in a step. */
    private static final int FULL_STEPS_TO_3 = 3;

    private static MecesMiniCluster cluster;

    @TempDir static Path checkpoints;

    private final Ledger ledger = new Ledger();
    private JobID job;

    @BeforeAll
    static void start() throws Exception {
        Configuration configuration = new Configuration();
        // more than 16 key-groups have, less than all
        configuration.set(MecesOptions.BATCH_BYTES, MemorySize.parse("500kb"));
        // it does not matter how long a step takes
        configuration.set(MecesOptions.STEP_DURATION, Duration.ofHours(1));
        cluster = Clusters.start(2, 4, configuration);
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

    private void submit(long checkpointInterval) throws Exception {
        StreamExecutionEnvironment env =
                Jobs.counting(ledger, KEYS, Long.MAX_VALUE, checkpointInterval);
        TestGraphs.setStateBackend(env, new MecesStateBackend(checkpoints.toUri().toString()));
        job = cluster.submit(TestGraphs.of(env, "counting"));
        ledger.awaitResults(2 * KEYS);
        Ledger.awaitOrFail("all tasks", () -> Clusters.knowsToRun(cluster, job, 0));
    }

    private int stepsTo(int parallelism, String strategy) throws Exception {
        RescaleDetails status =
                cluster.rescale(job, request(parallelism, strategy)).get(90, TimeUnit.SECONDS);
        assertThat(status.failure()).isNull();
        assertThat(status.status()).isEqualTo(RescaleStatus.FINISHED);
        return status.stepsTotal();
    }

    private static RescaleRequest request(int parallelism, String strategy) {
        return RescaleRequest.of(RescaleRequest.Target.byName("count", parallelism))
                .withBatchSize(16)
                .withStrategy(strategy);
    }

    /** As large as they may be. */
    private int stepsPlannedTo(int parallelism, String strategy) throws Exception {
        return cluster.plan(job, request(parallelism, strategy).asDryRun())
                .get(60, TimeUnit.SECONDS)
                .vertices()
                .get(0)
                .steps()
                .size();
    }

    @Test
    void theLastCheckpointTellsHowManyKeyGroupsFitIntoTheFirstStep() throws Exception {
        submit(300);
        Clusters.awaitCheckpointOfNow(cluster, job);
        assertThat(stepsTo(3, "minimal-move")).isEqualTo(FULL_STEPS_TO_3);
        stepsTo(4, "consistent-hashing");
        // now key-groups are scattered: many subtasks of a checkpoint share each of its files
        Clusters.awaitCheckpointOfNow(cluster, job);
        int planned = stepsPlannedTo(3, "minimal-move");
        assertThat(stepsTo(3, "minimal-move")).isEqualTo(planned);
    }

    @Test
    void withoutACheckpointTheFirstStepHasOneKeyGroupToMeasure() throws Exception {
        submit(0);
        assertThat(stepsTo(3, "minimal-move")).isEqualTo(1 + FULL_STEPS_TO_3);
    }
}
