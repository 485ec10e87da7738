// SPDX-License-Identifier: Apache-2.0
package io.meces.benchmarks;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * A TCP connection on this machine that carries only so many bytes in a second. As between tasks,
 * the sender does not wait for the network unless too much is in flight.
 *
 * <p>One thread sends, another one receives, a third one is the network.
 */
final class SlowLink implements AutoCloseable {

    /** As {@code meces.transition-service.in-flight-per-peer} by default. */
    private static final int WINDOW = 1 << 20;

    private static final int PIECE = 16 * 1024;
    private static final int TIMEOUT_MILLIS = 60_000;

    private final long bytesPerSecond;
    private final Socket here;
    private final Socket there;
    private final DataInputStream in;
    private final BlockingQueue<byte[]> waiting = new LinkedBlockingQueue<>();
    private final Semaphore window = new Semaphore(WINDOW);
    private final Thread network = new Thread(this::carry, "slow-link");

    SlowLink(long bytesPerSecond) throws IOException {
        this.bytesPerSecond = bytesPerSecond;
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            here = new Socket(server.getInetAddress(), server.getLocalPort());
            there = server.accept();
        }
        there.setSoTimeout(TIMEOUT_MILLIS);
        in = new DataInputStream(there.getInputStream());
        network.start();
    }

    /** Sends a message of less than the window. */
    void send(byte[] message) throws InterruptedException, TimeoutException {
        if (!window.tryAcquire(message.length, TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)) {
            throw new TimeoutException("Nothing was received.");
        }
        waiting.add(message);
    }

    /** The next message. */
    byte[] receive() throws IOException {
        byte[] message = new byte[in.readInt()];
        in.readFully(message);
        return message;
    }

    /** Messages of so many bytes have been worked off. */
    void done(int bytes) {
        window.release(bytes);
    }

    private void carry() {
        try {
            DataOutputStream out = new DataOutputStream(here.getOutputStream());
            long freeAt = System.nanoTime();
            while (true) {
                byte[] message = waiting.take();
                // it cannot save up what it did not carry
                freeAt = Math.max(freeAt, System.nanoTime() - 1_000_000);
                out.writeInt(message.length);
                for (int at = 0; at < message.length; at += PIECE) {
                    int bytes = Math.min(PIECE, message.length - at);
                    freeAt += bytes * 1_000_000_000L / bytesPerSecond;
                    for (long early = freeAt - System.nanoTime();
                            early > 0;
                            early = freeAt - System.nanoTime()) {
                        LockSupport.parkNanos(early);
                    }
                    out.write(message, at, bytes);
                }
            }
        } catch (IOException | InterruptedException e) {
            // closed; a receiver that waits for more is told by its socket
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() throws IOException {
        network.interrupt();
        here.close();
        there.close();
    }
}
