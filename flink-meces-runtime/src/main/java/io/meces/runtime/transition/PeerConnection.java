// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

import io.meces.core.exchange.TransitionAddress;
import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.annotation.Nullable;
import org.apache.flink.runtime.io.network.netty.SSLHandlerFactory;
import org.apache.flink.shaded.netty4.io.netty.bootstrap.Bootstrap;
import org.apache.flink.shaded.netty4.io.netty.buffer.ByteBuf;
import org.apache.flink.shaded.netty4.io.netty.channel.Channel;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelFutureListener;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandlerContext;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelInitializer;
import org.apache.flink.shaded.netty4.io.netty.channel.EventLoop;
import org.apache.flink.shaded.netty4.io.netty.channel.SimpleChannelInboundHandler;
import org.apache.flink.shaded.netty4.io.netty.handler.ssl.SslHandshakeCompletionEvent;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection to a peer: made when it is needed, and made again when it is lost, as long as it
 * is used. What waits to be sent is written in batches: all that has come while the event loop was
 * busy.
 *
 * <p>Any thread sends; all else is owned by one event loop.
 */
final class PeerConnection {

    private static final Logger LOG = LoggerFactory.getLogger(PeerConnection.class);

    private enum State {
        /** Nobody needs it. */
        IDLE,
        /** Waiting for the next attempt. */
        PAUSED,
        /** The peer has not answered yet. */
        CONNECTING,
        STANDING,
        CLOSED
    }

    private final TransitionAddress to;
    private final EventLoop loop;
    private final Bootstrap bootstrap;
    @Nullable private final SSLHandlerFactory tls;
    private final ConnectionTimes times;
    private final Listener listener;
    private final TransitionMetrics metrics;
    private final SendQueue queue;
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private volatile long lastUsedNanos = System.nanoTime();
    private volatile State state = State.IDLE;

    // event loop only
    @Nullable private Channel channel;
    private int failedAttempts;
    private long standingSinceNanos;
    private boolean outage;

    /** Of the channel that is used now. */
    @Nullable private Throwable failure;

    /** Told by the event loop how it goes. */
    interface Listener {

        /** A connection that is used was lost, or cannot be made. */
        void lost(Throwable cause);

        /** It stands again, or is not needed any more. */
        void lostNoMore(boolean stands);

        /** Nobody has used it for some time, and it does not stand. */
        void idle();
    }

    /**
     * Does nothing yet.
     *
     * @param bootstrap with what is common to all connections; it is copied
     * @param tls null without TLS
     */
    PeerConnection(
            TransitionAddress to,
            EventLoop loop,
            Bootstrap bootstrap,
            @Nullable SSLHandlerFactory tls,
            ConnectionTimes times,
            SendQueue queue,
            TransitionMetrics metrics,
            Listener listener) {
        this.to = to;
        this.loop = loop;
        this.bootstrap = bootstrap.clone(loop).handler(new Initializer());
        this.tls = tls;
        this.times = times;
        this.queue = queue;
        this.metrics = metrics;
        this.listener = listener;
    }

    /** Sends a message as soon as the connection stands, or drops it. Any thread. */
    void send(TransitionMessage message) {
        queue.add(message);
        use();
    }

    /** Connects if need be. Any thread. */
    void use() {
        lastUsedNanos = System.nanoTime();
        if (scheduled.compareAndSet(false, true)) {
            execute(this::pump);
        }
    }

    private void execute(Runnable action) {
        try {
            loop.execute(action);
        } catch (RejectedExecutionException e) {
            LOG.debug("Nothing is sent to {}, as the service is closed", to, e);
        }
    }

    /** Whether it neither stands nor tries to. Any thread. */
    boolean isIdle() {
        return state == State.IDLE;
    }

    /** Bytes that wait to be written. Any thread. */
    long bytesQueued() {
        return queue.bytes();
    }

    /** Closes for good what was opened. Any thread. */
    void close() {
        execute(
                () -> {
                    state = State.CLOSED;
                    queue.clear();
                    if (channel != null) {
                        channel.close();
                    }
                });
    }

    // ------------------------------------------------------------------------
    //  Event loop
    // ------------------------------------------------------------------------

