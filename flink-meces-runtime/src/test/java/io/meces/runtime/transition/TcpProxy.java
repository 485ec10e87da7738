// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

import io.meces.core.exchange.TransitionAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.shaded.netty4.io.netty.bootstrap.Bootstrap;
import org.apache.flink.shaded.netty4.io.netty.bootstrap.ServerBootstrap;
import org.apache.flink.shaded.netty4.io.netty.channel.Channel;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelFutureListener;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelHandlerContext;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelInboundHandlerAdapter;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelInitializer;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelOption;
import org.apache.flink.shaded.netty4.io.netty.channel.group.ChannelGroup;
import org.apache.flink.shaded.netty4.io.netty.channel.group.DefaultChannelGroup;
import org.apache.flink.shaded.netty4.io.netty.channel.nio.NioEventLoopGroup;
import org.apache.flink.shaded.netty4.io.netty.channel.socket.nio.NioServerSocketChannel;
import org.apache.flink.shaded.netty4.io.netty.channel.socket.nio.NioSocketChannel;
import org.apache.flink.shaded.netty4.io.netty.handler.traffic.GlobalTrafficShapingHandler;
import org.apache.flink.shaded.netty4.io.netty.util.concurrent.DefaultThreadFactory;
import org.apache.flink.shaded.netty4.io.netty.util.concurrent.GlobalEventExecutor;

/**
 * A network between a client and a server on this machine that can be cut, stalled, and made slow.
 * Any thread.
 */
final class TcpProxy implements AutoCloseable {

    static final long MBIT_100 = 100_000_000 / 8;

    private final NioEventLoopGroup loop =
            new NioEventLoopGroup(1, new DefaultThreadFactory("tcp-proxy", true));
    private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final AtomicInteger accepted = new AtomicInteger();
    private final GlobalTrafficShapingHandler there;
    private final GlobalTrafficShapingHandler back;
    private final Channel server;
    private final TransitionAddress target;
    private volatile boolean stalled;
    private volatile boolean refusing;

    /**
     * @param bytesPerSecond in each direction, all connections together; 0: as fast as can be
     */
    TcpProxy(TransitionAddress target, long bytesPerSecond) {
        this.target = target;
        this.there = new GlobalTrafficShapingHandler(loop, bytesPerSecond, 0, 20);
        this.back = new GlobalTrafficShapingHandler(loop, bytesPerSecond, 0, 20);
        this.server =
                new ServerBootstrap()
                        .group(loop)
                        .channel(NioServerSocketChannel.class)
                        .childOption(ChannelOption.TCP_NODELAY, true)
                        .childOption(ChannelOption.AUTO_READ, false)
                        .childHandler(
                                new ChannelInitializer<Channel>() {
                                    @Override
                                    protected void initChannel(Channel channel) {
                                        accept(channel);
                                    }
                                })
                        .bind("127.0.0.1", 0)
                        .syncUninterruptibly()
                        .channel();
    }

    /** Where the server seems to be. */
    TransitionAddress address() {
        return new TransitionAddress(
                "127.0.0.1", ((InetSocketAddress) server.localAddress()).getPort());
    }

    /** How many connections were made so far. */
    int accepted() {
        return accepted.get();
    }

    /** Closes all connections; what is on its way is lost. New ones are accepted. */
    void cut() {
        open.close().awaitUninterruptibly(10, TimeUnit.SECONDS);
    }

    /** New connections are closed at once, or no more so. */
    void refuse(boolean refuse) {
        refusing = refuse;
    }

    /** From now on nothing passes, but connections stay open; or it passes again. */
    void stall(boolean stall) {
        stalled = stall;
        if (!stall) {
            open.forEach(Channel::read);
        }
    }

    private void accept(Channel client) {
        if (refusing) {
            client.close();
            return;
        }
        accepted.incrementAndGet();
        open.add(client);
        new Bootstrap()
                .group(loop)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.AUTO_READ, false)
                .handler(there)
                .connect(target.host(), target.port())
                .addListener(
                        (ChannelFutureListener)
                                connecting -> {
                                    if (connecting.isSuccess()) {
                                        join(client, connecting.channel());
                                    } else {
                                        client.close();
                                    }
                                });
    }

    private void join(Channel client, Channel to) {
        open.add(to);
        client.pipeline().addLast(back).addLast(new Relay(to));
        to.pipeline().addLast(new Relay(client));
        if (!client.isActive()) {
            to.close();
        } else if (!stalled) {
            client.read();
            to.read();
        }
    }

    @Override
    public void close() {
        server.close().awaitUninterruptibly(10, TimeUnit.SECONDS);
        cut();
        there.release();
        back.release();
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    /** One direction of a connection. */
    private final class Relay extends ChannelInboundHandlerAdapter {
        private final Channel to;

        private Relay(Channel to) {
            this.to = to;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object bytes) {
            to.writeAndFlush(bytes)
                    .addListener(
                            (ChannelFutureListener)
                                    written -> {
                                        if (!written.isSuccess()) {
                                            ctx.close();
                                        } else if (!stalled) {
                                            ctx.read();
                                        }
                                    });
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            to.close();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close();
        }
    }
}
