// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.cluster;

import io.meces.servers.ServerFiles;
import io.meces.servers.ServerProcess;
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
    private static final String KAFKA_REDIS =
            "flink-meces-transition-kafka-redis/target/lib/"
                    + "flink-meces-transition-kafka-redis-{version}.jar";
    private static final Pattern FLINK_VERSION =
            Pattern.compile("flink-(?:dist|streaming-java)(?:_[0-9.]+)?-([0-9][^_]*)\\.jar");

    private final Path root;
    private final FlinkLine line;
    private final boolean distribution;
    private final Properties build;

    /** As the other one, of Flink 1.12. */
    public Installation(Path root) {
        this(root, FlinkLine.V1_12);
    }

    /**
     * The repository or distribution whose root directory is given.
     *
     * @param line which of its jars are used, and which Flink's
     * @throws IllegalArgumentException if it is a distribution for another line
     */
    public Installation(Path root, FlinkLine line) {
        this.root = root.toAbsolutePath().normalize();
        this.line = line;
        this.distribution = isDistribution(this.root);
        this.build = buildProperties();
        if (distribution && line != FlinkLine.V1_12) {
            throw new IllegalArgumentException(
                    "This distribution is for Flink "
                            + FlinkLine.V1_12
                            + "; --flink "
                            + line
                            + " needs the repository.");
        }
    }

    /** Whether that is the root of an unpacked distribution, not of a repository. */
    public static boolean isDistribution(Path root) {
        return Files.isDirectory(root.resolve("cli"));
    }

    public FlinkLine line() {
        return line;
    }

    public Path root() {
        return root;
    }

    public String version() {
        return build.getProperty("version");
    }

    /** The version of Flink: of its jars, or else what 1.12 we are built for. */
    public String flinkVersion() {
        if (distribution ? System.getenv(FLINK_HOME) != null : line != FlinkLine.V1_12) {
            for (Path jar : flinkJars()) {
                Matcher name = FLINK_VERSION.matcher(jar.getFileName().toString());
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
            List<Path> jars = jars(root.resolve(line.flinkJars));
            if (line != FlinkLine.V1_12) {
                // logging is the same for all
                for (Path jar : jars(root.resolve(FlinkLine.V1_12.flinkJars))) {
                    if (jar.getFileName().toString().matches("(log4j|slf4j)-.*")) {
                        jars.add(jar);
                    }
                }
            }
            return jars;
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

    /**
     * The command that runs Flink's autoscaler, by our command line for it, until it is stopped: in
     * a JVM of its own, whose class path has a later Flink than ours. Not in a distribution.
     *
     * @param arguments for its command line
     */
    public List<String> autoscaler(String... arguments) {
        List<Path> jars = new ArrayList<>();
        jars.add(existing(root.resolve("flink-meces-autoscaler/target/classes")));
        jars.addAll(jars(root.resolve("flink-meces-autoscaler/target/lib")));
        return ServerProcess.javaCommand(
                Collections.emptyList(),
                Arrays.asList("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
                jars,
                "io.meces.autoscaler.Main",
                arguments);
    }

    /**
     * The command that runs Flink's stand-alone autoscaler by its own main, until it is stopped.
     *
     * @param jar a jar that runs by itself, {@code flink-autoscaler-standalone}
     * @param arguments for its command line
     */
    public static List<String> standaloneAutoscaler(Path jar, String... arguments) {
        List<String> command =
                new ArrayList<>(
                        Arrays.asList(
                                Paths.get(System.getProperty("java.home"), "bin", "java")
                                        .toString(),
                                "-Xmx256m",
                                "-XX:+UseSerialGC",
                                "-XX:TieredStopAtLevel=1",
                                "-jar",
                                jar.toAbsolutePath().toString()));
        command.addAll(Arrays.asList(arguments));
        return command;
    }

    /** Kafka and Redis. */
    public ServerFiles servers() {
        return new ServerFiles(root);
    }

    /** The jar that makes a Flink elastic. */
    public Path mecesJar() {
        return ours(line.mecesJar, "lib");
    }

    /** The jar of the state backend for RocksDB. */
    public Path rocksDBJar() {
        return ours(line.rocksDBJar, "opt");
    }

    /** The jar of the transition service by Kafka and Redis, the same for all lines. */
    public Path kafkaRedisJar() {
        return ours(KAFKA_REDIS, "opt");
    }

    /** The example jobs with their connector, ready to be submitted; by default key-count. */
    public Path jobJar() {
        return ours(line.jobJar, "examples");
    }

    private Path ours(String inRepository, String inDistribution) {
        Path file = root.resolve(inRepository.replace("{version}", version()));
        return existing(
                distribution ? root.resolve(inDistribution).resolve(file.getFileName()) : file);
    }

    /** The flags with which Flink runs on the JDK of this process; none on JDK 8. */
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
