// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.io.network.api.writer.ResultPartitionWriter;
import org.apache.flink.runtime.io.network.partition.consumer.IndexedInputGate;
import org.apache.flink.runtime.shuffle.NettyShuffleDescriptor;
import org.apache.flink.runtime.shuffle.NettyShuffleMaster;
import org.apache.flink.runtime.shuffle.ShuffleMaster;
import org.apache.flink.runtime.shuffle.ShuffleServiceFactory;

/** Makes the shuffle service of a JobManager or TaskManager. */
public abstract class ShuffleFactory
        implements ShuffleServiceFactory<
                NettyShuffleDescriptor, ResultPartitionWriter, IndexedInputGate> {

    /** A JobManager of Flink's own begins a job. Ours does not ask this class. */
    protected abstract ShuffleMaster<NettyShuffleDescriptor> masterOfStockJob(
            ShuffleMaster<NettyShuffleDescriptor> netty);

    @Override
    public final ShuffleMaster<NettyShuffleDescriptor> createShuffleMaster(
            Configuration configuration) {
        return masterOfStockJob(NettyShuffleMaster.INSTANCE);
    }
}
