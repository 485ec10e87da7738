// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.core.exchange.PeerMessage;
import io.meces.core.exchange.Priority;
import io.meces.core.id.AttemptId;
import java.util.Random;
import java.util.UUID;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.shaded.netty4.io.netty.buffer.ByteBuf;
import org.apache.flink.shaded.netty4.io.netty.buffer.Unpooled;
import org.apache.flink.shaded.netty4.io.netty.buffer.UnpooledByteBufAllocator;
import org.junit.jupiter.api.Test;

class SendQueueTest {

    private final TransitionMetrics metrics = TransitionMetrics.unregistered();
    private final SendQueue queue = new SendQueue(1 << 20, metrics);
    private final AttemptId receiver = AttemptId.random();
    private final TransitionOrigin messages =
            new TransitionOrigin(
                    new JobID(), new JobVertexID(), UUID.randomUUID(), AttemptId.random(), 0);

    private TransitionMessage message(long sequence, int bytes) {
        return messages.to(receiver, PeerMessage.unit(1, 2, new byte[bytes]))
                .sequenced(Priority.BULK, sequence);
    }

    private ByteBuf next() {
        return queue.next(UnpooledByteBufAllocator.DEFAULT);
    }

    @Test
    void smallMessagesLeaveTogetherAndLargeOnesInPieces() {
        long seed = Long.getLong("queue.seed", System.nanoTime());
        Random random = new Random(seed);
        ByteBuf expected = Unpooled.buffer();
        for (int i = 0; i < 200; i++) {
            TransitionMessage message =
                    message(i, random.nextInt(random.nextInt(20) == 0 ? 50_000 : 1_000));
            queue.add(message);
            byte[] encoded = TransitionCodec.encode(message);
            expected.writeInt(encoded.length).writeBytes(encoded);
        }
        ByteBuf actual = Unpooled.buffer();
        int pieces = 0;
        for (ByteBuf piece; (piece = next()) != null; piece.release()) {
            assertThat(piece.readableBytes()).isBetween(1, SendQueue.PIECE);
            actual.writeBytes(piece);
            pieces++;
        }
        assertThat(actual).as("-Dqueue.seed=%s", seed).isEqualTo(expected);
        assertThat(pieces)
                .isLessThanOrEqualTo(expected.readableBytes() / (SendQueue.PIECE - 4) + 1);
        assertThat(queue.bytes()).isZero();
        assertThat(queue.isBetweenFrames()).isTrue();
        assertThat(metrics.messagesSent()).isEqualTo(200);
    }

    @Test
    void whatWasBegunIsSentFromItsBeginningOnANewConnection() {
        queue.add(message(0, 100_000));
        next().release();
        assertThat(queue.isBetweenFrames()).isFalse();
        queue.rewind();
        ByteBuf first = next();
        ByteBuf second = next();
        assertThat(first.readInt()).isEqualTo(TransitionCodec.HEADER_LENGTH + 100_000);
        assertThat(first.readableBytes() + second.readableBytes())
                .isEqualTo(TransitionCodec.HEADER_LENGTH + 100_000);
        assertThat(next()).isNull();
        first.release();
        second.release();
    }

    @Test
    void whatIsRepeatedWhileItWaitsIsNothingNew() {
        queue.add(message(0, 10));
        long bytes = queue.bytes();
        queue.add(message(0, 10));
        assertThat(queue.bytes()).isEqualTo(bytes);
        next().release();
        queue.add(message(0, 10));
        assertThat(queue.bytes()).isEqualTo(bytes);
        assertThat(metrics.droppedFor(DropReason.UNSENT)).isZero();
    }

    @Test
    void oneMessageMayBeLargerThanTheLimitAndNoMoreIsTaken() {
        queue.add(message(0, 3 << 20));
        queue.add(message(1, 1));
        assertThat(metrics.droppedFor(DropReason.UNSENT)).isEqualTo(1);
        queue.clear();
        assertThat(metrics.droppedFor(DropReason.UNSENT)).isEqualTo(2);
        assertThat(queue.bytes()).isZero();
        queue.add(message(1, 1));
        assertThat(queue.bytes()).isPositive();
    }
}
