// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.faults;

import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import javax.annotation.Nullable;

/**
 * Files by which a test holds the tasks of a job in another process at a point, or has them throw.
 * Thread-safe.
 */
public final class Switches implements Serializable {
    private static final long serialVersionUID = 1L;
    private static final long POLL_MILLIS = 5L;

    private final String directory;

    /** The switches in a directory, which exists. */
    public Switches(Path directory) {
        this.directory = directory.toString();
    }

    /** Where a task can be held. */
    public enum Point {
        /** In its thread; a source that has the checkpoint lock. */
        RUN,
        /** In the synchronous part of a checkpoint. */
        SNAPSHOT,
        /** While it is told that a checkpoint is complete. */
        NOTIFY,
        /** At the end of its input: a subtask that leaves. */
        END_INPUT,
        /** While it is disposed of; it does not heed its cancellation there. */
        DISPOSE
    }

    /** Has a subtask of a vertex stop at a point, until {@link #release} or its cancellation. */
    public void hold(Point point, String vertex, int subtask) throws IOException {
        // of a task that was killed while it was held
        Files.deleteIfExists(file("held", point, vertex, subtask));
        Files.createFile(file("hold", point, vertex, subtask));
    }

    /** Ends {@link #hold}; does nothing if it is over. */
    public void release(Point point, String vertex, int subtask) throws IOException {
        Files.deleteIfExists(file("hold", point, vertex, subtask));
    }

    /** Whether a subtask is at the point at which it is to stop. */
    public boolean isHeld(Point point, String vertex, int subtask) {
        return Files.exists(file("held", point, vertex, subtask));
    }

    /** Has a subtask of a vertex throw, once, wherever it is. */
    public void fail(String vertex, int subtask) throws IOException {
        Files.createFile(file("fail", null, vertex, subtask));
    }

    /** For a task: throws if it is to. */
    void check(String vertex, int subtask) throws IOException {
        if (Files.deleteIfExists(file("fail", null, vertex, subtask))) {
            throw new IllegalStateException("A test has " + vertex + " " + subtask + " throw.");
        }
    }

    /** For a task: stays for as long as it is held. */
    void pass(Point point, String vertex, int subtask) throws IOException, InterruptedException {
        Path hold = file("hold", point, vertex, subtask);
        if (!Files.exists(hold)) {
            return;
        }
        Path held = file("held", point, vertex, subtask);
        Files.write(held, new byte[0]);
        boolean interrupted = false;
        try {
            while (Files.exists(hold)) {
                if (point != Point.DISPOSE) {
                    check(vertex, subtask);
                }
                try {
                    Thread.sleep(POLL_MILLIS);
                } catch (InterruptedException e) {
                    if (point != Point.DISPOSE) {
                        throw e;
                    }
                    interrupted = true;
                }
            }
        } finally {
            Files.deleteIfExists(held);
            Files.deleteIfExists(hold);
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private Path file(String what, @Nullable Point point, String vertex, int subtask) {
        return Paths.get(
                directory,
                what + "-" + vertex + "-" + subtask + (point == null ? "" : "-" + point));
    }
}
