// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.shuffle;

import io.meces.core.plan.VertexLayout;
import io.meces.flink.runtime.BufferLimits;
import io.meces.flink.runtime.GateDescriptors;
import io.meces.flink.runtime.MeasuredTimes;
import io.meces.runtime.transition.Transition;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.deployment.InputGateDeploymentDescriptor;
import org.apache.flink.runtime.deployment.ResultPartitionDeploymentDescriptor;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.executiongraph.PartitionInfo;
import org.apache.flink.runtime.io.network.NettyShuffleEnvironment;
import org.apache.flink.runtime.io.network.TaskEventPublisher;
import org.apache.flink.runtime.io.network.api.writer.ResultPartitionWriter;
import org.apache.flink.runtime.io.network.metrics.InputChannelMetrics;
import org.apache.flink.runtime.io.network.metrics.NettyShuffleMetricFactory;
import org.apache.flink.runtime.io.network.partition.PartitionProducerStateProvider;
import org.apache.flink.runtime.io.network.partition.ResultPartition;
import org.apache.flink.runtime.io.network.partition.ResultPartitionID;
import org.apache.flink.runtime.io.network.partition.consumer.IndexedInputGate;
import org.apache.flink.runtime.io.network.partition.consumer.SingleInputGate;
import org.apache.flink.runtime.shuffle.ShuffleDescriptor;
import org.apache.flink.runtime.shuffle.ShuffleEnvironment;
import org.apache.flink.runtime.shuffle.ShuffleIOOwnerContext;

/**
 * Flink's Netty shuffle of one TaskManager; partitions and gates next to an elastic vertex are made
 * elastic. Thread-safe as the interface demands: task and RPC threads call it.
 */
