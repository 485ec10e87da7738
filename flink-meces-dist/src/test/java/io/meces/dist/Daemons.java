// SPDX-License-Identifier: Apache-2.0
package io.meces.dist;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * What the scripts of Flink have started, as the files in its {@code env.pid.dir} tell. What is
 * left is killed at the end, also if that is the end of the JVM.
 */
final class Daemons implements AutoCloseable {
    private final Path directory;
    private final Thread hook = new Thread(this::kill);

    /**
     * None yet.
     *
     * @param directory {@code env.pid.dir}
     */
    Daemons(Path directory) throws IOException {
        this.directory = directory;
        StockInstallation.delete(directory);
        Files.createDirectories(directory);
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** The ids of those that run. */
    List<String> pids() throws IOException {
        List<String> pids = new ArrayList<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                pids.addAll(Files.readAllLines(file, StandardCharsets.UTF_8));
            }
        }
        return pids;
    }

    private void kill() {
        try {
            for (String pid : pids()) {
                new ProcessBuilder("kill", "-9", pid).inheritIO().start().waitFor();
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        kill();
        Runtime.getRuntime().removeShutdownHook(hook);
    }
}
