// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.meces.core.exchange.PeerMessage;
import io.meces.core.exchange.Priority;
import io.meces.core.id.AttemptId;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.SecurityOptions;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Services of a cluster with {@code security.ssl.internal.enabled}, and strangers. */
@Timeout(120)
class NettyTlsTest {

    @TempDir private static Path directory;
    private static Configuration cluster;
    private static Configuration stranger;

    private final TransitionMetrics metrics = TransitionMetrics.unregistered();
    private final AttemptId bob = AttemptId.random();
    private final BlockingQueue<TransitionMessage> bobInbox = new LinkedBlockingQueue<>();
    private final TransitionOrigin messages =
            new TransitionOrigin(
                    new JobID(), new JobVertexID(), UUID.randomUUID(), AttemptId.random(), 0);
    private NettyTransitionService there;

    @BeforeAll
    static void makeKeys() throws Exception {
        cluster = withKeys("cluster");
        stranger = withKeys("stranger");
    }

    private static Configuration withKeys(String name) throws Exception {
        Path store = TestKeys.make(directory, name).store();
        Configuration configuration = new Configuration();
        configuration.set(SecurityOptions.SSL_INTERNAL_ENABLED, true);
        configuration.set(SecurityOptions.SSL_INTERNAL_KEYSTORE, store.toString());
        configuration.set(SecurityOptions.SSL_INTERNAL_KEYSTORE_PASSWORD, TestKeys.PASSWORD);
        configuration.set(SecurityOptions.SSL_INTERNAL_KEY_PASSWORD, TestKeys.PASSWORD);
        configuration.set(SecurityOptions.SSL_INTERNAL_TRUSTSTORE, store.toString());
        configuration.set(SecurityOptions.SSL_INTERNAL_TRUSTSTORE_PASSWORD, TestKeys.PASSWORD);
        configuration.set(SecurityOptions.SSL_ALGORITHMS, "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256");
        return configuration;
    }

    private static NettyTransitionService service(
            Configuration configuration, TransitionMetrics metrics) throws Exception {
        return new NettyTransitionServiceFactory()
                .create(InetAddress.getLoopbackAddress(), configuration, metrics);
    }

    @BeforeEach
    void start() throws Exception {
        there = service(cluster, metrics);
        there.register(bob, bobInbox::add);
    }

    @AfterEach
    void stop() {
        there.close();
    }

    private void assertServes() throws Exception {
        try (NettyTransitionService here = service(cluster, TransitionMetrics.unregistered())) {
            here.send(there.address(), messages.to(bob, PeerMessage.aligned(99)));
            TransitionMessage message = bobInbox.poll(30, TimeUnit.SECONDS);
            assertThat(message).isNotNull();
            assertThat(message.content().step()).isEqualTo(99);
        }
    }

    @Test
    void servicesOfOneClusterExchangeMessages() throws Exception {
        try (NettyTransitionService here = service(cluster, TransitionMetrics.unregistered())) {
            for (int i = 0; i < 500; i++) {
                here.send(
                        there.address(),
                        messages.to(bob, PeerMessage.unit(i, 7, new byte[i * 200]))
                                .sequenced(Priority.BULK, i));
            }
            for (int i = 0; i < 500; i++) {
                TransitionMessage message = bobInbox.poll(30, TimeUnit.SECONDS);
                assertThat(message).isNotNull();
                assertThat(message.content().step()).isEqualTo(i);
                assertThat(message.payload()).hasSize(i * 200);
            }
        }
        assertThat(metrics.droppedFor(DropReason.MALFORMED)).isZero();
        there.practice();
    }

    @Test
    void aServiceWithAForeignCertificateIsNotHeard() throws Exception {
        try (NettyTransitionService here = service(stranger, TransitionMetrics.unregistered())) {
            here.send(there.address(), messages.to(bob, PeerMessage.aligned(1)));
            awaitRefusal();
        }
        assertServes();
    }

    @Test
    void aServiceDoesNotTrustAPeerWithAForeignCertificate() throws Exception {
        TransitionMetrics ofHere = TransitionMetrics.unregistered();
        ServiceLog log = new ServiceLog();
        log.attach();
        try (NettyTransitionService strange = service(stranger, TransitionMetrics.unregistered());
                NettyTransitionService here = service(cluster, ofHere)) {
            strange.register(bob, bobInbox::add);
            here.send(strange.address(), messages.to(bob, PeerMessage.aligned(1)));
            assertThat(bobInbox.poll(2, TimeUnit.SECONDS)).isNull();
            assertThat(ofHere.messagesSent()).isZero();
            assertThat(here.bytesQueued(strange.address(), Priority.CONTROL)).isPositive();
            assertThat(log.last(strange.address()))
                    .contains("cannot be reached", "SSLHandshakeException", "certification path");
        } finally {
            log.detach();
        }
    }

    @Test
    void aServiceWithoutTlsIsNotHeard() throws Exception {
        try (NettyTransitionService here =
                service(new Configuration(), TransitionMetrics.unregistered())) {
            here.send(there.address(), messages.to(bob, PeerMessage.aligned(1)));
            awaitRefusal();
        }
        assertServes();
    }

    private void awaitRefusal() {
        long deadline = System.nanoTime() + 30_000_000_000L;
        while (metrics.droppedFor(DropReason.MALFORMED) == 0) {
            assertThat(System.nanoTime()).as("refused").isLessThan(deadline);
            LockSupport.parkNanos(2_000_000);
        }
        assertThat(bobInbox).isEmpty();
    }

    @Test
    void aClientWithoutACertificateIsNotAnswered() throws Exception {
        SSLContext context = SSLContext.getInstance("TLSv1.2");
        context.init(null, new TrustManager[] {new TrustsAll()}, null);
        try (SSLSocket socket =
                (SSLSocket)
                        context.getSocketFactory()
                                .createSocket("127.0.0.1", there.address().port())) {
            socket.setSoTimeout(20_000);
            assertThatThrownBy(
                            () -> {
                                socket.startHandshake();
                                socket.getOutputStream().write(new byte[4]);
                                if (socket.getInputStream().read() == -1) {
                                    throw new SSLException("closed");
                                }
                            })
                    .isInstanceOf(IOException.class)
                    .isNotInstanceOf(SocketTimeoutException.class);
        }
        awaitRefusal();
        assertServes();
    }

    @Test
    void plainTextIsNotAnswered() throws Exception {
        try (Socket socket = new Socket("127.0.0.1", there.address().port())) {
            socket.setSoTimeout(20_000);
            OutputStream out = socket.getOutputStream();
            out.write(new byte[Heartbeat.PING_LENGTH]);
            out.write(new byte[1_000]);
            out.flush();
            int first = -1;
            try {
                first = socket.getInputStream().read();
            } catch (SocketTimeoutException e) {
                throw e;
            } catch (IOException reset) {
                assertThat(reset).hasMessageContaining("reset");
            }
            assertThat(first).as("closed, or a TLS alert, but no ping").isNotZero();
        }
        awaitRefusal();
        assertServes();
    }

    /** A client that is too trusting. */
    private static final class TrustsAll implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {
            // trusted
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {
            // trusted
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
