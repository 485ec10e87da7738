// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.run;

import io.meces.experiments.cluster.FlinkCluster;
import io.meces.experiments.cluster.FlinkCluster.StateBackendKind;
import javax.annotation.Nullable;
import picocli.CommandLine.Option;

/** What can be chosen about a job under load, and the Flink that runs it. */
public abstract class JobOptions extends RunOptions {
    private static final String NETTY = "netty";
    private static final int DEFAULT_HEAP_MEGABYTES = 1_024;

    @Option(names = "--checkpoint-interval", paramLabel = "MS")
    public long checkpointIntervalMillis = 5_000;

    @Option(names = "--buffer-timeout", paramLabel = "MS")
    public long bufferTimeoutMillis = 5;

    @Option(names = "--transition-service", paramLabel = "NAME")
    public String transitionService = NETTY;

    @Option(names = "--state-backend", paramLabel = "NAME")
    public StateBackendKind stateBackend = StateBackendKind.HEAP;

    @Nullable
    @Option(names = "--task-manager-heap", paramLabel = "MB")
    public Integer taskManagerHeapMegabytes;

    /** Of each TaskManager. */
    public int heapMegabytes() {
        return taskManagerHeapMegabytes == null ? DEFAULT_HEAP_MEGABYTES : taskManagerHeapMegabytes;
    }

    /** Whether state travels through Kafka and Redis. */
    protected final boolean usesRedis() {
        return transitionService.equals(FlinkCluster.KAFKA_REDIS);
    }

    /** The Flink that is chosen, but for its size. */
    public final FlinkCluster.Spec cluster() {
        FlinkCluster.Spec cluster =
                new FlinkCluster.Spec()
                        .stateBackend(stateBackend)
                        .taskManagerHeapMegabytes(heapMegabytes());
        flinkConfig.forEach(cluster::config);
        return cluster;
    }

    @Override
    public void validate() {
        super.validate();
        require(
                transitionService.equals(NETTY) || usesRedis(),
                "--transition-service is netty or kafka-redis.");
        require(
                heapMegabytes() >= FlinkCluster.LEAST_HEAP_MEGABYTES,
                "--task-manager-heap has to be "
                        + FlinkCluster.LEAST_HEAP_MEGABYTES
                        + " at least.");
    }
}
