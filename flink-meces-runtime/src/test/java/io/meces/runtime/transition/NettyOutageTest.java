// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.core.exchange.PeerMessage;
import io.meces.core.exchange.Priority;
import io.meces.core.exchange.TransitionAddress;
import io.meces.core.id.AttemptId;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two services with a network between them that fails. */
@Tag("full")
@Timeout(120)
class NettyOutageTest {

    private static final ConnectionTimes IMPATIENT =
            new ConnectionTimes(
                    Duration.ofMillis(100), Duration.ofMillis(1_000), Duration.ofSeconds(10));

    private final TransitionMetrics metrics = TransitionMetrics.unregistered();
    private final AttemptId bob = AttemptId.random();
    private final BlockingQueue<TransitionMessage> bobInbox = new LinkedBlockingQueue<>();
    private final TransitionOrigin messages =
            new TransitionOrigin(
                    new JobID(), new JobVertexID(), UUID.randomUUID(), AttemptId.random(), 0);
    private final ServiceLog log = new ServiceLog();
    private NettyTransitionService here;
    private NettyTransitionService there;

    @BeforeEach
    void start() throws Exception {
        here = service(metrics, IMPATIENT);
        there = service(TransitionMetrics.unregistered(), IMPATIENT);
        there.register(bob, bobInbox::add);
        log.attach();
    }

    @AfterEach
    void stop() {
        log.detach();
        here.close();
        there.close();
    }

    private static NettyTransitionService service(TransitionMetrics metrics, ConnectionTimes times)
            throws Exception {
        return new NettyTransitionService(
                InetAddress.getLoopbackAddress(),
                0,
                metrics,
                null,
                times,
                NettyTransitionService.MAX_INBOUND);
    }

    private TransitionMessage take() throws InterruptedException {
        TransitionMessage message = bobInbox.poll(30, TimeUnit.SECONDS);
        assertThat(message).isNotNull();
        return message;
    }

    private static void await(String what, Callable<Boolean> condition) throws Exception {
        long deadline = System.nanoTime() + 60_000_000_000L;
        while (!condition.call()) {
            assertThat(System.nanoTime()).as(what).isLessThan(deadline);
            LockSupport.parkNanos(2_000_000);
        }
    }

    @Test
    void whatIsUrgentDoesNotWaitForWhatIsSentInTheBackground() throws Exception {
        try (TcpProxy proxy = new TcpProxy(there.address(), TcpProxy.MBIT_100)) {
            TransitionAddress to = proxy.address();
            here.prepare(to);
            int chunks = 320;
            for (int i = 0; i < chunks; i++) {
                here.send(
                        to,
                        messages.to(bob, PeerMessage.chunk(i, new byte[64 * 1024]))
                                .sequenced(Priority.BULK, i));
            }
            here.send(
                    to,
                    messages.to(bob, PeerMessage.unit(0, 7, new byte[10_000]))
                            .sequenced(Priority.URGENT, 0));
            int before = 0;
            while (take().priority() == Priority.BULK) {
                before++;
            }
            // 1 MB of 20 may pass in the 80 ms that a slow machine takes to get to it
            assertThat(before).isLessThan(chunks / 2);
            for (int i = before; i < chunks; i++) {
                assertThat(take().content().step()).isEqualTo(i);
            }
        }
    }

    @Test
    void aConnectionThatIsCutIsMadeAgainAndThatIsLoggedOnce() throws Exception {
        try (TcpProxy proxy = new TcpProxy(there.address(), 0)) {
            TransitionAddress to = proxy.address();
            here.send(to, messages.to(bob, PeerMessage.aligned(1)));
            take();
            proxy.refuse(true);
            proxy.cut();
            await("the outage", () -> log.of(to).size() == 1);
            for (int i = 0; i < 100; i++) {
                here.send(to, messages.to(bob, PeerMessage.aligned(2)));
            }
            proxy.refuse(false);
            assertThat(take().content().step()).isEqualTo(2);
            await("the end of the outage", () -> log.of(to).size() == 2);
            assertThat(metrics.reconnects()).isPositive();
            assertThat(log.of(to).get(0)).startsWith("WARN").contains("cannot be reached");
            assertThat(log.of(to).get(1)).startsWith("INFO").contains("reached again");
        }
    }

    @Test
    void aPeerThatVanishesWithoutAWordIsNoticed() throws Exception {
        try (TcpProxy proxy = new TcpProxy(there.address(), 0)) {
            TransitionAddress to = proxy.address();
            here.send(to, messages.to(bob, PeerMessage.aligned(1)));
            take();
            proxy.stall(true);
            await("the silence to be noticed", () -> log.of(to).size() == 1);
            here.send(to, messages.to(bob, PeerMessage.aligned(2)));
            proxy.stall(false);
            proxy.cut();
            assertThat(take().content().step()).isEqualTo(2);
        }
    }

    @Test
    void aConnectionThatStandsIsKeptThoughNothingIsSaid() throws Exception {
        try (TcpProxy proxy = new TcpProxy(there.address(), 0)) {
            TransitionAddress to = proxy.address();
            here.send(to, messages.to(bob, PeerMessage.aligned(1)));
            take();
            // three times as long as it takes to miss the pings
            assertThat(bobInbox.poll(3, TimeUnit.SECONDS)).isNull();
            here.send(to, messages.to(bob, PeerMessage.aligned(2)));
            take();
            assertThat(proxy.accepted()).isEqualTo(1);
            assertThat(log.of(to)).isEmpty();
        }
    }