final class ElasticShuffleEnvironment
        implements ShuffleEnvironment<ResultPartitionWriter, IndexedInputGate> {

    private final NettyShuffleEnvironment netty;
    private final TaskEventPublisher publisher;
    private final Transition transition;

    ElasticShuffleEnvironment(
            NettyShuffleEnvironment netty, TaskEventPublisher publisher, Transition transition) {
        this.netty = netty;
        this.publisher = publisher;
        this.transition = transition;
    }

    @Override
    public int start() throws IOException {
        return netty.start();
    }

    @Override
    public ShuffleIOOwnerContext createShuffleIOOwnerContext(
            String ownerName, ExecutionAttemptID attempt, MetricGroup parentGroup) {
        if (!MeasuredTimes.areFlinks()) {
            TaskTimes.register(attempt, parentGroup);
        }
        return netty.createShuffleIOOwnerContext(ownerName, attempt, parentGroup);
    }

    @Override
    public List<ResultPartitionWriter> createResultPartitionWriters(
            ShuffleIOOwnerContext owner, List<ResultPartitionDeploymentDescriptor> descriptors) {
        if (descriptors.stream().allMatch(d -> elasticity(d.getShuffleDescriptor()) == null)) {
            return new ArrayList<>(netty.createResultPartitionWriters(owner, descriptors));
        }
        MetricGroup nobody = new UnregisteredMetricsGroup();
        ResultPartition[] partitions =
                netty.createResultPartitionWriters(
                                new ShuffleIOOwnerContext(
                                        owner.getOwnerName(),
                                        owner.getExecutionAttemptID(),
                                        nobody,
                                        nobody,
                                        nobody),
                                descriptors)
                        .toArray(new ResultPartition[0]);
        for (int i = 0; i < partitions.length; i++) {
            PartitionElasticity elasticity = elasticity(descriptors.get(i).getShuffleDescriptor());
            if (elasticity != null) {
                TaskLinks links = TaskLinks.of(owner.getExecutionAttemptID(), transition);
                ElasticResultPartition partition = elastic(partitions[i], elasticity, links);
                partitions[i] = partition;
                links.addPartition(i, partition, elasticity);
            }
        }
        NettyShuffleMetricFactory.registerOutputMetrics(
                netty.getConfiguration().isNetworkDetailedMetrics(),
                owner.getOutputGroup(),
                partitions);
        return Arrays.asList(partitions);
    }

    private ElasticResultPartition elastic(
            ResultPartition made, PartitionElasticity elasticity, TaskLinks links) {
        int subpartitions = made.getNumberOfSubpartitions();
        int active =
                elasticity.consumer() == null ? subpartitions : elasticity.consumer().connected();
        BufferLimits limits = BufferLimits.of(netty.getConfiguration());
        return new ElasticResultPartition(
                made,
                active,
                links,
                limits,
                () ->
                        new ElasticBufferPool(
                                netty.getNetworkBufferPool(),
                                active,
                                subpartitions,
                                limits,
                                links.times().backPressured(),
                                links.overdraft()));
    }

    @Override
    public void releasePartitionsLocally(Collection<ResultPartitionID> partitions) {
        netty.releasePartitionsLocally(partitions);
    }

    @Override
    public Collection<ResultPartitionID> getPartitionsOccupyingLocalResources() {
        return netty.getPartitionsOccupyingLocalResources();
    }

    @Override
    public List<IndexedInputGate> createInputGates(
            ShuffleIOOwnerContext owner,
            PartitionProducerStateProvider producerStates,
            List<InputGateDeploymentDescriptor> descriptors) {
        List<InputGateDeploymentDescriptor> plain = new ArrayList<>(descriptors.size());
        for (InputGateDeploymentDescriptor descriptor : descriptors) {
            plain.add(GateDescriptors.replace(descriptor, ElasticShuffleDescriptor::unwrap));
        }
        List<SingleInputGate> gates = netty.createInputGates(owner, producerStates, plain);
        List<IndexedInputGate> result = new ArrayList<>(gates.size());
        for (int i = 0; i < gates.size(); i++) {
            PartitionElasticity elasticity = elasticity(descriptors.get(i));
            if (elasticity == null) {
                result.add(gates.get(i));
                continue;
            }
            TaskLinks links = TaskLinks.of(owner.getExecutionAttemptID(), transition);
            ElasticInputGate gate =
                    new ElasticInputGate(
                            gates.get(i),
                            inactive(plain.get(i).getShuffleDescriptors()),
                            finished(descriptors.get(i), elasticity),
                            netty,
                            publisher,
                            new InputChannelMetrics(new UnregisteredMetricsGroup()),
                            links);
            links.addGate(gate, elasticity);
            result.add(gate);
        }
        return result;
    }

    @Nullable
    private static PartitionElasticity elasticity(InputGateDeploymentDescriptor descriptor) {
        for (ShuffleDescriptor d : descriptor.getShuffleDescriptors()) {
            PartitionElasticity elasticity = elasticity(d);
            if (elasticity != null) {
                return elasticity;
            }
        }
        return null;
    }

    @Nullable
    private static PartitionElasticity elasticity(ShuffleDescriptor descriptor) {
        return descriptor instanceof ElasticShuffleDescriptor
                ? ((ElasticShuffleDescriptor) descriptor).elasticity()
                : null;
    }

    /** A producer that is unknown when its consumer is deployed is not active. */
    private static BitSet inactive(ShuffleDescriptor[] descriptors) {
        BitSet inactive = new BitSet();
        for (int i = 0; i < descriptors.length; i++) {
            inactive.set(i, descriptors[i].isUnknown());
        }
        return inactive;
    }

    /**
     * The producers that had finished before their consumer came in a rescale. To others, whatever
     * they have sent is still to be read.
     */
    private static BitSet finished(
            InputGateDeploymentDescriptor descriptor, PartitionElasticity elasticity) {
        BitSet finished = new BitSet();
        VertexLayout consumer = elasticity.consumer();
        if (consumer != null && GateDescriptors.subpartition(descriptor) >= consumer.connected()) {
            ShuffleDescriptor[] producers = descriptor.getShuffleDescriptors();
            for (int i = 0; i < producers.length; i++) {
                PartitionElasticity producer = elasticity(producers[i]);
                finished.set(i, producer != null && producer.isFinished());
            }
        }
        return finished;
    }

    @Override
    public boolean updatePartitionInfo(ExecutionAttemptID consumer, PartitionInfo partition)
            throws IOException, InterruptedException {
        ShuffleDescriptor descriptor =
                ElasticShuffleDescriptor.unwrap(partition.getShuffleDescriptor());
        PartitionInfo plain = new PartitionInfo(partition.getIntermediateDataSetID(), descriptor);
        TaskLinks links = TaskLinks.find(consumer);
        if (links != null) {
            for (ElasticInputGate gate : links.gates()) {
                if (gate.consumes(descriptor.getResultPartitionID())) {
                    PartitionElasticity elasticity = elasticity(partition.getShuffleDescriptor());
                    VertexLayout producer = elasticity == null ? null : elasticity.producer();
                    try {
                        return gate.update(
                                descriptor.getResultPartitionID(),
                                producer == null ? -1 : producer.lastCheckpoint(),
                                () -> netty.updatePartitionInfo(consumer, plain));
                    } catch (IOException failure) {
                        int channel = gate.unconnected(descriptor.getResultPartitionID());
                        if (isNew(channel, producer)
                                && links.reportNotConnected(
                                        gate.getGateIndex(), channel, failure)) {
                            return true;
                        }
                        throw failure;
                    }
                }
            }
        }
        return netty.updatePartitionInfo(consumer, plain);
    }

    /** Whether a channel has no producer, and is to get one that comes while the job runs. */
    private static boolean isNew(int channel, @Nullable VertexLayout producer) {
        return producer != null && channel >= producer.connected();
    }

    @Override
    public void close() {
        try {
            transition.close();
        } finally {
            netty.close();
        }
    }
}
