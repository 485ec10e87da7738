// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.cluster;

import io.meces.servers.ServerFiles;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Where our jars and Flink's are, and which versions they are: in a built repository, or in an
 * unpacked distribution, which takes Flink's from the directory that {@code FLINK_HOME} names.
 */
public final class Installation {
    private static final String FLINK_HOME = "FLINK_HOME";
    private static final Pattern FLINK_DIST = Pattern.compile("flink-dist_[0-9.]+-(.+)\\.jar");

    private final Path root;
    private final boolean distribution;
    private final Properties build;

    /** The repository or distribution whose root directory is given. */
    public Installation(Path root) {
        this.root = root.toAbsolutePath().normalize();
        this.distribution = Files.isDirectory(this.root.resolve("cli"));
        this.build = buildProperties();
    }

    public Path root() {
        return root;
    }

    public String version() {
        return build.getProperty("version");
    }

    /** The version of Flink: of that in {@code FLINK_HOME}, or else what we are built for. */
    public String flinkVersion() {
        if (distribution && System.getenv(FLINK_HOME) != null) {
            for (Path jar : flinkJars()) {
                Matcher name = FLINK_DIST.matcher(jar.getFileName().toString());
                if (name.matches()) {
                    return name.group(1);
                }
            }
        }
        return build.getProperty("flink.version");
    }

    public String kafkaVersion() {
        return build.getProperty("kafka.version");
    }

    /** Flink's own jars, as they would stand in its {@code lib}. */
    public List<Path> flinkJars() {
        if (!distribution) {
            return jars(root.resolve("flink-meces-experiments/target/lib/flink"));
        }
        String flink = System.getenv(FLINK_HOME);
        if (flink == null) {
            throw new IllegalStateException(
                    FLINK_HOME + " is not set. Set it to the directory of a Flink 1.12.");
        }
        List<Path> jars = jars(Paths.get(flink, "lib"));
        jars.removeIf(jar -> jar.getFileName().toString().startsWith("flink-meces-"));
        return jars;
    }

    /** Flink's autoscaler, with our command line for it; not in a distribution. */
    public List<Path> autoscalerJars() {
        List<Path> jars = new ArrayList<>();
        jars.add(existing(root.resolve("flink-meces-autoscaler/target/classes")));
        jars.addAll(jars(root.resolve("flink-meces-autoscaler/target/lib")));
        return jars;
    }

    /** Kafka and Redis. */
    public ServerFiles servers() {
        return new ServerFiles(root);
    }

    /** The jar that makes a Flink elastic. */
    public Path mecesJar() {
        return existing(
                root.resolve(distribution ? "lib" : "flink-meces-runtime/target")
                        .resolve("flink-meces-" + version() + ".jar"));
    }

    /** The jar of the state backend for RocksDB. */
    public Path rocksDBJar() {
        return existing(
                root.resolve(distribution ? "opt" : "flink-meces-state-rocksdb/target")
                        .resolve("flink-meces-state-rocksdb-" + version() + ".jar"));
    }

    /** The jar of the transition service by Kafka and Redis. */
    public Path kafkaRedisJar() {
        return existing(
                root.resolve(distribution ? "opt" : "flink-meces-transition-kafka-redis/target/lib")
                        .resolve("flink-meces-transition-kafka-redis-" + version() + ".jar"));
    }

    /** The example jobs with their connector, ready to be submitted; by default key-count. */
    public Path jobJar() {
        return existing(
                root.resolve(distribution ? "examples" : "flink-meces-examples/target")
                        .resolve("flink-meces-examples-" + version() + "-job.jar"));
    }

    /** The flags with which Flink 1.12 runs on the JDK of this process; none on JDK 8. */
    public List<String> moduleFlags() {
        if (System.getProperty("java.specification.version").startsWith("1.")) {
            return Collections.emptyList();
        }
        return Arrays.asList(build.getProperty("jvm.opens").trim().split("\\s+"));
    }

    private List<Path> jars(Path directory) {
        try (Stream<Path> files = Files.list(existing(directory))) {
            return files.filter(file -> file.toString().endsWith(".jar"))
                    .sorted()
                    .collect(Collectors.toCollection(ArrayList::new));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Path existing(Path path) {
        if (!Files.exists(path)) {
            throw new IllegalStateException(
                    path
                            + " is missing."
                            + (distribution ? "" : " Build the repository first: mvn package."));
        }
        return path;
    }

    private static Properties buildProperties() {
        Properties properties = new Properties();
        try (InputStream in = Installation.class.getResourceAsStream("build.properties")) {
            properties.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties;
    }
}
