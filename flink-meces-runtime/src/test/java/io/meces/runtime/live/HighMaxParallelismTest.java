// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.RescaleDetails;
import io.meces.api.RescaleRequest;
import io.meces.flink.runtime.Savepoints;
import io.meces.flink.runtime.TestGraphs;
import io.meces.runtime.testing.MecesMiniCluster;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Scattered key-groups, and many of them, with state in the JobManager. */
@Tag("full")
@Timeout(180)
class HighMaxParallelismTest {

    private static final int KEY_GROUPS = 8_192;

    @TempDir private Path directory;

    private final Ledger ledger = new Ledger();
    private MecesMiniCluster cluster;

    @BeforeEach
    void start() throws Exception {
        cluster = Clusters.start(1, 8, new Configuration());
    }

    @AfterEach
    void stop() throws Exception {
        cluster.close();
    }

    @Test
    void takesSavepointsAndRestarts() throws Exception {
        StreamExecutionEnvironment env = Jobs.environment(2_000);
        env.setMaxParallelism(KEY_GROUPS);
        Jobs.count(Jobs.source(env, ledger, 1_000, Long.MAX_VALUE), ledger, 2);
        JobGraph graph = TestGraphs.of(env, "high");
        String vertex = null;
        for (JobVertex v : graph.getVertices()) {
            if (v.getName().startsWith("count")) {
                vertex = v.getName();
            }
        }
        JobID job = cluster.submit(graph);
        Ledger.awaitOrFail("running", () -> Clusters.knowsToRun(cluster, job, 0));
        ledger.awaitResults(1_000);
        RescaleDetails status =
                cluster.rescale(
                                job,
                                RescaleRequest.of(RescaleRequest.Target.byName(vertex, 3))
                                        .withStrategy("consistent-hashing"))
                        .get(120, TimeUnit.SECONDS);
        assertThat(status.failure()).isNull();
        ledger.awaitResults(1_000);
        String savepoint =
                Savepoints.take(cluster.flink(), job, directory.toUri().toString(), false)
                        .get(60, TimeUnit.SECONDS);
        // each key-group or so is a slice with serializers of its own
        assertThat(Files.size(Paths.get(URI.create(savepoint)).resolve("_metadata")))
                .isGreaterThan(KEY_GROUPS * 2_000L);
        long before = ledger.results.get();
        ledger.failOnce = true;
        Clusters.awaitRecovery(cluster, job, ledger, before);
        assertThat(ledger.failed.get()).isTrue();
        ledger.awaitResults(1_000);
        Ledger.Verdict verdict = ledger.settle();
        assertThat(verdict.violations).isEmpty();
        assertThat(verdict.distinct).isEqualTo(verdict.emitted);
    }
}
