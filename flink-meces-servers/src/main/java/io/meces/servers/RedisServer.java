// SPDX-License-Identifier: Apache-2.0
package io.meces.servers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.annotation.Nullable;

/**
 * A Redis server as a process that listens on 127.0.0.1. It can be ended and started again, without
 * its data, at the same address. Not thread-safe.
 */
public final class RedisServer extends RestartableServer {
    private static final int PROBE_TIMEOUT_MS = 2_000;

    /** Starts a program that answers as Redis does at a port. */
    public RedisServer(ProcessGroup group, ProcessGroup.Starter starter, int port)
            throws IOException {
        super(group, starter, port);
    }

    /**
     * Starts an empty server that keeps nothing on disk.
     *
     * @param files where its program is
     * @param group gets the process
     * @param logDirectory where {@code redis-<port>.log} goes
     * @param arguments for redis-server, such as {@code --requirepass secret}
     */
    public static RedisServer start(
            ServerFiles files, ProcessGroup group, Path logDirectory, String... arguments)
            throws IOException {
        return start(files, group, logDirectory, FreePorts.find(1)[0], arguments);
    }

    /** As the other one, at a port. */
    public static RedisServer start(
            ServerFiles files, ProcessGroup group, Path logDirectory, int port, String... arguments)
            throws IOException {
        List<String> command = command(files, group, port);
        command.addAll(Arrays.asList("--port", "" + port, "--bind", "127.0.0.1"));
        command.addAll(Arrays.asList("--save", "", "--appendonly", "no"));
        command.addAll(Arrays.asList(arguments));
        return new RedisServer(
                group, () -> ServerProcess.start("redis-" + port, logDirectory, command), port);
    }

    private static List<String> command(ServerFiles files, ProcessGroup group, int port)
            throws IOException {
        Path directory = Files.createDirectories(group.directory().resolve("redis-" + port));
        List<String> command = new ArrayList<>();
        command.add(files.redisServer().toString());
        command.addAll(Arrays.asList("--dir", directory.toString()));
        return command;
    }

    /** Waits until the server answers, be it that it wants a password. */
    @Override
    public void awaitReady(Duration timeout) throws Exception {
        process()
                .awaitReady(
                        () -> {
                            String answer = ask("PING");
                            return answer.startsWith("+") || answer.startsWith("-NOAUTH");
                        },
                        timeout);
    }

    /** How many keys a server without password has. */
    public long keys() throws IOException {
        return number(ask("DBSIZE"), ':');
    }

    /** How many keys match a pattern. */
    public long keys(String pattern) throws IOException {
        return number(ask("KEYS " + pattern), '*');
    }

    private long number(String answer, char type) throws IOException {
        if (answer.isEmpty() || answer.charAt(0) != type) {
            throw new IOException("Redis at " + address() + " answered " + answer);
        }
        return Long.parseLong(answer.substring(1));
    }

    /** How often a command was executed, by its name in lower case. */
    public long calls(String command) throws IOException {
        String start = "cmdstat_" + command + ":calls=";
        // a bulk string: its length, then its lines, of which the last one is empty
        for (String line : exchange("INFO commandstats", "")) {
            if (line.startsWith(start)) {
                return Long.parseLong(line.substring(start.length(), line.indexOf(',')));
            }
        }
        return 0;
    }

    /** Sends a command of one line and returns the first line of the answer. */
    public String ask(String command) throws IOException {
        return exchange(command, null).get(0);
    }

    /**
     * Sends a command of one line and reads the answer up to a line.
     *
     * @param last the last line; null for the first
     */
    public List<String> exchange(String command, @Nullable String last) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress("127.0.0.1", port()), PROBE_TIMEOUT_MS);
            socket.setSoTimeout(PROBE_TIMEOUT_MS);
            socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.UTF_8));
            BufferedReader in =
                    new BufferedReader(
                            new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            List<String> lines = new ArrayList<>();
            do {
                String line = in.readLine();
                if (line == null) {
                    throw new IOException("Redis at " + address() + " closed the connection.");
                }
                lines.add(line);
            } while (last != null && !lines.get(lines.size() - 1).equals(last));
            return lines;
        }
    }
}
