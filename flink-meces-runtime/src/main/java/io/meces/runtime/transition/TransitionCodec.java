// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

import io.meces.core.exchange.PeerMessage;
import io.meces.core.exchange.Priority;
import io.meces.core.id.AttemptId;
import java.util.UUID;
import java.util.zip.CRC32;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.shaded.netty4.io.netty.buffer.ByteBuf;
import org.apache.flink.shaded.netty4.io.netty.buffer.Unpooled;
import org.apache.flink.util.AbstractID;

/**
 * The binary form of a {@link TransitionMessage}. All numbers are big-endian.
 *
 * <pre>
 *   0  int   magic "MECS"
 *   4  byte  version
 *   5  byte  kind
 *   6  byte  priority
 *   7  byte  0
 *   8  int   CRC-32 of all other bytes
 *  12  long  sequence number in the priority
 *  20  16 B  job
 *  36  16 B  vertex
 *  52  16 B  rescale
 *  68  long  step
 *  76  16 B  attempt of the sender
 *  92  16 B  attempt of the receiver
 * 108  int   subtask index of the sender
 * 112  int   unit
 * 116  int   input
 * 120  int   channel
 * 124  int   number of the handover
 * 128  …     payload, to the end
 * </pre>
 *
 * <p>Nothing of it is Java serialization. Stateless.
 */
public final class TransitionCodec {

    static final int MAGIC = 0x4d454353;
    static final byte VERSION = 6;

    /** Bytes before the payload. */
    public static final int HEADER_LENGTH = 128;

    /** A unit must fit into a message; more sub-groups make units smaller. */
    public static final int MAX_LENGTH = 512 * 1024 * 1024;

    private static final int VERSION_AT = 4;
    private static final int KIND_AT = 5;
    private static final int PRIORITY_AT = 6;
    private static final int RECEIVER_AT = 92;
    private static final int CHECKSUM = 8;
    private static final int CHECKED = 12;
    private static final PeerMessage.Kind[] KINDS = PeerMessage.Kind.values();

    private TransitionCodec() {}

    /**
     * The header of a message; the payload is to follow.
     *
     * @throws IllegalArgumentException if the message is too long
     */
    public static byte[] encodeHeader(TransitionMessage message) {
        checkLength(message);
        byte[] payload = message.payload();
        byte[] bytes = new byte[HEADER_LENGTH];
        ByteBuf header = Unpooled.wrappedBuffer(bytes).clear();
        TransitionOrigin origin = message.origin();
        PeerMessage content = message.content();
        header.writeInt(MAGIC);
        header.writeByte(VERSION);
        header.writeByte(content.kind().ordinal());
        header.writeByte(message.priority().ordinal());
        header.writeByte(0);
        header.writeInt(0);
        header.writeLong(message.sequence());
        write(origin.job(), header);
        write(origin.vertex(), header);
        header.writeLong(origin.rescale().getMostSignificantBits());
        header.writeLong(origin.rescale().getLeastSignificantBits());
        header.writeLong(content.step());
        write(origin.attempt(), header);
        write(message.receiver(), header);
        header.writeInt(origin.subtask());
        header.writeInt(content.unit());
        header.writeInt(content.input());
        header.writeInt(content.channel());
        header.writeInt(content.handover().number());
        header.setInt(CHECKSUM, checksum(bytes, payload));
        return bytes;
    }

    /**
     * Refuses what cannot be sent.
     *
     * @throws IllegalArgumentException if the message is too long
     */
    public static void checkLength(TransitionMessage message) {
        if (message.payload().length > MAX_LENGTH - HEADER_LENGTH) {
            throw new IllegalArgumentException(
                    message.kind()
                            + " of "
                            + message.payload().length
                            + " bytes is larger than a message may be ("
                            + MAX_LENGTH
                            + "); units are smaller with more meces.state.sub-groups.");
        }
    }

    /** Header and payload in one. */
    public static byte[] encode(TransitionMessage message) {
        byte[] header = encodeHeader(message);
        byte[] all = new byte[HEADER_LENGTH + message.payload().length];
        System.arraycopy(header, 0, all, 0, HEADER_LENGTH);
        System.arraycopy(message.payload(), 0, all, HEADER_LENGTH, message.payload().length);
        return all;
    }

