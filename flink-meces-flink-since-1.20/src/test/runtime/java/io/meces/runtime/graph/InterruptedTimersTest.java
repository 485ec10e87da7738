// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.graph;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.MecesOptions;
import io.meces.runtime.MecesOptions.UnalignedCheckpoints;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Test;

/** Timers between which checkpoints and records may come, as users can have it since Flink 1.20. */
class InterruptedTimersTest {

    private final Configuration cluster = new Configuration();

    @Test
    void areRefusedWithUnalignedCheckpoints() throws Exception {
        String refusal = refusal(true, true);
        assertThat(refusal).contains("interruptible-timers.enabled: false");
        assertThat(
                        new String(
                                Files.readAllBytes(Paths.get("..", "docs", "refusals.md")),
                                StandardCharsets.UTF_8))
                .contains(refusal);
        assertThat(refusal(true, false)).isNull();
    }

    @Test
    void areNoneWhereCheckpointsAreAligned() throws Exception {
        assertThat(refusal(false, true)).isNull();
        cluster.set(MecesOptions.UNALIGNED_CHECKPOINTS, UnalignedCheckpoints.ALIGN);
        assertThat(refusal(true, true)).isNull();
    }

    @Nullable
    private String refusal(boolean unaligned, boolean interrupted) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.enableCheckpointing(1_000);
        Configuration job = new Configuration();
        job.set(CheckpointingOptions.ENABLE_UNALIGNED, unaligned);
        job.set(CheckpointingOptions.ENABLE_UNALIGNED_INTERRUPTIBLE_TIMERS, interrupted);
        env.configure(job);
        env.fromSequence(0, 9).keyBy(n -> n % 3, Types.LONG).reduce(Long::sum).print();
        return ElasticJobGraph.rewrite(
                        TestGraphs.of(env, "timers"),
                        cluster,
                        InterruptedTimersTest.class.getClassLoader(),
                        RestoredState.NONE)
                .refusal();
    }
}
