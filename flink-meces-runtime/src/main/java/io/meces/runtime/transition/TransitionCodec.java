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

package io.meces.runtime.transition;

import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.shaded.netty4.io.netty.buffer.ByteBuf;
import org.apache.flink.shaded.netty4.io.netty.buffer.ByteBufAllocator;
import org.apache.flink.shaded.netty4.io.netty.buffer.Unpooled;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.CorruptedFrameException;

/**
 * The binary form of a {@link TransitionMessage}. All numbers are big-endian.
 *
 * <pre>
 *  0  int   length of what follows
 *  4  int   magic "MECS"
 *  8  byte  version
 *  9  byte  kind
 * 10  long  rescale, high
 * 18  long  rescale, low
 * 26  long  step
 * 34  16 B  attempt of the sender
 * 50  16 B  attempt of the receiver
 * 66  int   subtask index of the sender
 * 70  int   unit
 * 74  int   input
 * 78  int   channel
 * 82  …     payload, to the end of the frame
 * </pre>
 */
final class TransitionCodec {

    static final int MAGIC = 0x4d454353;
    static final byte VERSION = 1;

    /** Bytes from the magic number to the payload. */
    static final int HEADER_LENGTH = 78;

    /** A unit must fit into a frame; more sub-groups make units smaller. */
    static final int MAX_FRAME_LENGTH = 512 * 1024 * 1024;

    private static final TransitionMessage.Kind[] KINDS = TransitionMessage.Kind.values();

    private TransitionCodec() {}

    static ByteBuf encode(ByteBufAllocator allocator, TransitionMessage message) {
        int length = HEADER_LENGTH + message.payload().length;
        if (length > MAX_FRAME_LENGTH) {
            throw new IllegalArgumentException(
                    message.kind()
                            + " of "
                            + message.payload().length
                            + " bytes is larger than a message may be ("
                            + MAX_FRAME_LENGTH
                            + "); units are smaller with more meces.state.sub-groups.");
        }
        ByteBuf header = allocator.buffer(4 + HEADER_LENGTH, 4 + HEADER_LENGTH);
        header.writeInt(length);
        header.writeInt(MAGIC);
        header.writeByte(VERSION);
        header.writeByte(message.kind().ordinal());
        header.writeLong(message.rescaleHigh());
        header.writeLong(message.rescaleLow());
        header.writeLong(message.step());
        message.sender().writeTo(header);
        message.receiver().writeTo(header);
        header.writeInt(message.senderSubtask());
        header.writeInt(message.unit());
        header.writeInt(message.input());
        header.writeInt(message.channel());
        return message.payload().length == 0
                ? header
                : Unpooled.wrappedBuffer(header, Unpooled.wrappedBuffer(message.payload()));
    }

    /**
     * Reads one frame, without its length.
     *
     * @throws CorruptedFrameException if it is not a message of this version
     */
    static TransitionMessage decode(ByteBuf frame) {
        if (frame.readableBytes() < HEADER_LENGTH) {
            throw new CorruptedFrameException(
                    "a frame of " + frame.readableBytes() + " bytes is shorter than a header");
        }
        int magic = frame.readInt();
        if (magic != MAGIC) {
            throw new CorruptedFrameException("wrong magic number " + Integer.toHexString(magic));
        }
        byte version = frame.readByte();
        if (version != VERSION) {
            throw new CorruptedFrameException(
                    "version " + version + " of the protocol, not " + VERSION);
        }
        int kind = frame.readByte();
        if (kind < 0 || kind >= KINDS.length) {
            throw new CorruptedFrameException("unknown kind of message " + kind);
        }
        long rescaleHigh = frame.readLong();
        long rescaleLow = frame.readLong();
        long step = frame.readLong();
        ExecutionAttemptID sender = ExecutionAttemptID.fromByteBuf(frame);
        ExecutionAttemptID receiver = ExecutionAttemptID.fromByteBuf(frame);
        int senderSubtask = frame.readInt();
        int unit = frame.readInt();
        int input = frame.readInt();
        int channel = frame.readInt();
        byte[] payload = new byte[frame.readableBytes()];
        frame.readBytes(payload);
        return new TransitionMessage(
                KINDS[kind],
                rescaleHigh,
                rescaleLow,
                step,
                sender,
                receiver,
                senderSubtask,
                unit,
                input,
                channel,
                payload);
    }
}
