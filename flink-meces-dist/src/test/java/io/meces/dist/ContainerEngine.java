// SPDX-License-Identifier: Apache-2.0
package io.meces.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Docker engine that has the images which those of {@code docker/} are made from: one that
 * answers, or a private one for as long as a command runs ({@code docker/stand-ins/with-engine}).
 * Has no state but the path of a file of output.
 */
final class ContainerEngine {
    private static final Logger LOG = LoggerFactory.getLogger(ContainerEngine.class);
    private static final String WITH_ENGINE =
            Paths.get(System.getProperty("meces.home"))
                    .resolve("docker/stand-ins/with-engine")
                    .toString();
    private static final int NO_ENGINE = 75;
    private static final Duration SET_UP = Duration.ofMinutes(12);

    private final Path output;

    /**
     * An engine whose commands print to a file, each anew.
     *
     * @param output the file
     */
    ContainerEngine(Path output) {
        this.output = output;
    }

    /** Skips the test, and says why, where no engine can be had. Builds the images otherwise. */
    void assume(String test) throws Exception {
        int exitCode = run(SET_UP, "docker", "compose", "version");
        if (exitCode == NO_ENGINE) {
            // the console tells only that it was skipped
            LOG.error("{} is skipped: {}", test, output());
        }
        assumeTrue(exitCode != NO_ENGINE, this::output);
        assertThat(exitCode).as(output()).isZero();
    }

    /** The command that runs another one where the engine is. */
    static List<String> command(String... command) {
        List<String> line = new ArrayList<>();
        line.add(WITH_ENGINE);
        line.addAll(Arrays.asList(command));
        return line;
    }

    /**
     * Runs a command where the engine is.
     *
     * @return its exit code
     * @throws IllegalStateException if it takes longer than that
     */
    int run(Duration timeout, String... command) throws Exception {
        Files.createDirectories(output.getParent());
        Process process =
                new ProcessBuilder(command(command))
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        process.getOutputStream().close();
        if (!process.waitFor(timeout.getSeconds(), TimeUnit.SECONDS)) {
            process.destroy();
            throw new IllegalStateException(
                    String.join(" ", command) + " takes longer than " + timeout + ".");
        }
        return process.exitValue();
    }

    /** What the last command has printed. */
    String output() {
        try {
            return new String(Files.readAllBytes(output), StandardCharsets.UTF_8).trim();
        } catch (IOException e) {
            return e.toString();
        }
    }
}
