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

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.shaded.netty4.io.netty.bootstrap.Bootstrap;
import org.apache.flink.shaded.netty4.io.netty.bootstrap.ServerBootstrap;
import org.apache.flink.shaded.netty4.io.netty.buffer.ByteBuf;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelFuture;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelFutureListener;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandlerContext;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelInitializer;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelOption;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelOutboundHandlerAdapter;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelPromise;
import org.apache.flink.shaded.netty4.io.netty.channel.SimpleChannelInboundHandler;
import org.apache.flink.shaded.netty4.io.netty.channel.group.ChannelGroup;
import org.apache.flink.shaded.netty4.io.netty.channel.group.DefaultChannelGroup;
import org.apache.flink.shaded.netty4.io.netty.channel.nio.NioEventLoopGroup;
import org.apache.flink.shaded.netty4.io.netty.channel.socket.SocketChannel;
import org.apache.flink.shaded.netty4.io.netty.channel.socket.nio.NioServerSocketChannel;
import org.apache.flink.shaded.netty4.io.netty.channel.socket.nio.NioSocketChannel;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import org.apache.flink.shaded.netty4.io.netty.util.concurrent.DefaultThreadFactory;
import org.apache.flink.shaded.netty4.io.netty.util.concurrent.GlobalEventExecutor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends messages over one TCP connection per direction between two TaskManagers, made when first
 * needed and kept. Thread-safe; messages of one sending thread keep their order. A connection that
 * fails or brings a malformed frame is closed, and the tasks here are told.
 */
public final class NettyTransitionService implements TransitionService {

    private static final Logger LOG = LoggerFactory.getLogger(NettyTransitionService.class);
    private static final int CONNECT_TIMEOUT_MS = 10_000;
    private static final int PRACTICE_MESSAGES = 1_000;

    private final NioEventLoopGroup acceptor =
            new NioEventLoopGroup(1, new DefaultThreadFactory("meces-transition-acceptor", true));
    private final NioEventLoopGroup workers =
            new NioEventLoopGroup(2, new DefaultThreadFactory("meces-transition", true));
    private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final ConcurrentMap<TransitionAddress, ChannelFuture> connections =
            new ConcurrentHashMap<>();
    private final LocalTransitionService local;
    private volatile boolean closed;

