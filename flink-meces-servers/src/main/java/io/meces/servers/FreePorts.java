// SPDX-License-Identifier: Apache-2.0
package io.meces.servers;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * TCP ports of the loopback interface that nobody uses. They are below those that systems take for
 * outgoing connections (from 32768 on Linux): a server binds its port seconds later, and until then
 * any connection on the machine could have been given it.
 */
public final class FreePorts {

    private static final int FIRST = 10_000;
    private static final int END = 32_000;
    private static final int ATTEMPTS = 1_000;

    private FreePorts() {}

    /**
     * Finds as many different ports as asked for. They are free when this returns; whoever binds
     * them should do so soon.
     *
     * @throws IOException if there are none
     */
    public static int[] find(int count) throws IOException {
        List<ServerSocket> sockets = new ArrayList<>();
        try {
            int[] ports = new int[count];
            for (int i = 0; i < count; i++) {
                ServerSocket socket = bind();
                sockets.add(socket);
                ports[i] = socket.getLocalPort();
            }
            return ports;
        } finally {
            for (ServerSocket socket : sockets) {
                socket.close();
            }
        }
    }

    /** By chance, so that those who look at the same time find different ones. */
    private static ServerSocket bind() throws IOException {
        BindException last = null;
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, END);
            try {
                return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
            } catch (BindException e) {
                last = e;
            }
        }
        throw new IOException("No port from " + FIRST + " to " + (END - 1) + " is free.", last);
    }
}
