// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.runtime.io.network.partition.consumer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Optional;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.runtime.event.AbstractEvent;
import org.apache.flink.runtime.event.TaskEvent;
import org.apache.flink.runtime.io.network.api.serialization.EventSerializer;
import org.apache.flink.runtime.io.network.buffer.Buffer;
import org.apache.flink.runtime.io.network.partition.ResultPartitionID;

/** A channel that is blocked by a barrier, as a subpartition is, until it is resumed. */
public final class SentInputChannel extends InputChannel {

    private final ArrayDeque<Buffer> queue = new ArrayDeque<>();
    private boolean blocked;
    private boolean unreachable;

    public SentInputChannel(SingleInputGate gate, int index, ResultPartitionID partition) {
        super(gate, index, partition, 0, 0, new SimpleCounter(), new SimpleCounter());
    }

    public void send(AbstractEvent... events) throws IOException {
        for (AbstractEvent event : events) {
            queue.add(EventSerializer.toBuffer(event, false));
        }
        notifyIfReadable();
    }

    public void send(Buffer buffer) {
        queue.add(buffer);
        notifyIfReadable();
    }

    public void makeUnreachable() {
        unreachable = true;
    }

    public boolean isBlocked() {
        return blocked;
    }

    private void notifyIfReadable() {
        if (isReadable()) {
            notifyChannelNonEmpty();
        }
    }

    private boolean isReadable() {
        return !blocked && !queue.isEmpty();
    }

    @Override
    Optional<BufferAndAvailability> getNextBuffer() throws IOException {
        if (!isReadable()) {
            return Optional.empty();
        }
        Buffer buffer = queue.poll();
        blocked = buffer.getDataType().isBlockingUpstream();
        return Optional.of(
                new BufferAndAvailability(
                        buffer,
                        isReadable() ? Buffer.DataType.EVENT_BUFFER : Buffer.DataType.NONE,
                        0,
                        0));
    }

    @Override
    public void resumeConsumption() {
        assertThat(blocked).as("channel %s is blocked", getChannelIndex()).isTrue();
        blocked = false;
        notifyIfReadable();
    }

    @Override
    void requestSubpartition(int subpartition) throws IOException {
        // otherwise it is connected from the beginning
        if (unreachable) {
            throw new IOException("The producer cannot be reached.");
        }
    }

    @Override
    void sendTaskEvent(TaskEvent event) {
        throw new UnsupportedOperationException();
    }

    @Override
    boolean isReleased() {
        return false;
    }

    @Override
    void releaseAllResources() {
        // there are none
    }
}
