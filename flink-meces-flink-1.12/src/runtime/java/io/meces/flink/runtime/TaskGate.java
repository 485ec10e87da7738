// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import javax.annotation.Nullable;
import org.apache.flink.runtime.checkpoint.channel.InputChannelInfo;
import org.apache.flink.runtime.io.network.partition.consumer.BufferOrEvent;
import org.apache.flink.streaming.runtime.io.CheckpointedInputGate;

/** The gates of an input, behind what aligns the barriers of checkpoints. Task thread. */
public final class TaskGate implements Closeable {

    private final CheckpointedInputGate gate;

    public TaskGate(CheckpointedInputGate gate) {
        this.gate = gate;
    }

    public List<InputChannelInfo> getChannelInfos() {
        return gate.getChannelInfos();
    }

    public Optional<BufferOrEvent> pollNext() throws IOException, InterruptedException {
        return gate.pollNext();
    }

    /** Done when the barriers of an unaligned checkpoint have come from all channels. */
    public CompletableFuture<Void> allBarriersReceived(long checkpointId) {
        return gate.getAllBarriersReceivedFuture(checkpointId);
    }

    public boolean isFinished() {
        return gate.isFinished();
    }

    /**
     * How the data of all producers has ended, before they have finished; null: it has not, or this
     * line does not tell the one from the other.
     */
    @Nullable
    public InputProgress endOfData() {
        return null;
    }

    public CompletableFuture<?> getAvailableFuture() {
        return gate.getAvailableFuture();
    }

    @Override
    public void close() throws IOException {
        gate.close();
    }
}
