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

package io.meces.runtime.task;

import io.meces.runtime.event.ChannelDown;
import io.meces.runtime.event.ChannelUp;
import io.meces.runtime.event.StepMarker;
import io.meces.runtime.event.TaskCommand;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import org.apache.flink.runtime.event.AbstractEvent;
import org.apache.flink.runtime.io.network.partition.ElasticPartitions;
import org.apache.flink.runtime.io.network.partition.ResultPartition;
import org.apache.flink.runtime.jobgraph.IntermediateDataSetID;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.io.RecordWriterOutput;
import org.apache.flink.streaming.runtime.streamstatus.StreamStatus;
import org.apache.flink.streaming.runtime.tasks.OperatorChain;

/**
 * The output side of a task next to or inside an elastic vertex. Owned by the task thread; in a
 * legacy source its methods run under the checkpoint lock.
 */
final class UpstreamAgent {

    private final TaskLinks links;
    private final OperatorChain<?, ?> chain;

    UpstreamAgent(TaskLinks links, OperatorChain<?, ?> chain) {
        this.links = links;
        this.chain = chain;
    }

    /** A subtask that was activated while the job runs: its consumers wait to hear of it. */
    void announce(int subtask) throws IOException {
        for (TaskLinks.OutputLink output : links.outputs().values()) {
            if (output.elasticity().producer() != null
                    && output.elasticity().producer().connected() <= subtask) {
                broadcast(output.partition(), new ChannelUp());
            }
        }
    }

    /** The last that consumers hear of this subtask. */
    void retire() throws IOException {
        for (TaskLinks.OutputLink output : links.outputs().values()) {
            if (output.elasticity().producer() != null) {
                broadcast(output.partition(), new ChannelDown());
                ElasticPartitions.mute(output.partition());
            }
        }
    }

    void connect(TaskCommand.Connect command) throws IOException {
        for (Map.Entry<Integer, TaskLinks.OutputLink> output : links.outputs().entrySet()) {
            if (concerns(command.dataSets(), output.getValue())) {
                ResultPartition partition = output.getValue().partition();
                ElasticPartitions.finishBuilders(partition);
                for (int k = command.from(); k < command.to(); k++) {
                    ElasticPartitions.activate(partition, k);
                }
                repeatEventTime(output.getKey());
                partition.flushAll();
            }
        }
    }

    /** New consumers must learn the watermark and status; for the others it is a repetition. */
    private void repeatEventTime(int outputIndex) {
        RecordWriterOutput<?> output = chain.getStreamOutputs()[outputIndex];
        long watermark = output.getWatermarkGauge().getValue();
        if (watermark > Long.MIN_VALUE) {
            output.emitWatermark(new Watermark(watermark));
        }
        if (chain.getStreamStatus().isIdle()) {
            output.emitStreamStatus(StreamStatus.IDLE);
        }
    }

    void switchRouting(TaskCommand.Switch command) throws IOException {
        for (TaskLinks.OutputLink output : links.outputs().values()) {
            if (concerns(command.dataSets(), output)) {
                if (output.partitioner() != null) {
                    output.partitioner().apply(command.moves());
                }
                broadcast(output.partition(), new StepMarker(command.moves().step()));
            }
        }
    }

    void disconnect(TaskCommand.Disconnect command) {
        for (TaskLinks.OutputLink output : links.outputs().values()) {
            if (concerns(command.dataSets(), output)) {
                ElasticPartitions.finishBuilders(output.partition());
                for (int k = command.from(); k < command.to(); k++) {
                    ElasticPartitions.reset(output.partition(), k);
                }
            }
        }
    }

    private static boolean concerns(
            Set<IntermediateDataSetID> dataSets, TaskLinks.OutputLink output) {
        return dataSets.contains(output.elasticity().dataSet());
    }

    private static void broadcast(ResultPartition partition, AbstractEvent event)
            throws IOException {
        partition.broadcastEvent(event, false);
        partition.flushAll();
    }
}
