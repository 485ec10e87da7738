// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.runtime.executiongraph;

import io.meces.flink.runtime.Gateways;
import java.time.Duration;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import org.apache.flink.runtime.deployment.TaskDeploymentDescriptorFactory;
import org.apache.flink.runtime.deployment.TaskDeploymentDescriptorFactory.PartitionLocationConstraint;
import org.apache.flink.runtime.execution.ExecutionState;
import org.apache.flink.runtime.jobmaster.LogicalSlot;
import org.apache.flink.runtime.scheduler.strategy.ConsumerVertexGroup;
import org.apache.flink.runtime.scheduler.strategy.ExecutionVertexID;

/** Bridge: what consumers are told of partitions. Called by the JobMaster's main thread. */
public final class PartitionConsumers {

    private PartitionConsumers() {}

    /**
     * Tells all consumers of a subtask that has been deployed, and that run or are being deployed,
     * where it is. One that cannot be told fails.
     */
    public static void update(ExecutionVertex producer, Duration timeout) {
        for (IntermediateResultPartition partition : producer.getProducedPartitions().values()) {
            PartitionInfo info =
                    new PartitionInfo(
                            partition.getIntermediateResult().getId(),
                            TaskDeploymentDescriptorFactory.getConsumedPartitionShuffleDescriptor(
                                    partition, PartitionLocationConstraint.MUST_BE_KNOWN, false));
            Set<ExecutionVertexID> consumers = new HashSet<>();
            for (ConsumerVertexGroup group : partition.getConsumerVertexGroups()) {
                group.forEach(consumers::add);
            }
            for (ExecutionVertexID consumer : consumers) {
                tell(
                        producer.getExecutionGraphAccessor().getExecutionVertexOrThrow(consumer),
                        info,
                        timeout);
            }
        }
    }

    private static void tell(ExecutionVertex consumer, PartitionInfo info, Duration timeout) {
        Execution attempt = consumer.getCurrentExecutionAttempt();
        ExecutionState state = attempt.getState();
        LogicalSlot slot = attempt.getAssignedResource();
        if (state == ExecutionState.DEPLOYING) {
            // Flink sends it when the task is there
            consumer.cachePartitionInfo(info);
        } else if (slot != null
                && (state == ExecutionState.RUNNING || state == ExecutionState.INITIALIZING)) {
            slot.getTaskManagerGateway()
                    .updatePartitions(
                            attempt.getAttemptId(),
                            Collections.singleton(info),
                            Gateways.timeout(timeout))
                    .whenCompleteAsync(
                            (acknowledged, failure) -> {
                                if (failure != null) {
                                    attempt.fail(failure);
                                }
                            },
                            consumer.getExecutionGraphAccessor().getJobMasterMainThreadExecutor());
        }
    }

    /** Has what is told at deployments made anew: Flink keeps it for all consumers of a group. */
    public static void forgetDescriptors(ExecutionGraph graph) {
        for (ExecutionJobVertex vertex : graph.getVerticesTopologically()) {
            for (IntermediateResult result : vertex.getProducedDataSets()) {
                for (IntermediateResultPartition partition : result.getPartitions()) {
                    partition
                            .getConsumedPartitionGroups()
                            .forEach(result::clearCachedInformationForPartitionGroup);
                }
            }
        }
    }
}
