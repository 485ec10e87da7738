// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

import io.meces.core.exchange.PeerMessage;
import io.meces.core.exchange.Priority;
import io.meces.core.exchange.TransitionAddress;
import io.meces.core.id.AttemptId;
import io.meces.state.DetachedThreads;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.annotation.Nullable;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.io.network.netty.SSLHandlerFactory;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.shaded.netty4.io.netty.bootstrap.Bootstrap;
import org.apache.flink.shaded.netty4.io.netty.bootstrap.ServerBootstrap;
import org.apache.flink.shaded.netty4.io.netty.buffer.ByteBufAllocator;
import org.apache.flink.shaded.netty4.io.netty.buffer.PooledByteBufAllocator;
import org.apache.flink.shaded.netty4.io.netty.channel.Channel;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelFuture;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelInitializer;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelOption;
import org.apache.flink.shaded.netty4.io.netty.channel.ChannelPipeline;
import org.apache.flink.shaded.netty4.io.netty.channel.WriteBufferWaterMark;
import org.apache.flink.shaded.netty4.io.netty.channel.group.ChannelGroup;
import org.apache.flink.shaded.netty4.io.netty.channel.group.DefaultChannelGroup;
import org.apache.flink.shaded.netty4.io.netty.channel.nio.NioEventLoopGroup;
import org.apache.flink.shaded.netty4.io.netty.channel.socket.nio.NioServerSocketChannel;
import org.apache.flink.shaded.netty4.io.netty.channel.socket.nio.NioSocketChannel;
import org.apache.flink.shaded.netty4.io.netty.util.concurrent.GlobalEventExecutor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends messages over TCP, with TLS if Flink's internal connections have it. A TaskManager makes
 * two connections to each other one that it sends to: one for what records wait for ({@link
 * Priority#CONTROL}, {@link Priority#URGENT}) and one for the background ({@link Priority#BULK}),
 * each with a thread of its own, so that the first never waits for the second.
 *
 * <p>A connection that is lost is made again as long as it is used. What was on its way is lost,
 * what waits is kept up to {@value #QUEUE_LIMIT} bytes; the rest is dropped.
 *
 * <p>Thread-safe; messages of one sending thread keep their order in a priority while a connection
 * stands.
 */
public final class NettyTransitionService implements TransitionService {

    private static final Logger LOG = LoggerFactory.getLogger(NettyTransitionService.class);

    /** Bytes that may wait for one connection; payloads are those that the sender keeps anyway. */
    static final long QUEUE_LIMIT = 32 << 20;

    private static final int CONNECT_TIMEOUT_MS = 10_000;

    /** Connections that are accepted. */
    static final int MAX_INBOUND = 4_096;

    private static final int PRACTICE_MESSAGES = 1_000;
    private static final WriteBufferWaterMark WATER_MARK =
            new WriteBufferWaterMark(2 * SendQueue.PIECE, 4 * SendQueue.PIECE);

    /** Of its own, as the default one takes 16 MB per thread of the few that Flink leaves. */
    private static final ByteBufAllocator ALLOCATOR =
            new PooledByteBufAllocator(true, 1, 1, 8 * 1024, 7);

    private final NioEventLoopGroup urgent = threads(1, "meces-transition-urgent");
    private final NioEventLoopGroup bulk = threads(1, "meces-transition-bulk");
    private final NioEventLoopGroup inbound = threads(2, "meces-transition-in");
    private final ChannelGroup accepted = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final InboundPlaces places;
    private final ConcurrentMap<TransitionAddress, Peer> peers = new ConcurrentHashMap<>();
    private final TransitionMetrics metrics;
    @Nullable private final Tls tls;
    private final ConnectionTimes times;
    private final Bootstrap client;
    private final Channel server;
    private final LocalTransitionService local;

    /** Both sides of TLS. */
    static final class Tls {
        final SSLHandlerFactory accepting;
        final SSLHandlerFactory connecting;

        Tls(SSLHandlerFactory accepting, SSLHandlerFactory connecting) {
            this.accepting = accepting;
            this.connecting = connecting;
        }
    }

    /**
     * Starts to listen, without TLS.
     *
     * @param host where this TaskManager is reached by others
     * @param port the TCP port; 0 takes a free one
     * @throws IOException if the port cannot be bound
     */
    public NettyTransitionService(InetAddress host, int port, TransitionMetrics metrics)
            throws IOException {
        this(host, port, metrics, null, ConnectionTimes.DEFAULT, MAX_INBOUND);
    }

    /**
     * Starts to listen.
     *
     * @param tls null for connections in plain text
     * @param maxInbound how many connections are accepted
     * @throws IOException if the port cannot be bound
     */
    NettyTransitionService(
            InetAddress host,
            int port,
            TransitionMetrics metrics,
            @Nullable Tls tls,
            ConnectionTimes times,
            int maxInbound)
            throws IOException {
        this.metrics = metrics;
        this.tls = tls;
        this.times = times;
        this.places = new InboundPlaces(maxInbound);
        this.client =
                new Bootstrap()
                        .channel(NioSocketChannel.class)
                        .option(ChannelOption.TCP_NODELAY, true)
                        .option(ChannelOption.ALLOCATOR, ALLOCATOR)
                        .option(ChannelOption.WRITE_BUFFER_WATER_MARK, WATER_MARK)
                        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MS);
        ChannelFuture bound =
                new ServerBootstrap()
                        .group(urgent, inbound)
                        .channel(NioServerSocketChannel.class)
                        .childOption(ChannelOption.TCP_NODELAY, true)
                        .childOption(ChannelOption.ALLOCATOR, ALLOCATOR)
                        .childHandler(new Inbound())
                        .bind(host, port)
                        .awaitUninterruptibly();
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
        server = bound.channel();
        int actual = ((InetSocketAddress) server.localAddress()).getPort();
        this.local =
                new LocalTransitionService(
                        new TransitionAddress(host.getHostAddress(), actual), metrics);
        LOG.info(
                "The transition service listens at {}, {} TLS.",
                local.address(),
                tls == null ? "without" : "with");
    }

    private static NioEventLoopGroup threads(int number, String name) {
        return new NioEventLoopGroup(number, new DetachedThreads(name));
    }

    @Override
    public TransitionAddress address() {
        return local.address();
    }

    @Override
    public void register(AttemptId task, TransitionInbox inbox) {
        local.register(task, inbox);
    }

    @Override
    public void unregister(AttemptId task) {
        local.unregister(task);
    }

    @Override
    public void prepare(TransitionAddress to) {
        if (!to.equals(local.address())) {
            Peer peer = peer(to);
            peer.urgent.use();
            peer.bulk.use();
        }
    }

    @Override
    public void send(TransitionAddress to, TransitionMessage message) {
        TransitionCodec.checkLength(message);
        if (to.equals(local.address())) {
            local.deliver(message);
        } else {
            peer(to).connection(message.priority()).send(message);
        }
    }

    @Override
    public void release(TransitionAddress to, TransitionMessage message) {
        // what still waits to be sent again is dropped by the peer
    }

    /**
     * Sends messages to nobody over connections to itself, so that the first rescale finds code
     * that is loaded and compiled. Takes some 100 ms.
     */
    @Override
    public void practice() throws InterruptedException {
        AttemptId nobody = AttemptId.random();
        TransitionOrigin origin =
                new TransitionOrigin(new JobID(), new JobVertexID(), UUID.randomUUID(), nobody, 0);
        CountDownLatch arrived = new CountDownLatch(2 * PRACTICE_MESSAGES);
        byte[] state = new byte[2048];
        Peer self = new Peer(address());
        register(nobody, message -> arrived.countDown());
        try {
            for (int i = 0; i < PRACTICE_MESSAGES; i++) {
                self.bulk.send(
                        origin.to(nobody, PeerMessage.unit(i, i, state))
                                .sequenced(Priority.BULK, i));
                self.urgent.send(
                        origin.to(nobody, PeerMessage.request(i, i))
                                .sequenced(Priority.CONTROL, i));
            }
            arrived.await(CONNECT_TIMEOUT_MS, TimeUnit.MILLISECONDS);
        } finally {
            unregister(nobody);
            self.close();
        }
    }

    /**
     * Bytes that wait to be written to a peer in a priority, and those that share its connection.
     */
    long bytesQueued(TransitionAddress to, Priority priority) {
        Peer peer = peers.get(to);
        return peer == null ? 0 : peer.connection(priority).bytesQueued();
    }

    private Peer peer(TransitionAddress to) {
        Peer peer = peers.get(to);
        return peer == null ? peers.computeIfAbsent(to, Peer::new) : peer;
    }

    @Override
    public void close() {
        server.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
        peers.values().forEach(Peer::close);
        peers.clear();
        accepted.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
        shutDown();
        local.close();
    }

    private void shutDown() {
        urgent.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        bulk.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        inbound.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }

    /** The connections to another TaskManager. Thread-safe. */
    private final class Peer implements PeerConnection.Listener {
        private final TransitionAddress address;
        final PeerConnection urgent;
        final PeerConnection bulk;
        private final AtomicInteger lost = new AtomicInteger();

        Peer(TransitionAddress address) {
            this.address = address;
            this.urgent = connect(NettyTransitionService.this.urgent);
            this.bulk = connect(NettyTransitionService.this.bulk);
        }

        private PeerConnection connect(NioEventLoopGroup threads) {
            return new PeerConnection(
                    address,
                    threads.next(),
                    client,
                    tls == null ? null : tls.connecting,
                    times,
                    new SendQueue(QUEUE_LIMIT, metrics),
                    metrics,
                    this);
        }

        PeerConnection connection(Priority priority) {
            return priority == Priority.BULK ? bulk : urgent;
        }

        @Override
        public void lost(Throwable cause) {
            if (lost.getAndIncrement() == 0) {
                LOG.warn(
                        "The transition service at {} cannot be reached: {}. What is to be sent"
                                + " there is sent again.",
                        address,
                        cause.toString());
            }
        }

        @Override
        public void lostNoMore(boolean stands) {
            if (lost.decrementAndGet() == 0) {
                LOG.info(
                        stands
                                ? "The transition service at {} is reached again."
                                : "Nothing is to be sent to the transition service at {} any more.",
                        address);
            }
        }

        @Override
        public void idle() {
            if (urgent.isIdle() && bulk.isIdle()) {
                peers.remove(address, this);
            }
        }

        void close() {
            urgent.close();
            bulk.close();
        }
    }

    /** The pipeline of a channel that was accepted. */
    final class Inbound extends ChannelInitializer<Channel> {
        @Override
        protected void initChannel(Channel channel) {
            if (!places.take(channel)) {
                LOG.warn("Closing a connection from {}: too many.", channel.remoteAddress());
                channel.close();
                return;
            }
            accepted.add(channel);
            ChannelPipeline pipeline = channel.pipeline();
            if (tls != null) {
                pipeline.addLast(tls.accepting.createNettySSLHandler(channel.alloc()));
            }
            FrameDecoder decoder = new FrameDecoder(local, metrics, places::prove);
            pipeline.addLast(Heartbeat.accepting(times, decoder::isKnown)).addLast(decoder);
        }
    }
}
