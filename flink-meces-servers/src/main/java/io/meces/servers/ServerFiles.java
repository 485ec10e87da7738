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

/** Where a built repository, or an unpacked distribution, has the programs of the servers. */
public final class ServerFiles {
    private final Path directory;

    /** The repository or distribution whose root directory is given. */
    public ServerFiles(Path root) {
        Path distribution = root.resolve("servers");
        this.directory =
                Files.isDirectory(distribution)
                        ? distribution
                        : root.resolve("flink-meces-servers/target/lib");
    }

    /** The jars of a Kafka broker. */
    public List<Path> kafkaJars() {
        return list("kafka", ".jar");
    }

    /**
     * The redis-server for this machine.
     *
     * @throws IllegalStateException if there is none for it
     */
    public Path redisServer() {
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String platform = system.startsWith("mac") ? "darwin" : system.split(" ")[0];
        String machine = System.getProperty("os.arch");
        String architecture =
                machine.equals("x86_64") ? "amd64" : machine.equals("aarch64") ? "arm64" : machine;
        List<Path> found = list("redis", platform + "-" + architecture);
        if (found.isEmpty()) {
            throw new IllegalStateException(
                    "There is no redis-server for " + platform + "-" + architecture + ".");
        }
        if (!Files.isExecutable(found.get(0)) && !found.get(0).toFile().setExecutable(true)) {
            throw new IllegalStateException(found.get(0) + " cannot be made executable.");
        }
        return found.get(0);
    }

    private List<Path> list(String server, String end) {
        Path files = directory.resolve(server);
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
