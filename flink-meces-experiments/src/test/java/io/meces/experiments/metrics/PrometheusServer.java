// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.metrics;

import io.meces.servers.FreePorts;
import io.meces.servers.ProcessGroup;
import io.meces.servers.ServerProcess;
import java.io.File;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URL;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Scanner;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Prometheus as a process that listens on 127.0.0.1, scrapes once a second and forgets all when
 * it ends. Not thread-safe.
 */
final class PrometheusServer {

    private static final Logger LOG = LoggerFactory.getLogger(PrometheusServer.class);
    private static final String PROGRAM = "prometheus";
    private static final int HTTP_MILLIS = 10_000;
    private static final long DOWNLOAD_SECONDS = 60;

    private final int port;
    private final ServerProcess process;

    private PrometheusServer(int port, ServerProcess process) {
        this.port = port;
        this.process = process;
    }

    /**
     * The program: on the {@code PATH}, or that of Debian's package, which is unpacked into a
     * directory if there is no other.
     *
     * @param cache where the package is unpacked, and found the next time
     * @return null if it is nowhere and cannot be had; the log says why
     */
    @Nullable
    public static Path find(Path cache) throws IOException, InterruptedException {
        for (String directory : System.getenv("PATH").split(File.pathSeparator)) {
            Path program = Paths.get(directory, PROGRAM);
            if (Files.isExecutable(program)) {
                return program;
            }
        }
        Path program = cache.resolve("usr/bin").resolve(PROGRAM);
        if (!Files.isExecutable(program)) {
            Files.createDirectories(cache);
            // the lists of a fresh machine are empty
            if (!download(cache) && (!run(cache, "apt-get", "update") || !download(cache))) {
                LOG.warn("There is no Prometheus, and Debian's package cannot be had.");
                return null;
            }
        }
        return program;
    }

    private static boolean download(Path cache) throws IOException, InterruptedException {
        if (!run(cache, "apt-get", "download", PROGRAM)) {
            return false;
        }
        List<Path> packages;
        try (Stream<Path> files = Files.list(cache)) {
            packages =
                    files.filter(file -> file.toString().endsWith(".deb"))
                            .collect(Collectors.toList());
        }
        return packages.size() == 1
                && run(cache, "dpkg", "-x", packages.get(0).toString(), cache.toString());
    }

    private static boolean run(Path directory, String... command)
            throws IOException, InterruptedException {
        Path log = directory.resolve(command[0] + ".log");
        Process process;
        try {
            process =
                    new ProcessBuilder(command)
                            .directory(directory.toFile())
                            .redirectErrorStream(true)
                            .redirectOutput(log.toFile())
                            .start();
        } catch (IOException e) {
            LOG.info("{} cannot be run here: {}", command[0], e.getMessage());
            return false;
        }
        if (!process.waitFor(DOWNLOAD_SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            LOG.info("{} hangs; see {}", Arrays.asList(command), log);
            return false;
        }
        if (process.exitValue() != 0) {
            LOG.info("{} has failed; see {}", Arrays.asList(command), log);
        }
        return process.exitValue() == 0;
    }

    /**
     * Starts one. It takes a second more until it is ready.
     *
     * @param program what {@link #find} has found
     * @param targets host:port of each process that is to be scraped
     * @param group gets the process; the data goes to its directory
     * @param logDirectory where {@code prometheus.log} goes
     */
    public static PrometheusServer start(
            Path program, List<String> targets, ProcessGroup group, Path logDirectory)
            throws IOException {
        int port = FreePorts.find(1)[0];
        Path directory = Files.createDirectories(group.directory().resolve(PROGRAM));
        Path config = directory.resolve("prometheus.yml");
        Files.write(
                config,
                Arrays.asList(
                        "global:",
                        "  scrape_interval: 1s",
                        "scrape_configs:",
                        "  - job_name: flink",
                        "    static_configs:",
                        "      - targets: " + targets),
                StandardCharsets.UTF_8);
        return new PrometheusServer(
                port,
                group.start(
                        () ->
                                ServerProcess.start(
                                        PROGRAM,
                                        logDirectory,
                                        Arrays.asList(
                                                program.toString(),
                                                "--config.file=" + config,
                                                "--storage.tsdb.path=" + directory.resolve("data"),
                                                "--web.listen-address=127.0.0.1:" + port))));
    }

    /** Waits until it answers. */
    public void awaitReady(Duration timeout) throws Exception {
        process.awaitReady(() -> get("/-/ready") != null, timeout);
    }

    /**
     * Has it evaluate an expression of PromQL now.
     *
     * @return the JSON that it answers
     * @throws IOException if it does not answer, or the expression is wrong
     */
    public String query(String expression) throws IOException {
        return get(
                "/api/v1/query?query="
                        + URLEncoder.encode(expression, StandardCharsets.UTF_8.name()));
    }

    private String get(String path) throws IOException {
        HttpURLConnection connection =
                (HttpURLConnection) new URL("http://127.0.0.1:" + port + path).openConnection();
        connection.setConnectTimeout(HTTP_MILLIS);
        connection.setReadTimeout(HTTP_MILLIS);
        int status = connection.getResponseCode();
        try (Scanner body =
                new Scanner(
                        status < 400 ? connection.getInputStream() : connection.getErrorStream(),
                        StandardCharsets.UTF_8.name())) {
            body.useDelimiter("\\A");
            String text = body.hasNext() ? body.next() : "";
            if (status >= 400) {
                throw new IOException(path + ": " + status + " " + text);
            }
            return text;
        }
    }
}