    @Test
    void whatWaitsForAPeerThatIsAwayIsBounded() throws Exception {
        TransitionAddress nobody = new TransitionAddress("127.0.0.1", 1);
        int bytes = 1 << 20;
        for (int i = 0; i < 100; i++) {
            here.send(
                    nobody,
                    messages.to(bob, PeerMessage.unit(0, i, new byte[bytes]))
                            .sequenced(Priority.URGENT, i));
        }
        assertThat(here.bytesQueued(nobody, Priority.CONTROL))
                .isBetween(
                        NettyTransitionService.QUEUE_LIMIT,
                        NettyTransitionService.QUEUE_LIMIT + 2 * bytes);
        assertThat(metrics.droppedFor(DropReason.UNSENT)).isBetween(66L, 70L);
    }

    @Test
    void aMessageThatStillWaitsIsNotSentAgain() throws Exception {
        try (TcpProxy proxy = new TcpProxy(there.address(), 0)) {
            TransitionAddress to = proxy.address();
            proxy.refuse(true);
            for (int i = 0; i < 300; i++) {
                here.send(
                        to,
                        messages.to(bob, PeerMessage.request(5, i % 3))
                                .sequenced(Priority.CONTROL, i % 3));
            }
            proxy.refuse(false);
            for (int i = 0; i < 3; i++) {
                assertThat(take().content().unit()).isEqualTo(i);
            }
            here.send(to, messages.to(bob, PeerMessage.aligned(6)).sequenced(Priority.CONTROL, 3));
            assertThat(take().content().step()).isEqualTo(6);
            here.send(
                    to, messages.to(bob, PeerMessage.request(7, 0)).sequenced(Priority.CONTROL, 0));
            assertThat(take().content().step()).isEqualTo(7);
        }
    }

    @Test
    void aPeerThatNobodyNeedsIsForgotten() throws Exception {
        try (NettyTransitionService quick =
                service(
                        metrics,
                        new ConnectionTimes(
                                Duration.ofMillis(100),
                                Duration.ofMillis(1_000),
                                Duration.ofSeconds(2)))) {
            TransitionAddress nobody = new TransitionAddress("127.0.0.1", 1);
            quick.prepare(nobody);
            quick.send(nobody, messages.to(bob, PeerMessage.aligned(1)));
            await("the outage", () -> !log.of(nobody).isEmpty());
            assertThat(quick.bytesQueued(nobody, Priority.CONTROL)).isPositive();
            await("its end", () -> log.last(nobody).contains("any more"));
            await("it to be dropped", () -> metrics.droppedFor(DropReason.UNSENT) == 1);
            assertThat(quick.bytesQueued(nobody, Priority.CONTROL)).isZero();
        }
    }

    @Test
    void aMessagingGetsEverythingThroughANetworkThatIsCutAndStalls() throws Exception {
        long seed = Long.getLong("outage.seed", System.nanoTime());
        Random random = new Random(seed);
        int messages = 4_000;
        try (TcpProxy proxyThere = new TcpProxy(there.address(), TcpProxy.MBIT_100);
                TcpProxy proxyBack = new TcpProxy(here.address(), TcpProxy.MBIT_100);
                MessagingEnd a = new MessagingEnd(here);
                MessagingEnd b = new MessagingEnd(there)) {
            a.meet(b, proxyThere.address());
            b.meet(a, proxyBack.address());
            a.send(Priority.CONTROL, 0, messages, 200);
            a.send(Priority.URGENT, 0, messages / 10, 10_000);
            a.send(Priority.BULK, 0, messages, 10_000);
            b.send(Priority.CONTROL, 0, messages, 200);
            int cuts = 0;
            while (b.received(Priority.BULK).size() < messages) {
                TcpProxy proxy = random.nextBoolean() ? proxyThere : proxyBack;
                if (random.nextInt(4) == 0) {
                    proxy.stall(true);
                    LockSupport.parkNanos(1_000_000L * random.nextInt(300));
                    proxy.stall(false);
                } else {
                    proxy.cut();
                }
                cuts++;
                int next = b.received(Priority.BULK).size() + random.nextInt(1 + messages / 8);
                await(
                        "progress, -Doutage.seed=" + seed,
                        () -> b.received(Priority.BULK).size() >= Math.min(next, messages));
                assertThat(a.failure()).as("-Doutage.seed=%s", seed).isNotDone();
                assertThat(b.failure()).as("-Doutage.seed=%s", seed).isNotDone();
            }
            await("control", () -> b.received(Priority.CONTROL).size() >= messages);
            await("urgent", () -> b.received(Priority.URGENT).size() >= messages / 10);
            await("control back", () -> a.received(Priority.CONTROL).size() >= messages);
            assertThat(b.received(Priority.CONTROL)).isEqualTo(numbers(messages));
            assertThat(b.received(Priority.URGENT)).isEqualTo(numbers(messages / 10));
            assertThat(b.received(Priority.BULK)).isEqualTo(numbers(messages));
            assertThat(a.received(Priority.CONTROL)).isEqualTo(numbers(messages));
            assertThat(cuts).as("-Doutage.seed=%s", seed).isPositive();
            assertThat(a.statistics().repeated).as("-Doutage.seed=%s", seed).isPositive();
        }
    }

    private static List<Integer> numbers(int end) {
        return IntStream.range(0, end).boxed().collect(Collectors.toList());
    }
}
