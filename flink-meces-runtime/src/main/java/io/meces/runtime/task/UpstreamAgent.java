// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.task;

import io.meces.core.command.TaskCommand;
import io.meces.core.exchange.Handover;
import io.meces.core.exchange.Handovers;
import io.meces.core.id.DataSetId;
import io.meces.flink.runtime.Idleness;
import io.meces.runtime.FlinkIds;
import io.meces.runtime.event.ChannelDown;
import io.meces.runtime.event.ChannelUp;
import io.meces.runtime.event.HandedOver;
import io.meces.runtime.event.StepMarker;
import io.meces.runtime.event.TakenOver;
import io.meces.runtime.shuffle.TaskLinks;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import javax.annotation.Nullable;
import org.apache.flink.runtime.event.AbstractEvent;
import org.apache.flink.runtime.io.network.partition.ResultPartition;
import org.apache.flink.streaming.runtime.tasks.OperatorChain;

/**
 * The output side of a task next to or inside an elastic vertex. Owned by the task thread; in a
 * legacy source its methods run under the checkpoint lock.
 */
final class UpstreamAgent implements Handovers.Port {

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
                output.partition().mute();
            }
        }
    }

    @Override
    public int handedOver(Handover handover) throws IOException {
        return broadcastToConsumers(new HandedOver(handover));
    }

    @Override
    public int takenOver(int donor, Handover handover) throws IOException {
        return broadcastToConsumers(new TakenOver(donor, handover));
    }

    /** To those of this task's own, elastic vertex. */
    private int broadcastToConsumers(AbstractEvent event) throws IOException {
        int events = 0;
        for (TaskLinks.OutputLink output : links.outputs().values()) {
            if (output.elasticity().producer() != null) {
                broadcast(output.partition(), event);
                events++;
            }
        }
        return events;
    }

    /**
     * @return why it cannot be, in which case nothing has changed for those that are connected;
     *     null if it is done
     */
    @Nullable
    String connect(TaskCommand.Connect command) throws IOException {
        for (TaskLinks.OutputLink output : links.outputs().values()) {
            if (concerns(command.dataSets(), output)) {
                try {
                    output.partition().activate(command.from(), command.to());
                } catch (IOException tooFewBuffers) {
                    // the command that takes the new subtasks back undoes the others
                    return tooFewBuffers.getMessage();
                }
            }
        }
        for (Map.Entry<Integer, TaskLinks.OutputLink> output : links.outputs().entrySet()) {
            if (concerns(command.dataSets(), output.getValue())) {
                // new consumers must learn it; for the others it is a repetition
                Idleness.repeat(chain, output.getKey());
                output.getValue().partition().repeatEndOfData(command.from(), command.to());
                output.getValue().partition().flushAll();
            }
        }
        return null;
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
                output.partition().reset(command.from(), command.to());
            }
        }
    }

    private static boolean concerns(Set<DataSetId> dataSets, TaskLinks.OutputLink output) {
        return dataSets.contains(FlinkIds.of(output.elasticity().dataSet()));
    }

    private static void broadcast(ResultPartition partition, AbstractEvent event)
            throws IOException {
        partition.broadcastEvent(event, false);
        partition.flushAll();
    }
}
