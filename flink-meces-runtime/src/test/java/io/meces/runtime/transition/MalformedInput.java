// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

import io.meces.core.exchange.PeerMessage;
import io.meces.core.exchange.Priority;
import io.meces.core.exchange.TransitionAddress;
import io.meces.core.exchange.UnitChunk;
import io.meces.core.id.AttemptId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.shaded.netty4.io.netty.buffer.ByteBuf;
import org.apache.flink.shaded.netty4.io.netty.buffer.Unpooled;
import org.apache.flink.shaded.netty4.io.netty.channel.embedded.EmbeddedChannel;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.config.Configurator;

/**
 * Feeds arbitrary bytes to everything that reads bytes of others, and fails on anything but a
 * refusal: another exception, more memory than the bytes justify, a message that is delivered
 * though it was not sent. One thread.
 */
final class MalformedInput {

    /** Registered with the services that are fed, so that payloads are kept. */
    static final AttemptId RECEIVER = attempt(7);

    private static final TransitionOrigin MESSAGES =
            new TransitionOrigin(
                    new JobID(1, 1), new JobVertexID(2, 2), new UUID(3, 3), attempt(4), 5);

    static {
        // it would say of each input that it is malformed
        Configurator.setLevel(FrameDecoder.class.getName(), Level.OFF);
    }

    private MalformedInput() {}

    /** What the pipeline of an accepted connection makes of a stream of bytes. */
    static void feedPipeline(byte[] stream) {
        TransitionMetrics metrics = TransitionMetrics.unregistered();
        LocalTransitionService local =
                new LocalTransitionService(new TransitionAddress("here", 1), metrics);
        List<TransitionMessage> delivered = new ArrayList<>();
        local.register(RECEIVER, delivered::add);
        FrameDecoder decoder = new FrameDecoder(local, metrics, proven -> {});
        EmbeddedChannel channel =
                new EmbeddedChannel(
                        Heartbeat.accepting(ConnectionTimes.DEFAULT, decoder::isKnown), decoder);
        try {
            int position = 0;
            for (int piece = 1; position < stream.length && channel.isOpen(); piece++) {
                // in pieces of 1, 2, 4, … bytes, from time to time anew
                int bytes = Math.min(1 << piece % 14, stream.length - position);
                channel.writeInbound(Unpooled.copiedBuffer(stream, position, bytes));
                position += bytes;
                check(
                        decoder.bytesHeld()
                                <= 1_000 + FrameDecoder.FIRST_ALLOCATION + 2L * position,
                        decoder.bytesHeld() + " bytes are held after " + position);
            }
            check(
                    channel.isOpen() == (metrics.droppedFor(DropReason.MALFORMED) == 0),
                    "closed without being malformed, or open though it is");
            long answered = 0;
            for (ByteBuf out; (out = channel.readOutbound()) != null; out.release()) {
                answered += out.readableBytes();
            }
            check(answered <= Heartbeat.PING_LENGTH, "an answer of " + answered + " bytes");
            for (TransitionMessage message : delivered) {
                check(message.receiver().equals(RECEIVER), "delivered: " + message);
                check(message.payload().length <= stream.length, "delivered: " + message);
            }
        } finally {
            channel.finishAndReleaseAll();
        }
        check(decoder.bytesHeld() < 1_000, decoder.bytesHeld() + " bytes are held for ever");
    }

    /** What the codec makes of bytes: it refuses them, or writes the same again. */
    static void feedCodec(byte[] bytes) {
        TransitionMessage message;
        try {
            message = TransitionCodec.decode(bytes);
        } catch (MalformedMessageException refused) {
            return;
        }
        byte[] again = TransitionCodec.encode(message);
        // a reserved byte, and with it the checksum
        again[7] = bytes[7];
        System.arraycopy(bytes, 8, again, 8, 4);
        check(Arrays.equals(again, bytes), "read differently than written: " + message);
    }

    /** What becomes of a chunk of units: it is refused, or its parts are what it is made of. */
    static void feedChunk(byte[] bytes) {
        List<UnitChunk.Part> parts;
        try {
            parts = UnitChunk.read(bytes);
        } catch (IOException refused) {
            return;
        }
        long length = 0;
        for (UnitChunk.Part part : parts) {
            check(part.state().remaining() == part.length(), "a part is not as long as it says");
            length += 8 + part.length();
        }
        check(length == bytes.length, length + " bytes were read of " + bytes.length);
    }

    private static void check(boolean condition, String violation) {
        if (!condition) {
            throw new AssertionError(violation);
        }
    }

    // ------------------------------------------------------------------------
    //  Seeds
    // ------------------------------------------------------------------------

    /** Streams as peers send them. */
    static List<byte[]> streams() throws IOException {
        byte[] chunk = chunks().get(1);
        return Arrays.asList(
                new byte[4],
                frames(MESSAGES.to(RECEIVER, PeerMessage.request(1, 2))),
                frames(
                        MESSAGES.to(RECEIVER, PeerMessage.unit(1, 2, new byte[] {1, 2, 3}))
                                .sequenced(Priority.URGENT, 0),
                        MESSAGES.to(RECEIVER, PeerMessage.acknowledgement(new long[] {1, 2, 3}))),
                frames(
                        MESSAGES.to(RECEIVER, PeerMessage.chunk(1, chunk))
                                .sequenced(Priority.BULK, 5),
                        MESSAGES.to(attempt(9), PeerMessage.aligned(3))),
                frames(
                        MESSAGES.to(attempt(9), PeerMessage.unit(1, 2, new byte[300])),
                        MESSAGES.to(RECEIVER, PeerMessage.forward(1, 2, 0, 3, new byte[70]))),
                claiming(TransitionCodec.MAX_LENGTH),
                claiming(TransitionCodec.MAX_LENGTH + 1),
                claiming(-1),
                "GET / HTTP/1.1\r\n\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    }

    /** Messages without the length in front. */
    static List<byte[]> messages() {
        return Arrays.asList(
                TransitionCodec.encode(MESSAGES.to(RECEIVER, PeerMessage.request(1, 2))),
                TransitionCodec.encode(
                        MESSAGES.to(RECEIVER, PeerMessage.unit(1, 2, new byte[] {1, 2, 3}))
                                .sequenced(Priority.URGENT, 4)));
    }

    /** Chunks of units. */
    static List<byte[]> chunks() throws IOException {
        UnitChunk chunk = new UnitChunk();
        chunk.add(1, new byte[] {1, 2, 3}, 0);
        chunk.add(77, new byte[0], 0);
        chunk.add(2_000, new byte[100], 0);
        return Arrays.asList(new byte[0], chunk.take());
    }

    /** The beginning of a good frame of any length. */
    static byte[] claiming(int length) {
        byte[] stream =
                Arrays.copyOfRange(
                        frames(MESSAGES.to(RECEIVER, PeerMessage.unit(1, 2, new byte[500]))),
                        Heartbeat.PING_LENGTH,
                        500);
        ByteBuffer.wrap(stream).putInt(0, length);
        return stream;
    }

    private static AttemptId attempt(long id) {
        return new AttemptId(id, id);
    }

    private static byte[] frames(TransitionMessage... messages) {
        ByteBuf out = Unpooled.buffer();
        out.writeInt(0);
        for (TransitionMessage message : messages) {
            byte[] encoded = TransitionCodec.encode(message);
            out.writeInt(encoded.length).writeBytes(encoded);
        }
        byte[] bytes = new byte[out.readableBytes()];
        out.readBytes(bytes);
        return bytes;
    }
}
