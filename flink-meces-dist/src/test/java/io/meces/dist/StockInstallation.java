// SPDX-License-Identifier: Apache-2.0
package io.meces.dist;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A directory of a test with a stock Flink as it is downloaded, in {@code flink}, and the archive
 * of our distribution, which is unpacked next to it. Has no state but its paths.
 */
final class StockInstallation {
    private static final Logger LOG = LoggerFactory.getLogger(StockInstallation.class);

    final FlinkLine line;
    private final Path directory;

    private StockInstallation(FlinkLine line, Path directory) {
        this.line = line;
        this.directory = directory;
    }

    /**
     * Deletes what an earlier run has left of both, and unpacks Flink anew. Skips the test, and
     * says why, if there is no archive of that version of Flink.
     */
    static StockInstallation prepare(String version, Path home, Path directory)
            throws IOException, InterruptedException {
        Files.createDirectories(directory);
        StockInstallation installation = new StockInstallation(FlinkLine.of(version), directory);
        List<StockFlink.Archive> archives = archives(version, directory);
        delete(installation.flink());
        delete(installation.distribution());
        Files.createDirectories(installation.flink());
        for (StockFlink.Archive archive : archives) {
            archive.unpack(installation.flink());
        }
        Path tarball =
                home.resolve(
                        "flink-meces-dist/target/" + installation.line.distribution + ".tar.gz");
        Path here = directory.resolve(tarball.getFileName());
        Files.deleteIfExists(here);
        Files.createSymbolicLink(here, tarball);
        return installation;
    }

    private static List<StockFlink.Archive> archives(String version, Path directory)
            throws IOException, InterruptedException {
        try {
            return StockFlink.archives(version, directory.resolve("pip.log"));
        } catch (IOException e) {
            // the console tells only that it was skipped
            LOG.error("There is no stock Flink, the test is skipped.", e);
            assumeTrue(false, "No stock Flink: " + e.getMessage());
            throw e;
        }
    }

    /** The home of Flink. */
    Path flink() {
        return directory.resolve("flink");
    }

    /** Where our distribution is, when it has been installed. */
    Path distribution() {
        return directory.resolve(line.distribution);
    }

    /** Adds lines to the configuration. */
    void configure(List<String> lines) throws IOException {
        Files.write(
                flink().resolve("conf").resolve(line.configuration),
                lines,
                StandardCharsets.UTF_8,
                StandardOpenOption.APPEND);
    }

    /** As {@link #configure(List)}. */
    void configure(String... lines) throws IOException {
        configure(Arrays.asList(lines));
    }

    /**
     * Types the commands of a section of the user guide that says how to install. The shell is in
     * the directory, afterwards in that of our distribution.
     *
     * @param commands the commands, as they are to be typed here
     * @param afterEach what else is done after each of them
     */
    static void install(Shell shell, List<String> commands, AfterCommand afterEach)
            throws IOException {
        shell.run(
                "unset FLINK_HOME FLINK_CONF_DIR; export JAVA_HOME="
                        + System.getProperty("java.home"));
        for (String command : commands) {
            if (command.contains("java17") && !needsFlags()) {
                continue;
            }
            shell.run(command);
            afterEach.accept(command);
        }
    }

    /** What is done after a command. */
    @FunctionalInterface
    interface AfterCommand {
        void accept(String command) throws IOException;
    }

    private static boolean needsFlags() {
        String version = System.getProperty("java.specification.version");
        return !version.startsWith("1.") && Integer.parseInt(version) >= 17;
    }

    /** Deletes a directory with all that is in it, if there is one. */
    static void delete(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            return;
        }
        try (Stream<Path> files = Files.walk(directory)) {
            List<Path> deepestFirst =
                    files.sorted(Comparator.reverseOrder()).collect(Collectors.toList());
            for (Path file : deepestFirst) {
                Files.delete(file);
            }
        }
    }
}
