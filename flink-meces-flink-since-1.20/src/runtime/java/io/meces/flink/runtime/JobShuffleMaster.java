// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.runtime.shuffle.NettyShuffleDescriptor;
import org.apache.flink.runtime.shuffle.PartitionDescriptor;
import org.apache.flink.runtime.shuffle.ProducerDescriptor;
import org.apache.flink.runtime.shuffle.ShuffleDescriptor;
import org.apache.flink.runtime.shuffle.ShuffleMaster;
import org.apache.flink.runtime.shuffle.TaskInputsOutputsDescriptor;

/**
 * Netty's shuffle master, which tells the tasks of one job more. There is one of the cluster, which
 * this is given; JobMasters register their jobs with that. Thread-safe.
 */
public abstract class JobShuffleMaster implements ShuffleMaster<NettyShuffleDescriptor> {

    private final ShuffleMaster<NettyShuffleDescriptor> netty;

    /**
     * @param netty Netty's shuffle master
     */
    @SuppressWarnings("unchecked")
    protected JobShuffleMaster(ShuffleMaster<?> netty) {
        this.netty = (ShuffleMaster<NettyShuffleDescriptor>) netty;
    }

    /** What a task is told of a partition. */
    protected abstract NettyShuffleDescriptor extend(
            NettyShuffleDescriptor netty, PartitionDescriptor partition);

    @Override
    public final CompletableFuture<NettyShuffleDescriptor> registerPartitionWithProducer(
            JobID job, PartitionDescriptor partition, ProducerDescriptor producer) {
        return netty.registerPartitionWithProducer(job, partition, producer)
                .thenApply(descriptor -> extend(descriptor, partition));
    }

    @Override
    public final void releasePartitionExternally(ShuffleDescriptor descriptor) {
        netty.releasePartitionExternally(descriptor);
    }

    @Override
    public final MemorySize computeShuffleMemorySizeForTask(TaskInputsOutputsDescriptor task) {
        return netty.computeShuffleMemorySizeForTask(task);
    }
}
