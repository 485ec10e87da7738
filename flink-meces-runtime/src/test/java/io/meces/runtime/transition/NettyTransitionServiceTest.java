// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.core.exchange.PeerMessage;
import io.meces.core.exchange.TransitionAddress;
import io.meces.core.id.AttemptId;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class NettyTransitionServiceTest {

    private final AttemptId alice = AttemptId.random();
    private final AttemptId bob = AttemptId.random();
    private final Inbox aliceInbox = new Inbox();
    private final Inbox bobInbox = new Inbox();
    private final AttemptId carol = AttemptId.random();
    private final Inbox carolInbox = new Inbox();
    private final TransitionOrigin messages =
            new TransitionOrigin(new JobID(), new JobVertexID(), UUID.randomUUID(), alice, 0);
    private NettyTransitionService here;
    private NettyTransitionService there;

    @BeforeEach
    void start() throws Exception {
        here =
                new NettyTransitionService(
                        InetAddress.getLoopbackAddress(), 0, TransitionMetrics.unregistered());
        there =
                new NettyTransitionService(
                        InetAddress.getLoopbackAddress(), 0, TransitionMetrics.unregistered());
        here.register(alice, aliceInbox);
        there.register(bob, bobInbox);
    }

    @AfterEach
    void stop() {
        here.close();
        there.close();
    }

    @Test
    void messagesToAPeerArriveInOrderAlsoThoseSentBeforeTheConnectionStands() throws Exception {
        for (int i = 0; i < 20_000; i++) {
            here.send(there.address(), messages.to(bob, PeerMessage.unit(1, i, new byte[i % 300])));
        }
        for (int i = 0; i < 20_000; i++) {
            TransitionMessage message = bobInbox.take();
            assertThat(message.content().unit()).isEqualTo(i);
            assertThat(message.payload()).hasSize(i % 300);
        }
    }

    @Test
    void aPeerInTheSameTaskManagerIsReachedWithoutTheNetwork() throws Exception {
        byte[] payload = new byte[10];
        here.send(here.address(), messages.to(alice, PeerMessage.unit(1, 5, payload)));
        assertThat(aliceInbox.take().payload()).isSameAs(payload);
    }

    @Test
    void aMessageForATaskThatIsGoneIsDropped() throws Exception {
        there.unregister(bob);
        here.send(there.address(), messages.to(bob, PeerMessage.aligned(1)));
        there.register(bob, bobInbox);
        here.send(there.address(), messages.to(bob, PeerMessage.aligned(2)));
        // the first may have come before or after the registration; the second comes
        TransitionMessage message = bobInbox.take();
        while (message.content().step() != 2) {
            message = bobInbox.take();
        }
    }

    @Test
    void aPeerThatCannotBeReachedHarmsNobody() throws Exception {
        TransitionAddress nobody = new TransitionAddress("127.0.0.1", 1);
        here.send(nobody, messages.to(bob, PeerMessage.aligned(1)));
        here.send(there.address(), messages.to(bob, PeerMessage.aligned(2)));
        assertThat(bobInbox.take().content().step()).isEqualTo(2);
    }

    @Test
    void aStrangerIsDisconnectedAndOthersGoOn() throws Exception {
        try (Socket socket = new Socket("127.0.0.1", there.address().port())) {
            socket.setSoTimeout(20_000);
            OutputStream out = socket.getOutputStream();
            out.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes());
            out.flush();
            assertThat(endOfStream(socket)).isTrue();
        }
        here.send(there.address(), messages.to(bob, PeerMessage.aligned(1)));
        assertThat(bobInbox.take().kind()).isEqualTo(PeerMessage.Kind.ALIGNED);
    }

    @Test
    void whoOnlyPingsCannotHoldAllPlaces() throws Exception {
        List<Socket> strangers = new ArrayList<>();
        try (NettyTransitionService small =
                new NettyTransitionService(
                        InetAddress.getLoopbackAddress(),
                        0,
                        TransitionMetrics.unregistered(),
                        null,
                        ConnectionTimes.DEFAULT,
                        4)) {
            small.register(carol, carolInbox);
            // one place: that of the priority for control
            here.send(small.address(), messages.to(carol, PeerMessage.aligned(1)));
            assertThat(carolInbox.take().content().step()).isEqualTo(1);
            for (int i = 0; i < 8; i++) {
                Socket stranger = new Socket("127.0.0.1", small.address().port());
                stranger.setSoTimeout(20_000);
                stranger.getOutputStream().write(new byte[Heartbeat.PING_LENGTH]);
                // is served before the next one comes
                assertThat(new DataInputStream(stranger.getInputStream()).readInt()).isZero();
                strangers.add(stranger);
            }
            // a second connection of a peer finds a place, and the first one has kept its own
            here.send(small.address(), messages.to(carol, PeerMessage.unit(2, 0, new byte[10])));
            assertThat(carolInbox.take().content().step()).isEqualTo(2);
            here.send(small.address(), messages.to(carol, PeerMessage.aligned(3)));
            assertThat(carolInbox.take().content().step()).isEqualTo(3);
            // the oldest has gone, the youngest is still there
            assertThat(isOpen(strangers.get(7))).isTrue();
            assertThat(endOfStream(strangers.get(0))).isTrue();
        } finally {
            for (Socket stranger : strangers) {
                stranger.close();
            }
        }
    }

    private static boolean isOpen(Socket socket) throws IOException {
        socket.setSoTimeout(100);
        try {
            return socket.getInputStream().read() >= 0;
        } catch (SocketTimeoutException silent) {
            return true;
        }
    }

    private static boolean endOfStream(Socket socket) {
        try {
            return socket.getInputStream().read() == -1;
        } catch (IOException reset) {
            return !(reset instanceof SocketTimeoutException);
        }
    }

    @Test
    void aPortThatIsTakenIsNamedWithTheRemedy() {
        assertThatThrownBy(
                        () ->
                                new NettyTransitionService(
                                        InetAddress.getLoopbackAddress(),
                                        there.address().port(),
                                        TransitionMetrics.unregistered()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(String.valueOf(there.address().port()))
                .hasMessageContaining("meces.transition-service.netty.port");
    }

    @Test
    void aTaskHasOneInbox() {
        assertThatThrownBy(() -> here.register(alice, bobInbox))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(alice.toString());
    }

    private static final class Inbox implements TransitionInbox {
        private final BlockingQueue<TransitionMessage> messages = new LinkedBlockingQueue<>();

        @Override
        public void onMessage(TransitionMessage message) {
            messages.add(message);
        }

        TransitionMessage take() throws InterruptedException {
            TransitionMessage message = messages.poll(20, TimeUnit.SECONDS);
            assertThat(message).isNotNull();
            return message;
        }
    }
}