    /**
     * Starts to listen.
     *
     * @param host where this TaskManager is reached by others
     * @param port the TCP port; 0 takes a free one
     * @throws IOException if the port cannot be bound
     */
    public NettyTransitionService(InetAddress host, int port) throws IOException {
        ServerBootstrap server =
                new ServerBootstrap()
                        .group(acceptor, workers)
                        .channel(NioServerSocketChannel.class)
                        .childOption(ChannelOption.TCP_NODELAY, true)
                        .childHandler(new Inbound());
        ChannelFuture bound = server.bind(host, port).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            shutDown();
            throw new IOException(
                    "The transition service cannot listen at "
                            + host
                            + ":"
                            + port
                            + "; set meces.transition-service.netty.port to a free port or to 0.",
                    bound.cause());
        }
        open.add(bound.channel());
        int actual = ((InetSocketAddress) bound.channel().localAddress()).getPort();
        this.local =
                new LocalTransitionService(new TransitionAddress(host.getHostAddress(), actual));
        LOG.info("The transition service listens at {}.", local.address());
    }

    @Override
    public TransitionAddress address() {
        return local.address();
    }

    @Override
    public void register(ExecutionAttemptID task, TransitionInbox inbox) {
        local.register(task, inbox);
    }

    @Override
    public void unregister(ExecutionAttemptID task) {
        local.unregister(task);
    }

    @Override
    public void prepare(TransitionAddress to) {
        if (!to.equals(local.address())) {
            connections.computeIfAbsent(to, this::connect);
        }
    }

    @Override
    public void send(TransitionAddress to, TransitionMessage message) {
        if (to.equals(local.address())) {
            local.deliver(message);
        } else {
            sendOverNetwork(to, message);
        }
    }

    /**
     * Sends messages to nobody over a connection to itself, so that the first rescale finds code
     * that is loaded and compiled. Takes some 100 ms.
     */
    public void practice() throws InterruptedException {
        ExecutionAttemptID nobody = new ExecutionAttemptID();
        TransitionMessage.Builder messages = new TransitionMessage.Builder(0, 0, nobody, 0);
        byte[] state = new byte[2048];
        for (int i = 0; i < PRACTICE_MESSAGES; i++) {
            sendOverNetwork(address(), messages.unit(nobody, i, i, state));
            sendOverNetwork(address(), messages.request(nobody, i, i));
        }
        ChannelFuture connection = connections.get(address());
        if (connection != null) {
            connection.await(CONNECT_TIMEOUT_MS);
        }
    }

    private void sendOverNetwork(TransitionAddress to, TransitionMessage message) {
        // Listeners run in the event loop in the order in which they were added, also those that
        // were added while the connection was being made.
        connections
                .computeIfAbsent(to, this::connect)
                .addListener(
                        (ChannelFutureListener)
                                f -> {
                                    if (f.isSuccess()) {
                                        f.channel()
                                                .writeAndFlush(message)
                                                .addListener(
                                                        ChannelFutureListener.CLOSE_ON_FAILURE);
                                    }
                                });
    }

    private ChannelFuture connect(TransitionAddress to) {
        ChannelFuture connecting =
                new Bootstrap()
                        .group(workers)
                        .channel(NioSocketChannel.class)
                        .option(ChannelOption.TCP_NODELAY, true)
                        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MS)
                        .handler(new Encoder())
                        .connect(to.host(), to.port());
        connecting.addListener(
                (ChannelFutureListener)
                        f -> {
                            if (f.isSuccess()) {
                                open.add(f.channel());
                            } else {
                                lost(to, f.cause());
                            }
                        });
        connecting
                .channel()
                .closeFuture()
                .addListener(
                        f -> {
                            if (connecting.isSuccess()) {
                                lost(to, new IOException("connection closed"));
                            }
                        });
        return connecting;
    }

    private void lost(TransitionAddress peer, Throwable cause) {
        connections.remove(peer);
        if (!closed) {
            LOG.warn("Lost the transition service at {}.", peer, cause);
            local.peerLost(peer, cause);
        }
    }

    @Override
    public void close() {
        closed = true;
        open.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
        shutDown();
        if (local != null) {
            local.close();
        }
    }

    private void shutDown() {
        acceptor.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        workers.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    private static final class Encoder extends ChannelOutboundHandlerAdapter {
        @Override
        public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
            ByteBuf encoded;
            try {
                encoded = TransitionCodec.encode(ctx.alloc(), (TransitionMessage) message);
            } catch (RuntimeException e) {
                LOG.error("Cannot send {}.", message, e);
                promise.setFailure(e);
                return;
            }
            ctx.write(encoded, promise);
        }
    }

    private final class Inbound extends ChannelInitializer<SocketChannel> {
        @Override
        protected void initChannel(SocketChannel channel) {
            open.add(channel);
            channel.pipeline()
                    .addLast(
                            new LengthFieldBasedFrameDecoder(
                                    TransitionCodec.MAX_FRAME_LENGTH, 0, 4, 0, 4))
                    .addLast(new Receiver());
        }
    }

    private final class Receiver extends SimpleChannelInboundHandler<ByteBuf> {
        @Override
        protected void channelRead0(ChannelHandlerContext ctx, ByteBuf frame) {
            local.deliver(TransitionCodec.decode(frame));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            LOG.warn(
                    "Closing a connection to the transition service from {}.",
                    ctx.channel().remoteAddress(),
                    cause);
            ctx.close();
        }
    }
}
