// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.networks;

import io.meces.experiments.cluster.FlinkCluster;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.annotation.Nullable;

/**
 * Hosts with a network between them: the hub, which is the network namespace of this process, and
 * namespaces of their own for the others. A relay carries the frames, and is slow, loses them or is
 * cut as it is told. All of it is gone when it is closed. Needs Linux, root, {@code ip} and {@code
 * python3}. Not thread-safe.
 */
final class NetworkLab implements FlinkCluster.Hosts, AutoCloseable {

    /** Of the network, reserved for tests of networks (RFC 2544). */
    private static final String NETWORK = "198.18.77.";

    private static final long TIMEOUT_SECONDS = 20;

    private final List<String> namespaces = new ArrayList<>();
    private final List<String> devices = new ArrayList<>();
    private final Path script;
    private Process relay;
    private Writer commands;
    private BufferedReader answers;

    /**
     * Makes the hosts.
     *
     * @param directory for the script of the relay
     * @param hosts how many there are besides the hub
     */
    NetworkLab(Path directory, int hosts) throws Exception {
        script = Files.createDirectories(directory).resolve("relay.py");
        String prefix = "mn" + pid() + "-";
        for (int host = 0; host <= hosts; host++) {
            devices.add(prefix + host);
        }
        try {
            startRelay();
            connect(0, Collections.emptyList());
            for (int host = 1; host <= hosts; host++) {
                String namespace = device(host);
                run("ip", "netns", "add", namespace);
                namespaces.add(namespace);
                run("ip", "link", "set", device(host), "netns", namespace);
                run("ip", "-n", namespace, "link", "set", "lo", "up");
                connect(host, Arrays.asList("-n", namespace));
            }
        } catch (Exception e) {
            close();
            throw e;
        }
    }

    /** Why there can be no such network here; null if there can. */
    @Nullable
    static String obstacle() throws Exception {
        String probe = "mnprobe" + pid();
        if (!Files.isWritable(Paths.get("/dev/net/tun"))) {
            return "/dev/net/tun cannot be opened: this takes Linux and root";
        }
        try {
            run("python3", "--version");
            run("ip", "netns", "add", probe);
            run("ip", "netns", "delete", probe);
            return null;
        } catch (IOException e) {
            return "a network namespace cannot be made: " + e.getMessage();
        }
    }

    private static String pid() {
        return ManagementFactory.getRuntimeMXBean().getName().replaceFirst("@.*", "");
    }

    private static BufferedReader reader(Process process) {
        return new BufferedReader(
                new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    private void startRelay() throws Exception {
        try (InputStream in = NetworkLab.class.getResourceAsStream("relay.py")) {
            Files.copy(in, script, StandardCopyOption.REPLACE_EXISTING);
        }
        List<String> command = new ArrayList<>(Arrays.asList("python3", script.toString()));
        command.addAll(devices);
        relay =
                new ProcessBuilder(command)
                        .redirectError(script.resolveSibling("relay.log").toFile())
                        .start();
        commands = new OutputStreamWriter(relay.getOutputStream(), StandardCharsets.UTF_8);
        answers = reader(relay);
        expect("ready");
    }

    private void connect(int host, List<String> where) throws Exception {
        List<String> ip = new ArrayList<>(Collections.singletonList("ip"));
        ip.addAll(where);
        run(ip, "addr", "add", address(host) + "/24", "dev", device(host));
        run(ip, "link", "set", device(host), "up");
    }

    private static void run(List<String> command, String... more) throws Exception {
        List<String> all = new ArrayList<>(command);
        Collections.addAll(all, more);
        run(all.toArray(new String[0]));
    }

    private static void run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new IOException(String.join(" ", command) + " does not end");
        }
        if (process.exitValue() != 0) {
            try (BufferedReader said = reader(process)) {
                throw new IOException(String.join(" ", command) + ": " + said.readLine());
            }
        }
    }

    /** The address of a host; the hub is 0. */
    @Override
    public String address(int host) {
        return NETWORK + (host + 1);
    }

    /** What a command is to be preceded by to run on a host. */
    @Override
    public List<String> on(int host) {
        return Arrays.asList("ip", "netns", "exec", device(host));
    }

    private String device(int host) {
        return devices.get(host);
    }

    /** Tells the relay something; see the script. */
    void tell(String command) throws Exception {
        commands.write(command + "\n");
        commands.flush();
        expect("done");
    }

    /** Nothing passes between two hosts until {@link #heal}. */
    void cut(int host, int other) throws Exception {
        tell("cut " + device(host) + " " + device(other));
    }

    /** Ends all cuts. */
    void heal() throws Exception {
        tell("heal");
    }

    private void expect(String answer) throws Exception {
        CompletableFuture<String> line = new CompletableFuture<>();
        Thread reader =
                new Thread(
                        () -> {
                            try {
                                line.complete(answers.readLine());
                            } catch (IOException e) {
                                line.completeExceptionally(e);
                            }
                        },
                        "relay-answers");
        reader.setDaemon(true);
        reader.start();
        try {
            String said = line.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
            if (!answer.equals(said)) {
                throw new IOException("The relay says " + said + "; see relay.log.");
            }
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("The relay does not answer", e);
        }
    }

    /** The devices go with the relay. */
    @Override
    public void close() throws Exception {
        if (relay != null) {
            relay.destroy();
            if (!relay.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                relay.destroyForcibly();
            }
        }
        for (String namespace : namespaces) {
            run("ip", "netns", "delete", namespace);
        }
        namespaces.clear();
    }
}
