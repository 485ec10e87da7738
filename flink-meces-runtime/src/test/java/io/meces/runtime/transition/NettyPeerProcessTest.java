// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.core.exchange.Priority;
import io.meces.core.exchange.TransitionAddress;
import io.meces.runtime.live.Ledger;
import io.meces.servers.ProcessGroup;
import io.meces.servers.ServerProcess;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A service whose peer is in another process. */
@Tag("full")
@Timeout(180)
class NettyPeerProcessTest {

    private static final int MESSAGES = 1_800;
    private static final long PATIENCE_MS = 60_000;

    /** Three times as long as a connection is kept that is silent. */
    private static final long PAUSE_NANOS = 3_000_000_000L;

    /** Gives a connection up after a second of silence, so the pause is seen. */
    private static final ConnectionTimes IMPATIENT =
            new ConnectionTimes(
                    Duration.ofMillis(100), Duration.ofMillis(1_000), Duration.ofSeconds(10));

    @Test
    void aPeerThatHangsForSecondsGetsAndGivesEverythingOnceAndInOrder(@TempDir Path directory)
            throws Exception {
        TransitionMetrics metrics = TransitionMetrics.unregistered();
        InetAddress host = InetAddress.getLoopbackAddress();
        try (ProcessGroup group = new ProcessGroup("meces-peer");
                NettyTransitionService service =
                        new NettyTransitionService(
                                host,
                                0,
                                metrics,
                                null,
                                IMPATIENT,
                                NettyTransitionService.MAX_INBOUND);
                MessagingEnd here = new MessagingEnd(service)) {
            ServerProcess peer = group.start(() -> start(directory, service, here));
            List<String> hello = awaitFile(peer, directory.resolve("hello"));
            String[] portAndAttempt = hello.get(0).split(" ");
            here.meet(
                    PeerProcess.attempt(portAndAttempt[1]),
                    new TransitionAddress(
                            host.getHostAddress(), Integer.parseInt(portAndAttempt[0])));
            send(here, 0, MESSAGES / 3);
            awaitReceived(here, 1);

            peer.pause();
            send(here, MESSAGES / 3, 2 * MESSAGES / 3);
            long repeated = here.statistics().repeated;
            long reconnects = metrics.reconnects();
            long paused = System.nanoTime();
            Ledger.awaitOrFail(
                    "messages to be sent again",
                    () ->
                            here.statistics().repeated > repeated + MESSAGES
                                    && System.nanoTime() - paused > PAUSE_NANOS);
            assertThat(directory.resolve("result")).doesNotExist();
            peer.resume();
            send(here, 2 * MESSAGES / 3, MESSAGES);

            List<Integer> expected =
                    IntStream.range(0, MESSAGES).boxed().collect(Collectors.toList());
            awaitReceived(here, MESSAGES);
            for (Priority priority : Priority.values()) {
                assertThat(new ArrayList<>(here.received(priority)))
                        .as("%s", priority)
                        .isEqualTo(expected);
            }
            assertThat(awaitFile(peer, directory.resolve("result")))
                    .hasSize(Priority.COUNT)
                    .containsOnly(expected.toString());
            assertThat(metrics.reconnects()).isGreaterThan(reconnects);
            assertThat(here.failure()).isNotDone();
        }
    }

    private static ServerProcess start(
            Path directory, NettyTransitionService service, MessagingEnd here) throws IOException {
        List<Path> classPath =
                Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                        .map(Paths::get)
                        .collect(Collectors.toList());
        return ServerProcess.start(
                "peer",
                Paths.get("target", "servers"),
                ServerProcess.QUICK_START,
                classPath,
                PeerProcess.class.getName(),
                directory.toString(),
                "" + service.address().port(),
                here.attempt.toString(),
                "" + MESSAGES);
    }

    private static List<String> awaitFile(ServerProcess peer, Path file) throws Exception {
        peer.awaitReady(() -> Files.exists(file), Duration.ofMillis(PATIENCE_MS));
        return Files.readAllLines(file);
    }

    private static void send(MessagingEnd here, int first, int end) {
        for (Priority priority : Priority.values()) {
            here.send(priority, first, end, PeerProcess.BYTES);
        }
    }

    private static void awaitReceived(MessagingEnd here, int number) throws Exception {
        for (Priority priority : Priority.values()) {
            Ledger.awaitOrFail(
                    number + " messages in " + priority,
                    () -> here.failure().isDone() || here.received(priority).size() >= number);
            assertThat(here.failure()).isNotDone();
        }
    }
}
