// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition;

import io.meces.core.exchange.Priority;
import io.meces.core.exchange.TransitionAddress;
import io.meces.core.id.AttemptId;
import io.meces.runtime.live.Ledger;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.flink.util.StringUtils;

/**
 * A process that exchanges numbered messages with the one that has started it, over Netty. It is
 * told the other's port, attempt and number of messages per priority, writes its own port and
 * attempt into the file {@code hello}, and what it has received, when that is all, into {@code
 * result}, a line for each priority. It ends when it is stopped.
 */
final class PeerProcess {

    /**
     * All messages of a priority are less than the window of {@link MessagingEnd}: sent at once.
     */
    static final int BYTES = 500;

    private static final long PATIENCE_MS = 120_000;

    private PeerProcess() {}

    public static void main(String[] args) throws Exception {
        Path directory = Paths.get(args[0]);
        int port = Integer.parseInt(args[1]);
        AttemptId attempt = attempt(args[2]);
        int messages = Integer.parseInt(args[3]);
        InetAddress host = InetAddress.getLoopbackAddress();
        try (NettyTransitionService service =
                        new NettyTransitionService(host, 0, TransitionMetrics.unregistered());
                MessagingEnd end = new MessagingEnd(service)) {
            end.meet(attempt, new TransitionAddress(host.getHostAddress(), port));
            write(
                    directory.resolve("hello"),
                    Collections.singletonList(service.address().port() + " " + end.attempt));
            for (Priority priority : Priority.values()) {
                end.send(priority, 0, messages, BYTES);
            }
            List<String> result = new ArrayList<>();
            for (Priority priority : Priority.values()) {
                Ledger.awaitOrFail(
                        "messages in " + priority,
                        () -> end.failure().isDone() || end.received(priority).size() >= messages);
                result.add(new ArrayList<>(end.received(priority)).toString());
            }
            write(directory.resolve("result"), result);
            // acknowledges and repeats until it is stopped
            end.failure().get(PATIENCE_MS, TimeUnit.MILLISECONDS);
        }
    }

    /** The attempt that its text stands for. */
    static AttemptId attempt(String text) {
        ByteBuffer bits = ByteBuffer.wrap(StringUtils.hexStringToByte(text));
        return new AttemptId(bits.getLong(), bits.getLong());
    }

    /** Whoever sees the file sees all of it. */
    private static void write(Path file, List<String> lines) throws IOException {
        Path part = file.resolveSibling(file.getFileName() + ".part");
        Files.write(part, lines, StandardCharsets.UTF_8);
        Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
    }
}
