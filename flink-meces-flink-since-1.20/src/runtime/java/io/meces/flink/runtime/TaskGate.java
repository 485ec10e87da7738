// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import javax.annotation.Nullable;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.runtime.checkpoint.channel.InputChannelInfo;
import org.apache.flink.runtime.io.network.partition.consumer.BufferOrEvent;
import org.apache.flink.runtime.io.network.partition.consumer.IndexedInputGate;
import org.apache.flink.runtime.io.network.partition.consumer.InputGate;
import org.apache.flink.streaming.runtime.io.checkpointing.CheckpointBarrierHandler;
import org.apache.flink.streaming.runtime.io.checkpointing.CheckpointedInputGate;
import org.apache.flink.streaming.runtime.io.checkpointing.UpstreamRecoveryTracker;

/** The gates of an input, behind what aligns the barriers of checkpoints. Task thread. */
public final class TaskGate implements Closeable {

    private final InputGate joint;
    private final List<IndexedInputGate> gates;
    private final CheckpointBarrierHandler barriers;
    private final CheckpointedInputGate gate;

    TaskGate(
            InputGate joint,
            List<IndexedInputGate> gates,
            CheckpointBarrierHandler barriers,
            MailboxExecutor mailbox) {
        this.joint = joint;
        this.gates = gates;
        this.barriers = barriers;
        this.gate =
                new CheckpointedInputGate(joint, barriers, mailbox, UpstreamRecoveryTracker.NO_OP);
    }

    CheckpointBarrierHandler barriers() {
        return barriers;
    }

    public List<InputChannelInfo> getChannelInfos() {
        return gate.getChannelInfos();
    }

    /**
     * A producer that has been restored waits for its consumer, and Flink has it go on when all
     * have been: there may be in-flight records to be divided. There are none, as checkpoints are
     * aligned, and a producer that is not active does not come. So each goes on by itself.
     */
    public Optional<BufferOrEvent> pollNext() throws IOException, InterruptedException {
        Optional<BufferOrEvent> next = gate.pollNext();
        if (next.isPresent()
                && next.get().isEvent()
                && Barriers.isEndOfRestored(next.get().getEvent())) {
            joint.resumeConsumption(next.get().getChannelInfo());
        }
        return next;
    }

    /** Done when the barriers of an unaligned checkpoint have come from all channels. */
    public CompletableFuture<Void> allBarriersReceived(long checkpointId) {
        return gate.getAllBarriersReceivedFuture(checkpointId);
    }

    public boolean isFinished() {
        return gate.isFinished();
    }

    /** How the data of all producers has ended, before they have finished; null: it has not. */
    @Nullable
    public InputProgress endOfData() {
        boolean drained = true;
        for (IndexedInputGate each : gates) {
            switch (each.hasReceivedEndOfData()) {
                case NOT_END_OF_DATA:
                    return null;
                case STOPPED:
                    drained = false;
                    break;
                default:
            }
        }
        return drained ? InputProgress.END_OF_DATA : InputProgress.STOPPED;
    }

    public CompletableFuture<?> getAvailableFuture() {
        return gate.getAvailableFuture();
    }

    @Override
    public void close() throws IOException {
        gate.close();
    }
}
