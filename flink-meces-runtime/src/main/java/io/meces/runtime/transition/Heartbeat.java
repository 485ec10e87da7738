// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.flink.shaded.netty4.io.netty.buffer.Unpooled;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandlerContext;
import org.apache.flink.shaded.netty4.io.netty.handler.timeout.IdleState;
import org.apache.flink.shaded.netty4.io.netty.handler.timeout.IdleStateEvent;
import org.apache.flink.shaded.netty4.io.netty.handler.timeout.IdleStateHandler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out that the other end of a connection has vanished without closing it: each end that has
 * nothing to say sends a ping, a frame of length 0, and closes when it hears nothing. The end that
 * connects pings at once, and is answered, so that it knows that it is served.
 *
 * <p>Owned by the event loop of its channel.
 */
final class Heartbeat extends IdleStateHandler {

    private static final Logger LOG = LoggerFactory.getLogger(Heartbeat.class);

    /** A frame of length 0. */
    static final int PING_LENGTH = 4;

    private final boolean connects;
    private final BooleanSupplier mayPing;

    private Heartbeat(ConnectionTimes times, boolean connects, BooleanSupplier mayPing) {
        super(times.silenceMs(), times.heartbeatMs(), 0, TimeUnit.MILLISECONDS);
        this.connects = connects;
        this.mayPing = mayPing;
    }

    /**
     * Of the end that accepts, which writes nothing but pings.
     *
     * @param known whether the other end has spoken our language yet
     */
    static Heartbeat accepting(ConnectionTimes times, BooleanSupplier known) {
        return new Heartbeat(times, false, known);
    }

    /**
     * Of the end that connects.
     *
     * @param betweenFrames whether a ping may be written now; if not, bytes are waiting that do as
     *     well
     */
    static Heartbeat connecting(ConnectionTimes times, BooleanSupplier betweenFrames) {
        return new Heartbeat(times, true, betweenFrames);
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) throws Exception {
        super.channelActive(ctx);
        if (connects) {
            ping(ctx);
        }
    }

    @Override
    protected void channelIdle(ChannelHandlerContext ctx, IdleStateEvent event) {
        if (event.state() == IdleState.READER_IDLE) {
            LOG.debug("Nothing has come for too long: closing {}", ctx.channel());
            ctx.close();
        } else if (mayPing.getAsBoolean()) {
            ping(ctx);
        }
    }

    /** Sends a ping from the position of a handler. */
    static void ping(ChannelHandlerContext ctx) {
        ctx.writeAndFlush(Unpooled.buffer(PING_LENGTH, PING_LENGTH).writeZero(PING_LENGTH));
    }
}
