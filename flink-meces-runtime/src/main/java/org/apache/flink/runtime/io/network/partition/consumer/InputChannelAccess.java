/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package org.apache.flink.runtime.io.network.partition.consumer;

import java.io.IOException;
import javax.annotation.Nullable;
import org.apache.flink.runtime.checkpoint.channel.ChannelStateWriter;
import org.apache.flink.runtime.io.network.NettyShuffleEnvironment;
import org.apache.flink.runtime.io.network.TaskEventPublisher;
import org.apache.flink.runtime.io.network.metrics.InputChannelMetrics;
import org.apache.flink.runtime.io.network.partition.ResultPartitionID;

/** Bridge: channels without a producer, which to Flink are ones that it does not know yet. */
public final class InputChannelAccess {

    private InputChannelAccess() {}

    /**
     * A channel whose producer is not active. The gate tells it nothing of checkpoints.
     *
     * @param writer what the gate has been given; null: nothing yet
     */
    public static InputChannel idle(
            SingleInputGate gate,
            int channel,
            ResultPartitionID partition,
            NettyShuffleEnvironment netty,
            TaskEventPublisher publisher,
            InputChannelMetrics metrics,
            @Nullable ChannelStateWriter writer) {
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
