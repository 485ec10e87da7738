// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

import io.meces.core.exchange.Priority;
import io.meces.core.id.AttemptId;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import javax.annotation.Nullable;
import org.apache.flink.shaded.netty4.io.netty.buffer.ByteBuf;
import org.apache.flink.shaded.netty4.io.netty.buffer.ByteBufAllocator;

/**
 * Messages that wait for their connection, and how they become bytes. It is bounded, and takes a
 * message that is sent again while it is still in here for what it is: nothing new. Otherwise what
 * is repeated would make a slow connection slower.
 *
 * <p>Any thread adds; the event loop of the connection takes.
 */
final class SendQueue {

    /** Bytes that are handed to the network at once; they are outside of the heap. */
    static final int PIECE = 64 * 1024;

    private static final int LENGTH = 4;

    private final long limit;
    private final TransitionMetrics metrics;
    private final Queue<TransitionMessage> messages = new ConcurrentLinkedQueue<>();
    private final Set<Position> positions = ConcurrentHashMap.newKeySet();
    private final AtomicLong bytes = new AtomicLong();

    /** What has been begun. Event loop only. */
    @Nullable private Frame current;

    /**
     * @param limit bytes from which on nothing is added
     */
    SendQueue(long limit, TransitionMetrics metrics) {
        this.limit = limit;
        this.metrics = metrics;
    }

    /** Adds a message, or counts it as {@link DropReason#UNSENT} if there is no room. */
    void add(TransitionMessage message) {
        boolean repeatable = message.sequence() >= 0;
        if (bytes.get() >= limit) {
            metrics.dropped(DropReason.UNSENT);
        } else if (!repeatable || positions.add(new Position(message))) {
            bytes.addAndGet(length(message));
            messages.add(message);
        }
    }

    long bytes() {
        return bytes.get();
    }

    /** Whether the last piece ended with a frame. Event loop only. */
    boolean isBetweenFrames() {
        return current == null;
    }

    /** The next bytes, at most {@link #PIECE}; null if there are none. Event loop only. */
    @Nullable
    ByteBuf next(ByteBufAllocator allocator) {
        ByteBuf piece = null;
        while ((piece == null || piece.maxWritableBytes() >= LENGTH)
                && (current != null || begin())) {
            if (piece == null) {
                piece = allocator.ioBuffer(messages.isEmpty() ? current.rest() : PIECE, PIECE);
            }
            if (current.writeTo(piece)) {
                metrics.sent(current.length());
                forget(current.message);
                current = null;
            }
        }
        return piece;
    }

    private boolean begin() {
        TransitionMessage message = messages.poll();
        current = message == null ? null : new Frame(message);
        return current != null;
    }

    /** A message that was begun is to be sent from its beginning. Event loop only. */
    void rewind() {
        if (current != null) {
            current.position = 0;
        }
    }

    /** Drops everything. Event loop only. */
    void clear() {
        if (current != null) {
            forget(current.message);
            metrics.dropped(DropReason.UNSENT);
            current = null;
        }
        TransitionMessage message;
        while ((message = messages.poll()) != null) {
            forget(message);
            metrics.dropped(DropReason.UNSENT);
        }
    }

    private void forget(TransitionMessage message) {
        bytes.addAndGet(-length(message));
        if (message.sequence() >= 0) {
            positions.remove(new Position(message));
        }
    }

    private static int length(TransitionMessage message) {
        return LENGTH + TransitionCodec.HEADER_LENGTH + message.payload().length;
    }

    /** A message as bytes. */
    private static final class Frame {
        final TransitionMessage message;
        private final byte[] header;
        int position;

        Frame(TransitionMessage message) {
            this.message = message;
            this.header = TransitionCodec.encodeHeader(message);
        }

        int length() {
            return SendQueue.length(message);
        }

        /** Bytes that are not written yet, or {@link #PIECE}. */
        int rest() {
            return Math.min(PIECE, length() - position);
        }

        /** Writes what there is room for; whether that was all. */
        boolean writeTo(ByteBuf piece) {
            if (position == 0) {
                piece.writeInt(header.length + message.payload().length);
                position = LENGTH;
            }
            write(header, position - LENGTH, piece);
            write(message.payload(), position - LENGTH - header.length, piece);
            return position == length();
        }

        private void write(byte[] source, int offset, ByteBuf piece) {
            if (offset >= 0 && offset < source.length) {
                int some = Math.min(source.length - offset, piece.maxWritableBytes());
                piece.writeBytes(source, offset, some);
                position += some;
            }
        }
    }

    /** What a message has in common with those that repeat it, and with no other. */
    private static final class Position {
        private final TransitionOrigin origin;
        private final AttemptId receiver;
        private final Priority priority;
        private final long sequence;

        Position(TransitionMessage message) {
            this.origin = message.origin();
            this.receiver = message.receiver();
            this.priority = message.priority();
            this.sequence = message.sequence();
        }

        @Override
        public boolean equals(Object o) {
            if (!(o instanceof Position)) {
                return false;
            }
            Position other = (Position) o;
            return other.sequence == sequence
                    && other.priority == priority
                    && other.receiver.equals(receiver)
                    && other.origin.equals(origin);
        }

        @Override
        public int hashCode() {
            return (int) (sequence * 31 + priority.ordinal())
                    ^ receiver.hashCode()
                    ^ origin.attempt().hashCode();
        }
    }
}
