// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.runtime.io.network.partition.consumer;

import java.io.IOException;
import java.util.function.IntConsumer;
import javax.annotation.Nullable;
import org.apache.flink.runtime.checkpoint.channel.ChannelStateWriter;
import org.apache.flink.runtime.io.network.NettyShuffleEnvironment;
import org.apache.flink.runtime.io.network.TaskEventPublisher;
import org.apache.flink.runtime.io.network.metrics.InputChannelMetrics;
import org.apache.flink.runtime.io.network.partition.ResultPartitionID;
import org.apache.flink.runtime.jobgraph.IntermediateResultPartitionID;

/** Bridge: channels without a producer, which to Flink are ones that it does not know yet. */
public final class InputChannelAccess {

    private InputChannelAccess() {}

    /**
     * A channel whose producer is not active. The gate tells it nothing of checkpoints.
     *
     * @param writer what the gate has been given; null: nothing yet
     * @param bufferSizes told of each size of buffers that producers are told of: none on this line
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
        Idle idle = new Idle(gate, channel, partition, netty, publisher, metrics);
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

    /** Closes a channel that its gate has no more. */
    public static void release(InputChannel channel) throws IOException {
        channel.releaseAllResources();
    }

    /** The channel of a partition; null: the gate does not read it. */
    @Nullable
    public static InputChannel find(SingleInputGate gate, IntermediateResultPartitionID partition) {
        return gate.getInputChannels().get(partition);
    }

    private static final class Idle extends UnknownInputChannel {

        Idle(
                SingleInputGate gate,
                int channel,
                ResultPartitionID partition,
                NettyShuffleEnvironment netty,
                TaskEventPublisher publisher,
                InputChannelMetrics metrics) {
            super(
                    gate,
                    channel,
                    partition,
                    netty.getResultPartitionManager(),
                    publisher,
                    netty.getConnectionManager(),
                    netty.getConfiguration().partitionRequestInitialBackoff(),
                    netty.getConfiguration().partitionRequestMaxBackoff(),
                    netty.getConfiguration().networkBuffersPerChannel(),
                    metrics);
        }

        @Override
        public void resumeConsumption() {
            // nothing is blocked here
        }
    }
}
