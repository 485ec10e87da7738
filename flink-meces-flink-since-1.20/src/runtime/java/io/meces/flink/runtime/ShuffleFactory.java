// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import org.apache.flink.runtime.io.network.NettyShuffleServiceFactory;
import org.apache.flink.runtime.io.network.api.writer.ResultPartitionWriter;
import org.apache.flink.runtime.io.network.partition.consumer.IndexedInputGate;
import org.apache.flink.runtime.shuffle.NettyShuffleDescriptor;
import org.apache.flink.runtime.shuffle.ShuffleMaster;
import org.apache.flink.runtime.shuffle.ShuffleMasterContext;
import org.apache.flink.runtime.shuffle.ShuffleServiceFactory;

/** Makes the shuffle service of a JobManager or TaskManager. */
public abstract class ShuffleFactory
        implements ShuffleServiceFactory<
                NettyShuffleDescriptor, ResultPartitionWriter, IndexedInputGate> {

    /** A JobManager of Flink's own begins a job. */
    protected abstract ShuffleMaster<NettyShuffleDescriptor> masterOfStockJob(
            ShuffleMaster<NettyShuffleDescriptor> netty);

    /**
     * Netty's: there is one for all jobs of a JobManager, be it ours or Flink's own, and a job of
     * ours puts its own before it.
     */
    @Override
    public final ShuffleMaster<NettyShuffleDescriptor> createShuffleMaster(
            ShuffleMasterContext context) {
        return new NettyShuffleServiceFactory().createShuffleMaster(context);
    }
}
