// SPDX-License-Identifier: Apache-2.0
package io.meces.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Processes that end together, with a directory for their data that goes with them: on close or
 * when this JVM ends, be it by Ctrl-C. Thread-safe.
 */
public final class ProcessGroup implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ProcessGroup.class);

    /** Starts one process. */
    @FunctionalInterface
    public interface Starter {
        ServerProcess start() throws IOException;
    }

    private final Path directory;
    private final Thread hook;
    private final List<ServerProcess> processes = new ArrayList<>();
    private boolean closed;

    /** An empty group with a new temporary directory. */
    public ProcessGroup(String name) throws IOException {
        this.directory = Files.createTempDirectory(name + "-");
        this.hook = new Thread(this::stopAll, name + "-shutdown");
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** The directory for data. It is deleted with all it contains when the group is closed. */
    public Path directory() {
        return directory;
    }

    /**
     * Starts a process as a member of this group.
     *
     * @throws IOException if it cannot be started or the group is closed
     */
    public synchronized ServerProcess start(Starter starter) throws IOException {
        if (closed) {
            throw new IOException("The processes have been stopped.");
        }
        ServerProcess process = starter.start();
        processes.add(process);
        return process;
    }

    /** The members that have ended though nobody stopped them; empty once closed. */
    public synchronized List<String> ended() {
        if (closed) {
            return new ArrayList<>();
        }
        return processes.stream()
                .filter(process -> !process.isAlive())
                .map(ServerProcess::name)
                .collect(Collectors.toList());
    }

    /** Removes a member that is meant to end by itself. */
    public synchronized void release(ServerProcess process) {
        processes.remove(process);
    }

    /** Stops all members and deletes the directory. Blocks for 10 s and a little at most. */
    @Override
    public void close() {
        stopAll();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            LOG.debug("The JVM is ending, the hook stays.", e);
        }
    }

    private synchronized void stopAll() {
        if (closed) {
            return;
        }
        closed = true;
        processes.forEach(ServerProcess::requestStop);
        try {
            for (ServerProcess process : processes) {
                process.stop();
            }
        } catch (InterruptedException e) {
            LOG.warn("Interrupted while processes end; killing the rest.");
            processes.forEach(ServerProcess::requestKill);
            Thread.currentThread().interrupt();
        }
        delete();
    }

    private void delete() {
        try (Stream<Path> files = Files.walk(directory)) {
            List<Path> deepestFirst =
                    files.sorted(Comparator.reverseOrder()).collect(Collectors.toList());
            for (Path file : deepestFirst) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            LOG.warn("Cannot delete {}.", directory, e);
        }
    }
}
