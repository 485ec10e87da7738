// SPDX-License-Identifier: Apache-2.0
package io.meces.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.annotation.Nullable;

/** Where a built repository, or an unpacked distribution, has the programs of the servers. */
public final class ServerFiles {
    private final Path root;
    private final Path directory;
    private final Path kafka;

    /** Null: that for this machine. */
    @Nullable private final Path redis;

    /** The repository or distribution whose root directory is given. */
    public ServerFiles(Path root) {
        this(root, directory(root), directory(root).resolve("kafka"), null);
    }

    private ServerFiles(Path root, Path directory, Path kafka, @Nullable Path redis) {
        this.root = root;
        this.directory = directory;
        this.kafka = kafka;
        this.redis = redis;
    }

    private static Path directory(Path root) {
        Path distribution = root.resolve("servers");
        return Files.isDirectory(distribution)
                ? distribution
                : root.resolve("flink-meces-servers/target/lib");
    }

    /** The same with the newest Kafka broker, which needs Java 17; of a repository only. */
    public ServerFiles withNewestKafka() {
        return new ServerFiles(
                root,
                directory,
                root.resolve("flink-meces-servers/newest/target/lib/kafka"),
                redis);
    }

    /** The same with another program that speaks as Redis does. */
    public ServerFiles withRedis(Path program) {
        return new ServerFiles(root, directory, kafka, program);
    }

    /** The jars of a Kafka broker. */
    public List<Path> kafkaJars() {
        return list(kafka, ".jar");
    }

    /**
     * The redis-server for this machine.
     *
     * @throws IllegalStateException if there is none for it
     */
    public Path redisServer() {
        if (redis != null) {
            return redis;
        }
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String platform = system.startsWith("mac") ? "darwin" : system.split(" ")[0];
        String machine = System.getProperty("os.arch");
        String architecture =
                machine.equals("x86_64") ? "amd64" : machine.equals("aarch64") ? "arm64" : machine;
        List<Path> found = list(directory.resolve("redis"), platform + "-" + architecture);
        if (found.isEmpty()) {
            throw new IllegalStateException(
                    "There is no redis-server for " + platform + "-" + architecture + ".");
        }
        if (!Files.isExecutable(found.get(0)) && !found.get(0).toFile().setExecutable(true)) {
            throw new IllegalStateException(found.get(0) + " cannot be made executable.");
        }
        return found.get(0);
    }

    private static List<Path> list(Path files, String end) {
        if (!Files.exists(files)) {
            throw new IllegalStateException(
                    files + " is missing. Build the repository first: mvn package.");
        }
        try (Stream<Path> all = Files.list(files)) {
            return all.filter(file -> file.toString().endsWith(end))
                    .sorted()
                    .collect(Collectors.toCollection(ArrayList::new));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
