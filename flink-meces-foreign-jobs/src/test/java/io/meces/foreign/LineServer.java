// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Serves lines to the first one that connects, as {@code netcat -l} would: at a slow pace until it
 * is told to hurry, and ends when it is closed. Safe for any thread.
 */
final class LineServer implements AutoCloseable {

    private final ServerSocket server;
    private final List<String> lines;
    private final CountDownLatch hurry = new CountDownLatch(1);
    private final CountDownLatch closed = new CountDownLatch(1);
    private final CountDownLatch allSent = new CountDownLatch(1);

    LineServer(List<String> lines) throws IOException {
        this.lines = lines;
        this.server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Thread thread = new Thread(this::serve, "line-server");
        thread.setDaemon(true);
        thread.start();
    }

    int port() {
        return server.getLocalPort();
    }

    void hurry() {
        hurry.countDown();
    }

    /** Whether lines are left. */
    boolean hasLinesLeft() {
        return allSent.getCount() > 0;
    }

    private void serve() {
        try (Socket client = server.accept();
                BufferedWriter out =
                        new BufferedWriter(
                                new OutputStreamWriter(
                                        client.getOutputStream(), StandardCharsets.UTF_8))) {
            for (String line : lines) {
                out.write(line + "\n");
                if (!hurry.await(1, TimeUnit.MILLISECONDS)) {
                    out.flush();
                }
            }
            out.flush();
            allSent.countDown();
            closed.await();
        } catch (IOException e) {
            // whoever reads ended first, or nobody came: what is missing is seen in the results
            closed.countDown();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() throws IOException {
        closed.countDown();
        hurry();
        server.close();
    }
}
