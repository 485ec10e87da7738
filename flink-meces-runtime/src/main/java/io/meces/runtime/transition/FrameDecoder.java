// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

import java.io.IOException;
import java.util.Arrays;
import java.util.function.Consumer;
import javax.annotation.Nullable;
import org.apache.flink.shaded.netty4.io.netty.buffer.ByteBuf;
import org.apache.flink.shaded.netty4.io.netty.channel.Channel;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandlerContext;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelInboundHandlerAdapter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads frames and delivers the messages in them. A frame is a length (int) and so many bytes: a
 * message as {@link TransitionCodec} writes it, or nothing, which is a ping. The first ping is
 * answered.
 *
 * <p>Whoever connects may be anybody. So a connection never holds more than one frame, of which it
 * allocates at most {@value #FIRST_ALLOCATION} bytes or twice what has come, whatever length is
 * claimed; every byte of a header is checked as it comes; and a payload is kept only if its
 * receiver runs here, whose id nobody can guess, though logs have it. Nothing is read of a message
 * that does not name the secret of a rescale: that is the task's business. What is malformed closes
 * the connection.
 *
 * <p>Owned by the event loop of its channel.
 */
final class FrameDecoder extends ChannelInboundHandlerAdapter {

    private static final Logger LOG = LoggerFactory.getLogger(FrameDecoder.class);

    /**
     * Bytes that are allocated for a payload before any of it has come. What is larger is copied as
     * it grows, which makes garbage of twice its size. Below what G1 treats as humongous.
     */
    static final int FIRST_ALLOCATION = 448 * 1024;

    private static final int LENGTH = 4;

    private final LocalTransitionService local;
    private final TransitionMetrics metrics;

    private final byte[] length = new byte[LENGTH];
    private final byte[] header = new byte[TransitionCodec.HEADER_LENGTH];

    /** Bytes of length, header and payload that have come of the current frame. */
    private int position;

    private int payloadLength;

    /** What has come of the payload, and room for more; null while it is skipped. */
    @Nullable private byte[] payload;

    private final Consumer<Channel> onProven;
    private boolean known;
    private boolean proven;
    private boolean malformed;

    /**
     * @param onProven is told once that a message has come for a task that runs here
     */
    FrameDecoder(
            LocalTransitionService local, TransitionMetrics metrics, Consumer<Channel> onProven) {
        this.local = local;
        this.metrics = metrics;
        this.onProven = onProven;
    }

    /** Bytes that are allocated for a frame that is not complete. */
    int bytesHeld() {
        return length.length + header.length + (payload == null ? 0 : payload.length);
    }

    /** Whether the other end has pinged. */
    boolean isKnown() {
        return known;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message)
            throws MalformedMessageException {
        ByteBuf in = (ByteBuf) message;
        try {
            while (in.isReadable() && !malformed) {
                read(ctx, in);
            }
        } finally {
            in.release();
        }
    }

    private void read(ChannelHandlerContext ctx, ByteBuf in) throws MalformedMessageException {
        if (position < LENGTH) {
            position += fill(length, position, LENGTH - position, in);
            if (position == LENGTH) {
                readLength(ctx);
            }
        } else if (position < LENGTH + header.length) {
            int there = position - LENGTH;
            position += fill(header, there, header.length - there, in);
            TransitionCodec.checkStart(header, position - LENGTH);
            if (position == LENGTH + header.length) {
                readHeader(ctx);
            }
        } else {
            readPayload(in);
        }
    }

    private void readLength(ChannelHandlerContext ctx) throws MalformedMessageException {
        int frame =
                (length[0] & 0xff) << 24
                        | (length[1] & 0xff) << 16
                        | (length[2] & 0xff) << 8
                        | length[3] & 0xff;
        if (frame == 0) {
            position = 0;
            if (!known) {
                known = true;
                Heartbeat.ping(ctx);
            }
        } else if (frame < header.length || frame > TransitionCodec.MAX_LENGTH) {
            throw new MalformedMessageException("a frame of " + frame + " bytes");
        }
        payloadLength = frame - header.length;
    }

    private void readHeader(ChannelHandlerContext ctx) throws MalformedMessageException {
        if (local.isHere(TransitionCodec.receiver(header))) {
            if (!proven) {
                proven = true;
                onProven.accept(ctx.channel());
            }
            payload = new byte[Math.min(payloadLength, FIRST_ALLOCATION)];
        } else {
            metrics.dropped(DropReason.UNKNOWN_RECEIVER);
        }
        endIfComplete();
    }

    private void readPayload(ByteBuf in) throws MalformedMessageException {
        int there = position - LENGTH - header.length;
        if (payload == null) {
            int skipped = Math.min(in.readableBytes(), payloadLength - there);
            in.skipBytes(skipped);
            position += skipped;
        } else {
            if (there == payload.length) {
                payload = Arrays.copyOf(payload, (int) Math.min(payloadLength, 2L * there));
            }
            position += fill(payload, there, payload.length - there, in);
        }
        endIfComplete();
    }

    private void endIfComplete() throws MalformedMessageException {
        if (position == LENGTH + header.length + payloadLength) {
            position = 0;
            if (payload != null) {
                byte[] complete = payload;
                payload = null;
                local.deliver(TransitionCodec.decode(header, complete));
            }
        }
    }

    private static int fill(byte[] target, int offset, int room, ByteBuf in) {
        int bytes = Math.min(room, in.readableBytes());
        in.readBytes(target, offset, bytes);
        return bytes;
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) throws Exception {
        payload = null;
        super.channelInactive(ctx);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (cause instanceof IOException && !(cause instanceof MalformedMessageException)) {
            LOG.debug("Lost the connection from {}", ctx.channel().remoteAddress(), cause);
        } else if (!malformed) {
            malformed = true;
            payload = null;
            metrics.dropped(DropReason.MALFORMED);
            LOG.warn(
                    "Closing a connection to the transition service from {}, which is not of this"
                            + " cluster, or broken: {}",
                    ctx.channel().remoteAddress(),
                    cause.toString());
        }
        ctx.close();
    }
}
