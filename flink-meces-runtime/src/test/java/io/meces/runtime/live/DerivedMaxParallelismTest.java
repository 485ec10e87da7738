// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.Elasticity;
import io.meces.flink.runtime.Savepoints;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.testing.MecesMiniCluster;
import io.meces.state.MecesStateBackend;
import java.net.URI;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.highavailability.nonha.embedded.HaLeadershipControl;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.FileUtils;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A job whose user has set no max parallelism. */
@Tag("full")
@Timeout(240)
class DerivedMaxParallelismTest {

    /** The least parallelism from which Flink derives a max parallelism of more than 128. */
    private static final int MANY = 86;

    @TempDir private Path directory;

    private final Ledger ledger = new Ledger();

    private JobGraph job(int parallelism) {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setParallelism(2);
        env.setBufferTimeout(5);
        env.enableCheckpointing(300);
        TestGraphs.neverRestart(env);
        TestGraphs.setStateBackend(env, new MecesStateBackend());
        Jobs.count(Jobs.source(env, ledger, 1_000, Long.MAX_VALUE), ledger, parallelism);
        return TestGraphs.of(env, "derived");
    }

    @Test
    void isThatOfTheSavepointAndStaysSoWhenAJobManagerTakesOverWithoutIt() throws Exception {
        AtomicReference<HaLeadershipControl> services = new AtomicReference<>();
        try (MecesMiniCluster cluster = Leadership.start(MANY, services)) {
            JobID large = cluster.submit(job(MANY));
            ledger.awaitResults(2_000);
            assertThat(vertex(cluster, large).maxParallelism()).isEqualTo(256);
            String savepoint =
                    Savepoints.take(cluster.flink(), large, directory.toUri().toString(), true)
                            .get(60, TimeUnit.SECONDS);
            cluster.flink().requestJobResult(large).get(60, TimeUnit.SECONDS);

            JobGraph graph = job(2);
            graph.setSavepointRestoreSettings(SavepointRestoreSettings.forPath(savepoint));
            JobID small = cluster.submit(graph);
            ledger.awaitResults(2_000);
            assertThat(vertex(cluster, small).maxParallelism()).isEqualTo(256);
            assertThat(cluster.rescale(small, "count", 3).get(60, TimeUnit.SECONDS).failure())
                    .isNull();
            Clusters.awaitCheckpointOfNow(cluster, small);

            FileUtils.deleteDirectory(Paths.get(URI.create(savepoint)).toFile());
            Leadership.changeLeader(cluster, services.get(), small, ledger);
            assertThat(vertex(cluster, small).maxParallelism()).isEqualTo(256);
            assertThat(vertex(cluster, small).parallelism()).isEqualTo(3);

            Ledger.Verdict verdict = ledger.settle();
            assertThat(verdict.violations).isEmpty();
            assertThat(verdict.distinct).isEqualTo(verdict.emitted);
        }
    }

    private static Elasticity.Vertex vertex(MecesMiniCluster cluster, JobID job) throws Exception {
        return cluster.elasticity(job).get(30, TimeUnit.SECONDS).vertices().get(0);
    }
}