    private void pump() {
        scheduled.set(false);
        if (state == State.IDLE) {
            pauseThenConnect();
        } else if (state == State.STANDING) {
            boolean any = false;
            ByteBuf piece;
            while (channel.isWritable() && (piece = queue.next(channel.alloc())) != null) {
                channel.write(piece);
                any = true;
            }
            if (any) {
                channel.flush();
                metrics.flushed();
            }
        } else if (state == State.CLOSED) {
            queue.clear();
        }
    }

    private void pauseThenConnect() {
        state = State.PAUSED;
        long pause = ConnectionTimes.PAUSES.pauseNanos(failedAttempts++);
        if (pause == 0) {
            connect();
        } else {
            loop.schedule(this::connectIfNeeded, pause, TimeUnit.NANOSECONDS);
        }
    }

    private void connectIfNeeded() {
        if (state == State.PAUSED) {
            if (isNeeded()) {
                connect();
            } else {
                giveUp();
            }
        }
    }

    private void connect() {
        state = State.CONNECTING;
        failure = null;
        bootstrap
                .connect(to.host(), to.port())
                .addListener(
                        (ChannelFutureListener)
                                connecting -> {
                                    if (connecting.isSuccess()) {
                                        connecting
                                                .channel()
                                                .closeFuture()
                                                .addListener(closed -> lost(whyClosed()));
                                    } else {
                                        lost(connecting.cause());
                                    }
                                });
    }

    /** What was seen of it, such as a certificate that is not trusted. */
    private Throwable whyClosed() {
        return failure == null ? new IOException("connection closed") : failure;
    }

    /** The peer has accepted, and serves. */
    private void greeted() {
        state = State.STANDING;
        standingSinceNanos = System.nanoTime();
        LOG.debug("Connected to the transition service at {}", to);
        if (outage) {
            outage = false;
            metrics.reconnected();
            listener.lostNoMore(true);
        }
        pump();
    }

    private void lost(Throwable cause) {
        channel = null;
        queue.rewind();
        if (state == State.CLOSED) {
            return;
        }
        if (state == State.STANDING
                && System.nanoTime() - standingSinceNanos
                        >= ConnectionTimes.PAUSES.longest().toNanos()) {
            // a peer that accepts and closes at once is not to be asked all the time
            failedAttempts = 0;
        }
        if (!isNeeded()) {
            giveUp();
            return;
        }
        if (!outage) {
            outage = true;
            listener.lost(cause);
        }
        pauseThenConnect();
    }

    private void giveUp() {
        state = State.IDLE;
        failedAttempts = 0;
        queue.clear();
        if (outage) {
            outage = false;
            listener.lostNoMore(false);
        }
        listener.idle();
    }

    private boolean isNeeded() {
        return System.nanoTime() - lastUsedNanos < times.interestNanos();
    }

    /** The pipeline of a channel that connects. */
    final class Initializer extends ChannelInitializer<Channel> {
        @Override
        protected void initChannel(Channel ch) {
            channel = ch;
            if (tls != null) {
                ch.pipeline().addLast(tls.createNettySSLHandler(ch.alloc(), to.host(), to.port()));
            }
            ch.pipeline()
                    .addLast(Heartbeat.connecting(times, queue::isBetweenFrames))
                    .addLast(new Pings());
        }
    }

    /** Takes what the peer sends: nothing but pings. */
    final class Pings extends SimpleChannelInboundHandler<ByteBuf> {
        @Override
        protected void channelRead0(ChannelHandlerContext ctx, ByteBuf in)
                throws MalformedMessageException {
            while (in.isReadable()) {
                if (in.readByte() != 0) {
                    throw new MalformedMessageException("an answer that is no ping");
                }
            }
            if (state == State.CONNECTING) {
                greeted();
            }
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext ctx) {
            if (ctx.channel().isWritable() && scheduled.compareAndSet(false, true)) {
                execute(PeerConnection.this::pump);
            }
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            // before the channel is closed, other than an exception
            if (event instanceof SslHandshakeCompletionEvent) {
                failure = ((SslHandshakeCompletionEvent) event).cause();
            }
            ctx.fireUserEventTriggered(event);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            LOG.debug("The connection to {} fails", to, cause);
            failure = cause;
            if (cause instanceof MalformedMessageException) {
                metrics.dropped(DropReason.MALFORMED);
            }
            ctx.close();
        }
    }
}
