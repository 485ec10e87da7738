// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.runtime.io.network.partition;

import io.meces.flink.runtime.BufferLimits;
import java.io.IOException;
import javax.annotation.Nullable;
import org.apache.flink.runtime.checkpoint.channel.ChannelStateWriter;
import org.apache.flink.runtime.io.network.buffer.BufferCompressor;
import org.apache.flink.runtime.io.network.buffer.BufferConsumer;
import org.apache.flink.runtime.io.network.buffer.BufferConsumerWithPartialRecordLength;

/**
 * Bridge: a pipelined subpartition whose consumer may be absent. While it is, what is written to it
 * (broadcasts: watermarks, barriers, markers) is dropped. So is what a consumer has not read when
 * it leaves: buffers that nobody reads would keep the task from going on, and so from hearing that
 * the consumer is gone.
 *
 * <p>The task thread activates and writes; network threads read and release as in the superclass.
 */
public final class ElasticSubpartition extends SubpartitionOfLine {

    /** What is dropped may have any size. */
    private static final int ANY_BUFFER_SIZE = Integer.MAX_VALUE;

    /** Keeps what belongs to the task reachable as long as its partitions are. */
    private final Object owner;

    private final BufferLimits limits;

    private volatile boolean active;
    private volatile boolean finished;
    private volatile PipelinedSubpartitionView reader;
    private ChannelStateWriter channelStateWriter;

    /** The last dropped buffer, as long as its builder may still write into it. */
    private BufferConsumer unfinished;

    /**
     * @param limits those of the partition
     */
    public ElasticSubpartition(
            int index, BufferLimits limits, ResultPartition parent, boolean active, Object owner) {
        super(index, limits, parent);
        this.limits = limits;
        this.active = active;
        this.owner = owner;
    }

    /** What compresses the buffers of a partition, if they are compressed. */
    @Nullable
    public static BufferCompressor compressorOf(ResultPartition partition) {
        return partition.bufferCompressor;
    }

    /** Another one in its place, for a consumer to come. */
    public ElasticSubpartition successor() {
        ElasticSubpartition next =
                new ElasticSubpartition(getSubPartitionIndex(), limits, parent, false, owner);
        if (channelStateWriter != null) {
            next.setChannelStateWriter(channelStateWriter);
        }
        return next;
    }

    /** All builders of the partition must be finished. */
    public void activate() {
        synchronized (buffers) {
            dropUnfinished();
        }
        active = true;
    }

    public void deactivate() {
        active = false;
    }

    @Override
    public PipelinedSubpartitionView createReadView(BufferAvailabilityListener listener) {
        reader = super.createReadView(listener);
        return reader;
    }

    /** Whether a consumer has asked for it and is gone again. */
    public boolean isLeft() {
        PipelinedSubpartitionView left = reader;
        return left != null && left.isReleased();
    }

    private boolean isRead() {
        return active && !isLeft();
    }

    @Override
    public void setChannelStateWriter(ChannelStateWriter writer) {
        channelStateWriter = writer;
        super.setChannelStateWriter(writer);
    }

    @Override
    public int add(BufferConsumer buffer, int partialRecordLength) {
        if (isRead()) {
            int added = super.add(buffer, partialRecordLength);
            if (isLeft()) {
                dropUnread();
            }
            return added;
        }
        synchronized (buffers) {
            dropUnfinished();
            if (isReleased) {
                buffer.close();
                return ADD_BUFFER_ERROR_CODE;
            }
            if (buffer.isFinished()) {
                buffer.close();
            } else {
                unfinished = buffer;
            }
            return ANY_BUFFER_SIZE;
        }
    }

    private void dropUnread() {
        synchronized (buffers) {
            for (BufferConsumerWithPartialRecordLength unread : buffers) {
                // only the last one's builder may be in use
                dropUnfinished();
                unfinished = unread.getBufferConsumer();
            }
            buffers.clear();
        }
    }

    private void dropUnfinished() {
        if (unfinished != null) {
            unfinished.close();
            unfinished = null;
        }
    }

    @Override
    public int finish() throws IOException {
        finished = true;
        if (isRead()) {
            return super.finish();
        } else {
            // nobody will consume it; the partition must not wait for that
            release();
            super.onConsumedSubpartition();
            return 0;
        }
    }

    @Override
    public void release() {
        super.release();
        // nothing is kept any more from here on
        synchronized (buffers) {
            dropUnfinished();
        }
    }

    /** A consumer that leaves because of a scale-in has not consumed the partition to its end. */
    @Override
    protected void onConsumedSubpartition() {
        if (finished) {
            super.onConsumedSubpartition();
        } else {
            dropUnread();
        }
    }
}