    /**
     * Reads a message from its first byte to the last of the array.
     *
     * @throws MalformedMessageException if it is not an intact message of this version
     */
    public static TransitionMessage decode(byte[] message) throws MalformedMessageException {
        return decode(Unpooled.wrappedBuffer(message));
    }

    /**
     * Reads a message from the reader index to the writer index. The payload is copied.
     *
     * @throws MalformedMessageException if it is not an intact message of this version
     */
    public static TransitionMessage decode(ByteBuf in) throws MalformedMessageException {
        if (in.readableBytes() < HEADER_LENGTH) {
            throw new MalformedMessageException(
                    in.readableBytes() + " bytes are shorter than a header");
        }
        byte[] header = new byte[HEADER_LENGTH];
        in.readBytes(header);
        checkStart(header, HEADER_LENGTH);
        byte[] payload = new byte[in.readableBytes()];
        in.readBytes(payload);
        return decode(header, payload);
    }

    /**
     * Tells as early as possible that a header is none of ours.
     *
     * @param length how many bytes of the header have come
     * @throws MalformedMessageException if they are not the beginning of one of this version
     */
    static void checkStart(byte[] header, int length) throws MalformedMessageException {
        for (int i = 0; i < Math.min(length, 4); i++) {
            if (header[i] != (byte) (MAGIC >>> 24 - 8 * i)) {
                throw new MalformedMessageException("wrong magic number");
            }
        }
        if (length > VERSION_AT && header[VERSION_AT] != VERSION) {
            throw new MalformedMessageException(
                    "version " + header[VERSION_AT] + " of the protocol, not " + VERSION);
        }
        if (length > KIND_AT && (header[KIND_AT] < 0 || header[KIND_AT] >= KINDS.length)) {
            throw new MalformedMessageException("unknown kind " + header[KIND_AT]);
        }
        if (length > PRIORITY_AT
                && (header[PRIORITY_AT] < 0 || header[PRIORITY_AT] >= Priority.COUNT)) {
            throw new MalformedMessageException("unknown priority " + header[PRIORITY_AT]);
        }
    }

    /** Who is to get the message of a header that {@link #checkStart} has passed. */
    static AttemptId receiver(byte[] header) {
        return attempt(Unpooled.wrappedBuffer(header, RECEIVER_AT, HEADER_LENGTH - RECEIVER_AT));
    }

    /**
     * Reads a message; the payload is not copied.
     *
     * @param bytes a header that {@link #checkStart} has passed
     * @throws MalformedMessageException if its checksum is wrong
     */
    static TransitionMessage decode(byte[] bytes, byte[] payload) throws MalformedMessageException {
        ByteBuf header = Unpooled.wrappedBuffer(bytes);
        header.skipBytes(CHECKSUM);
        if (checksum(bytes, payload) != header.readInt()) {
            throw new MalformedMessageException("wrong checksum");
        }
        long sequence = header.readLong();
        JobID job = new JobID(header.readLong(), header.readLong());
        JobVertexID vertex = new JobVertexID(header.readLong(), header.readLong());
        UUID rescale = new UUID(header.readLong(), header.readLong());
        long step = header.readLong();
        AttemptId sender = attempt(header);
        AttemptId receiver = attempt(header);
        TransitionOrigin origin =
                new TransitionOrigin(job, vertex, rescale, sender, header.readInt());
        PeerMessage content =
                new PeerMessage(
                        KINDS[bytes[KIND_AT]],
                        step,
                        header.readInt(),
                        header.readInt(),
                        header.readInt(),
                        header.readInt(),
                        payload);
        return new TransitionMessage(
                origin, receiver, content, Priority.of(bytes[PRIORITY_AT]), sequence);
    }

    private static int checksum(byte[] header, byte[] payload) {
        CRC32 crc = new CRC32();
        crc.update(header, 0, CHECKSUM);
        crc.update(header, CHECKED, HEADER_LENGTH - CHECKED);
        crc.update(payload, 0, payload.length);
        return (int) crc.getValue();
    }

    private static void write(AbstractID id, ByteBuf out) {
        out.writeLong(id.getLowerPart());
        out.writeLong(id.getUpperPart());
    }

    private static void write(AttemptId id, ByteBuf out) {
        out.writeLong(id.lower());
        out.writeLong(id.upper());
    }

    private static AttemptId attempt(ByteBuf in) {
        return new AttemptId(in.readLong(), in.readLong());
    }
}
