/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.examples.cluster;

import io.meces.servers.ServerFiles;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Where a built repository has its jars, and which versions they are. */
public final class Installation {
    private final Path root;
    private final Properties build;

    /** The repository whose root directory is given. */
    public Installation(Path root) {
        this.root = root.toAbsolutePath().normalize();
        this.build = buildProperties();
    }

    public Path root() {
        return root;
    }

    public String version() {
        return build.getProperty("version");
    }

    public String flinkVersion() {
        return build.getProperty("flink.version");
    }

    public String kafkaVersion() {
        return build.getProperty("kafka.version");
    }

    /** Flink's own jars, as they would stand in its {@code lib}. */
    public List<Path> flinkJars() {
        return jars("flink");
    }

    /** Kafka and Redis. */
    public ServerFiles servers() {
        return new ServerFiles(root);
    }

    /** The jar that makes a Flink elastic. */
    public Path mecesJar() {
        return existing(
                root.resolve("flink-meces-runtime/target/flink-meces-" + version() + ".jar"));
    }

    /** The example jobs with their connector, ready to be submitted; by default key-count. */
    public Path jobJar() {
        return existing(examples().resolve("flink-meces-examples-" + version() + "-job.jar"));
    }

    /** The flags with which Flink 1.12 runs on the JDK of this process; none on JDK 8. */
    public List<String> moduleFlags() {
        if (System.getProperty("java.specification.version").startsWith("1.")) {
            return Collections.emptyList();
        }
        return Arrays.asList(build.getProperty("jvm.opens").trim().split("\\s+"));
    }

    private Path examples() {
        return root.resolve("flink-meces-examples/target");
    }

    private List<Path> jars(String library) {
        Path directory = existing(examples().resolve("lib").resolve(library));
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(".jar"))
                    .sorted()
                    .collect(Collectors.toCollection(ArrayList::new));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path existing(Path path) {
        if (!Files.exists(path)) {
            throw new IllegalStateException(
                    path + " is missing. Build the repository first: mvn package.");
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
