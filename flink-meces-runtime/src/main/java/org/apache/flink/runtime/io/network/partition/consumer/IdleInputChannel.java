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

import org.apache.flink.runtime.io.network.NettyShuffleEnvironment;
import org.apache.flink.runtime.io.network.TaskEventPublisher;
import org.apache.flink.runtime.io.network.metrics.InputChannelMetrics;
import org.apache.flink.runtime.io.network.partition.ResultPartitionID;

/** Bridge: a channel whose producer is not active. The gate tells it nothing of checkpoints. */
final class IdleInputChannel extends UnknownInputChannel {

    IdleInputChannel(
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
