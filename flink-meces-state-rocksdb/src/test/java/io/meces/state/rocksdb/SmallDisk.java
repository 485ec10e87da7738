// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A file system of some megabytes. */
public final class SmallDisk implements AutoCloseable {

    private final Path path;
    private final Path filler;

    private SmallDisk(Path path) {
        this.path = path;
        this.filler = path.resolve("filler");
    }

    public Path path() {
        return path;
    }

    /** Mounts one, or has the test skipped where that is not allowed. */
    public static SmallDisk mount(Path path, int megabytes) throws Exception {
        Files.createDirectories(path);
        assumeTrue(
                run("mount", "-t", "tmpfs", "-o", "size=" + megabytes + "m", "tmpfs", path) == 0,
                "a file system in memory cannot be mounted here (that needs root)");
        return new SmallDisk(path);
    }

    /** Leaves so many bytes, or some less. */
    public void fill(long left) throws IOException {
        byte[] block = new byte[1 << 16];
        try (OutputStream out = Files.newOutputStream(filler)) {
            while (path.toFile().getUsableSpace() > left) {
                out.write(block);
            }
        }
    }

    /** The counterpart of {@link #fill}. */
    public void free() throws IOException {
        Files.delete(filler);
    }

    @Override
    public void close() throws Exception {
        run("umount", "-l", path);
    }

    private static int run(Object... command) throws Exception {
        Process process =
                new ProcessBuilder(
                                Stream.of(command)
                                        .map(Object::toString)
                                        .collect(Collectors.toList()))
                        .inheritIO()
                        .start();
        if (!process.waitFor(30, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            return -1;
        }
        return process.exitValue();
    }
}
