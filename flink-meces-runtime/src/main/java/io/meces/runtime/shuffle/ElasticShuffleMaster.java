// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.shuffle;

import io.meces.flink.runtime.JobShuffleMaster;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.flink.runtime.shuffle.NettyShuffleDescriptor;
import org.apache.flink.runtime.shuffle.PartitionDescriptor;
import org.apache.flink.runtime.shuffle.ShuffleMaster;

/**
 * Netty's shuffle master, which also gives the deployment of a task what it must know of the
 * elastic vertices around it. One per job; its scheduler says which partitions are concerned.
 */
public final class ElasticShuffleMaster extends JobShuffleMaster {

    private volatile Function<PartitionDescriptor, Supplier<PartitionElasticity>> elastic =
            partition -> null;

    /**
     * @param netty Netty's
     */
    public ElasticShuffleMaster(ShuffleMaster<?> netty) {
        super(netty);
    }

    /**
     * @param elastic for a partition that an elastic vertex produces or consumes, how it stands;
     *     else null. The supplier is called by any thread.
     */
    public void setElasticity(
            Function<PartitionDescriptor, Supplier<PartitionElasticity>> elastic) {
        this.elastic = elastic;
    }

    @Override
    protected NettyShuffleDescriptor extend(
            NettyShuffleDescriptor netty, PartitionDescriptor partition) {
        Supplier<PartitionElasticity> elasticity = elastic.apply(partition);
        return elasticity == null ? netty : new ElasticShuffleDescriptor(netty, elasticity);
    }
}
