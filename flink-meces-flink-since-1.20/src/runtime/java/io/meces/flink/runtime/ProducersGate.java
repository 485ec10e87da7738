// SPDX-License-Identifier: Apache-2.0
package io.meces.flink.runtime;

import java.io.IOException;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.flink.runtime.checkpoint.channel.InputChannelInfo;
import org.apache.flink.runtime.event.AbstractEvent;
import org.apache.flink.runtime.io.network.api.EndOfData;
import org.apache.flink.runtime.io.network.api.EndOfPartitionEvent;
import org.apache.flink.runtime.io.network.api.StopMode;
import org.apache.flink.runtime.io.network.partition.consumer.InputChannelAccess;
import org.apache.flink.runtime.io.network.partition.consumer.SingleInputGate;

/**
 * What stands before a gate of Flink whose producers come and go. A producer says first that its
 * data has ended, and finishes later; one that is not active says neither. Owned by the task
 * thread.
 */
public abstract class ProducersGate extends GateOfLine {

    /** Producers have not been told of a size of buffers, or it is not known. */
    private static final int NO_SIZE = 0;

    /** {@link SingleInputGate#setInputChannels} writes all channels: one writer at a time. */
    protected final ReentrantLock channelLock = new ReentrantLock();

    private final IntPredicate inactive;
    private final BitSet withoutData = new BitSet();
    private final BitSet finished = new BitSet();
    private boolean drained = true;
    private int bufferSize = NO_SIZE;

    /**
     * @param inactive whether a channel has no producer
     */
    protected ProducersGate(SingleInputGate gate, IntPredicate inactive) {
        super(gate);
        this.inactive = inactive;
    }

    /** An event has been read that is none of ours. */
    protected final void onEventOfFlink(AbstractEvent event, int channel) {
        if (event instanceof EndOfData) {
            withoutData.set(channel);
            drained &= ((EndOfData) event).getStopMode() == StopMode.DRAIN;
        } else if (event instanceof EndOfPartitionEvent) {
            // one that had finished before has not said the former
            withoutData.set(channel);
            finished.set(channel);
        }
    }

    @Override
    public final EndOfDataStatus hasReceivedEndOfData() {
        if (withoutData.isEmpty()) {
            return EndOfDataStatus.NOT_END_OF_DATA;
        }
        for (int i = withoutData.nextClearBit(0);
                i < flinks.getNumberOfInputChannels();
                i = withoutData.nextClearBit(i + 1)) {
            if (!inactive.test(i)) {
                return EndOfDataStatus.NOT_END_OF_DATA;
            }
        }
        return drained ? EndOfDataStatus.DRAINED : EndOfDataStatus.STOPPED;
    }

    /** A checkpoint that is triggered when all producers have finished waits for each of them. */
    @Override
    public final List<InputChannelInfo> getUnfinishedChannels() {
        return flinks.getUnfinishedChannels().stream()
                .filter(channel -> !finished.get(channel.getInputChannelIdx()))
                .collect(Collectors.toList());
    }

    @Override
    public final void acknowledgeAllRecordsProcessed(InputChannelInfo channel) throws IOException {
        flinks.acknowledgeAllRecordsProcessed(channel);
    }

    /**
     * Flink tells all channels of a new size, and fails for one that is being connected. That may
     * take long, so the next time has to do.
     */
    @Override
    public final void triggerDebloating() {
        if (channelLock.tryLock()) {
            try {
                if (IntStream.range(0, flinks.getNumberOfInputChannels())
                        .mapToObj(flinks::getChannel)
                        .noneMatch(InputChannelAccess::isUnconnected)) {
                    // no channel is there that would tell of it
                    bufferSize = NO_SIZE;
                }
                flinks.triggerDebloating();
            } finally {
                channelLock.unlock();
            }
        }
    }

    /** Producers are told of a size of buffers; said by channels that have none. */
    protected final void onBufferSize(int size) {
        bufferSize = size;
    }

    /**
     * A producer has come, and its channel is connected. The others may have been told long ago.
     */
    protected final void onProducerUp(int channel) {
        if (bufferSize != NO_SIZE) {
            InputChannelAccess.announceBufferSize(flinks.getChannel(channel), bufferSize);
        }
    }
}
