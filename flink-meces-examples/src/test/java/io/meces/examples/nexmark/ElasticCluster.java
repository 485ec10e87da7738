// SPDX-License-Identifier: Apache-2.0
package io.meces.examples.nexmark;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.Elasticity;
import io.meces.api.RescaleDetails;
import io.meces.api.RescaleRequest;
import io.meces.runtime.testing.MecesMiniCluster;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;

/** A cluster for jobs that are rescaled, and how they are. */
final class ElasticCluster {

    /** No answer takes longer, even from a busy machine. */
    static final int LIMIT_SECONDS = 90;

    private ElasticCluster() {}

    static MecesMiniCluster start(int taskManagers, int slotsPerTaskManager) throws Exception {
        Configuration configuration = new Configuration();
        configuration.set(TaskManagerOptions.NETWORK_MEMORY_MIN, MemorySize.parse("64m"));
        configuration.set(TaskManagerOptions.NETWORK_MEMORY_MAX, MemorySize.parse("64m"));
        configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.parse("4m"));
        return MecesMiniCluster.builder()
                .taskManagers(taskManagers)
                .slotsPerTaskManager(slotsPerTaskManager)
                .configuration(configuration)
                .start();
    }

    /** Rescales all keyed vertices of a query at once and waits for it. */
    static void rescale(MecesMiniCluster cluster, JobID job, NexmarkQuery query, int parallelism)
            throws Exception {
        Elasticity elasticity = cluster.elasticity(job).get(LIMIT_SECONDS, TimeUnit.SECONDS);
        assertThat(elasticity.refusal()).isNull();
        assertThat(elasticity.vertices()).hasSize(query.operators().size());
        List<RescaleRequest.Target> targets =
                elasticity.vertices().stream()
                        .map(vertex -> RescaleRequest.Target.byId(vertex.id(), parallelism))
                        .collect(Collectors.toList());
        RescaleDetails status =
                cluster.rescale(job, RescaleRequest.of(targets))
                        .get(LIMIT_SECONDS, TimeUnit.SECONDS);
        assertThat(status.failure()).isNull();
        assertThat(status.unitsMigrated()).isEqualTo(status.unitsTotal()).isPositive();
    }
}
