// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.faults;

import io.meces.servers.FreePorts;
import io.meces.servers.ProcessGroup;
import io.meces.servers.ProcessLogging;
import io.meces.servers.RestartableServer;
import io.meces.servers.ServerFiles;
import io.meces.servers.ServerProcess;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A ZooKeeper server, alone, as a process that listens on 127.0.0.1. It keeps its data when it is
 * started again. Not thread-safe.
 */
final class ZooKeeperServer extends RestartableServer {
    /** Sessions last between two and twenty of these. */
    private static final int TICK_MILLIS = 1_000;

    private static final int PROBE_TIMEOUT_MILLIS = 2_000;

    private ZooKeeperServer(ProcessGroup group, ProcessGroup.Starter starter, int port)
            throws IOException {
        super(group, starter, port);
    }

    /**
     * Starts a server without data. It takes a second more until it is ready.
     *
     * @param files where its jars are
     * @param group gets the process; the data goes to its directory
     * @param logDirectory where {@code zookeeper.log} goes
     */
    public static ZooKeeperServer start(ServerFiles files, ProcessGroup group, Path logDirectory)
            throws IOException {
        int port = FreePorts.find(1)[0];
        Path directory = Files.createDirectories(group.directory().resolve("zookeeper"));
        Path config = directory.resolve("zoo.cfg");
        Files.write(
                config,
                Arrays.asList(
                        "dataDir=" + directory.resolve("data"),
                        "clientPort=" + port,
                        "clientPortAddress=127.0.0.1",
                        "tickTime=" + TICK_MILLIS,
                        "4lw.commands.whitelist=ruok",
                        "admin.enableServer=false"),
                StandardCharsets.UTF_8);
        // The one that Kafka comes with.
        List<Path> classPath = files.kafkaJars();
        List<String> flags = new ArrayList<>();
        flags.add("-Xmx128m");
        flags.addAll(ServerProcess.QUICK_START);
        flags.add("-Dlog4j2.configurationFile=" + ProcessLogging.write(directory));
        return new ZooKeeperServer(
                group,
                () ->
                        ServerProcess.start(
                                "zookeeper",
                                logDirectory,
                                flags,
                                classPath,
                                "org.apache.zookeeper.server.ZooKeeperServerMain",
                                config.toString()),
                port);
    }

    /** Waits until the server answers. */
    @Override
    public void awaitReady(Duration timeout) throws Exception {
        process().awaitReady(this::isReady, timeout);
    }

    private boolean isReady() throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress("127.0.0.1", port()), PROBE_TIMEOUT_MILLIS);
            socket.setSoTimeout(PROBE_TIMEOUT_MILLIS);
            socket.getOutputStream().write("ruok".getBytes(StandardCharsets.US_ASCII));
            byte[] answer = new byte[4];
            int length = 0;
            int read = 0;
            while (read >= 0 && length < answer.length) {
                read = socket.getInputStream().read(answer, length, answer.length - length);
                length += Math.max(0, read);
            }
            return "imok".equals(new String(answer, 0, length, StandardCharsets.US_ASCII));
        }
    }
}
