// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.runtime.io.network.partition.consumer;

import java.io.IOException;
import java.util.function.IntConsumer;
import javax.annotation.Nullable;
import org.apache.flink.runtime.checkpoint.channel.ChannelStateWriter;
import org.apache.flink.runtime.io.network.NettyShuffleEnvironment;
import org.apache.flink.runtime.io.network.TaskEventPublisher;
import org.apache.flink.runtime.io.network.api.CheckpointBarrier;
import org.apache.flink.runtime.io.network.metrics.InputChannelMetrics;
import org.apache.flink.runtime.io.network.partition.ResultPartitionID;
import org.apache.flink.runtime.io.network.partition.ResultSubpartitionIndexSet;
import org.apache.flink.runtime.jobgraph.IntermediateResultPartitionID;

/** Bridge: channels without a producer, which to Flink are ones that it does not know yet. */
public final class InputChannelAccess {

    private InputChannelAccess() {}

    /**
     * A channel whose producer is not active. It has nothing in flight for checkpoints.
     *
     * @param writer what the gate has been given; null: nothing yet
     * @param bufferSizes told of each size of buffers that producers are told of
     */
    public static InputChannel idle(
            SingleInputGate gate,
            int channel,
            ResultPartitionID partition,
            NettyShuffleEnvironment netty,
            TaskEventPublisher publisher,
            InputChannelMetrics metrics,
            @Nullable ChannelStateWriter writer,
            IntConsumer bufferSizes) {
        ResultSubpartitionIndexSet subpartitions =
                gate.getChannel(channel).getConsumedSubpartitionIndexSet();
        Idle idle =
                new Idle(
                        gate,
                        channel,
                        partition,
                        subpartitions,
                        netty,
                        publisher,
                        metrics,
                        bufferSizes);
        if (writer != null) {
            idle.setChannelStateWriter(writer);
        }
        return idle;
    }

    /** Whether no producer is connected to a channel. */
    public static boolean isUnconnected(InputChannel channel) {
        return channel instanceof UnknownInputChannel;
    }

    /**
     * Whether a channel works, as far as is known.
     *
     * @throws IOException why it does not: its producer cannot be reached, for instance
     */
    public static void check(InputChannel channel) throws IOException {
        channel.checkError();
    }

    /** Tells the producer of a connected channel how large its buffers are to be. */
    public static void announceBufferSize(InputChannel channel, int size) {
        channel.announceBufferSize(size);
    }

    /** Closes a channel that its gate has no more. */
    public static void release(InputChannel channel) throws IOException {
        channel.releaseAllResources();
    }

    /** The channel of a partition; null: the gate does not read it. */
    @Nullable
    public static InputChannel find(SingleInputGate gate, IntermediateResultPartitionID partition) {
        for (int i = 0; i < gate.getNumberOfInputChannels(); i++) {
            InputChannel channel = gate.getChannel(i);
            if (channel.getPartitionId().getPartitionId().equals(partition)) {
                return channel;
            }
        }
        return null;
    }

    private static final class Idle extends UnknownInputChannel {

        private final IntConsumer bufferSizes;

        Idle(
                SingleInputGate gate,
                int channel,
                ResultPartitionID partition,
                ResultSubpartitionIndexSet subpartitions,
                NettyShuffleEnvironment netty,
                TaskEventPublisher publisher,
                InputChannelMetrics metrics,
                IntConsumer bufferSizes) {
            super(
                    gate,
                    channel,
                    partition,
                    subpartitions,
                    netty.getResultPartitionManager(),
                    publisher,
                    netty.getConnectionManager(),
                    netty.getConfiguration().partitionRequestInitialBackoff(),
                    netty.getConfiguration().partitionRequestMaxBackoff(),
                    netty.getConfiguration().getPartitionRequestListenerTimeout(),
                    netty.getConfiguration().networkBuffersPerChannel(),
                    metrics);
            this.bufferSizes = bufferSizes;
        }

        @Override
        void announceBufferSize(int size) {
            bufferSizes.accept(size);
        }

        @Override
        public void resumeConsumption() {
            // nothing is blocked here
        }

        @Override
        public void checkpointStarted(CheckpointBarrier barrier) {
            // nothing is in flight here
        }
    }
}
