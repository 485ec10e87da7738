// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.api.RescaleRefusedException;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.testing.MecesMiniCluster;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A job in batch mode runs on the scheduler that Flink has for it, and who asks is told why. */
@Tag("full")
@Timeout(120)
class BatchJobTest {

    private static final String REFUSAL =
            "cannot be rescaled: it has a scheduler of Flink's own, as jobs in batch mode have, and"
                    + " all with scheduler-mode: reactive. Have it run with"
                    + " execution.runtime-mode: STREAMING, and leave scheduler-mode out of the"
                    + " configuration of the JobManager.";

    @Test
    void aRequestSaysWhyItIsRefused() throws Exception {
        try (MecesMiniCluster cluster = Clusters.start(1, 2, new Configuration())) {
            StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
            env.setRuntimeMode(RuntimeExecutionMode.BATCH);
            env.setParallelism(1);
            env.fromSequence(0, Long.MAX_VALUE - 1)
                    .keyBy(n -> n % 10)
                    .reduce(Long::sum)
                    .name("count")
                    .sinkTo(new DiscardingSink<>());
            JobID job = cluster.submit(TestGraphs.of(env, "batch"));
            Ledger.awaitOrFail("it runs", () -> cluster.status(job).get() == JobStatus.RUNNING);
            assertThatThrownBy(() -> cluster.rescale(job, "count", 2).get(60, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOf(RescaleRefusedException.class)
                    .hasMessage("Job " + job + " " + REFUSAL);
            cluster.cancel(job).get(30, TimeUnit.SECONDS);
        }
        assertThat(
                        new String(
                                Files.readAllBytes(Paths.get("..", "docs", "refusals.md")),
                                StandardCharsets.UTF_8))
                .contains("Job … " + REFUSAL);
    }
}
