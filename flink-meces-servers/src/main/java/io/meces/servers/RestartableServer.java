// SPDX-License-Identifier: Apache-2.0
package io.meces.servers;

import java.io.IOException;
import java.time.Duration;

/**
 * A server as a process that listens on an address of this machine, and can be ended and started
 * again at the same address. Not thread-safe.
 */
public abstract class RestartableServer {
    /** Where a server listens that only this machine needs. */
    static final String LOOPBACK = "127.0.0.1";

    private final ProcessGroup group;
    private final ProcessGroup.Starter starter;
    private final String host;
    private final int port;
    private ServerProcess process;

    /** Starts it; it listens on the loopback interface. */
    protected RestartableServer(ProcessGroup group, ProcessGroup.Starter starter, int port)
            throws IOException {
        this(group, starter, LOOPBACK, port);
    }

    /** Starts it. */
    protected RestartableServer(
            ProcessGroup group, ProcessGroup.Starter starter, String host, int port)
            throws IOException {
        this.group = group;
        this.starter = starter;
        this.host = host;
        this.port = port;
        this.process = group.start(starter);
    }

    public final int port() {
        return port;
    }

    /** Host and port, as clients want them. */
    public final String address() {
        return host + ":" + port;
    }

    /** The process that runs now, to be paused and resumed. */
    public final ServerProcess process() {
        return process;
    }

    /** Waits until the server answers. */
    public abstract void awaitReady(Duration timeout) throws Exception;

    /** Ends the server, in order or by force. Returns when it is gone. */
    public final void stop(boolean byForce) throws InterruptedException {
        group.release(process);
        if (byForce) {
            process.kill();
        } else {
            process.stop();
        }
    }

    /** Starts the server again after {@link #stop}; {@link #awaitReady} waits for it. */
    public final void restart() throws IOException {
        process = group.start(starter);
    }
}
