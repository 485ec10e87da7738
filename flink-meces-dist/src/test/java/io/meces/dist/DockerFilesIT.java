// SPDX-License-Identifier: Apache-2.0
package io.meces.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What stands in {@code docker/} is in the distribution. {@code DockerIT} runs it. */
class DockerFilesIT {
    private static final Path HOME = Paths.get(System.getProperty("meces.home"));
    private static final String VERSION = System.getProperty("meces.version");
    private static final Path TARBALL =
            HOME.resolve("flink-meces-dist/target/flink-meces-" + VERSION + ".tar.gz");
    private static final Path DOCKER = HOME.resolve("docker");

    @ParameterizedTest
    @ValueSource(strings = {"Dockerfile", "docker-compose.yml", "README.md"})
    void thePathsOfOursAreInTheDistribution(String file) throws Exception {
        Set<String> entries = entries();
        Set<String> named = matches(file, "/opt/flink-meces/([\\w./*-]+)");
        assertThat(named).isNotEmpty();
        assertThat(named)
                .allSatisfy(
                        path -> {
                            PathMatcher matcher =
                                    FileSystems.getDefault().getPathMatcher("glob:" + path);
                            assertThat(entries)
                                    .as(path)
                                    .anyMatch(entry -> matcher.matches(Paths.get(entry)));
                        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"docker-compose.yml", "README.md"})
    void theScriptsOfFlinkAreThoseOfTheUserGuide(String file) throws IOException {
        String guide =
                new String(
                        Files.readAllBytes(HOME.resolve("docs/user-guide.md")),
                        StandardCharsets.UTF_8);
        assertThat(matches(file, "/opt/flink/(bin/[\\w.-]+)"))
                .isNotEmpty()
                .allSatisfy(script -> assertThat(guide).contains("$FLINK_HOME/" + script + " "));
    }

    @ParameterizedTest
    @ValueSource(strings = {"Dockerfile", "docker-compose.yml", "README.md"})
    void theVersionIsThatOfTheProject(String file) throws IOException {
        assertThat(
                        matches(
                                file,
                                "(?:MECES_VERSION=|flink-meces:|flink-meces-examples-)([\\w.]+(?:-SNAPSHOT)?)"))
                .containsExactly(VERSION);
    }

    @ParameterizedTest
    @CsvSource({"172.18.0.5, true", "172.18.0.50, false", "172x18y0z5, false"})
    void theHealthCheckOfATaskManagerFindsItsOwnAddress(String registered, boolean healthy)
            throws Exception {
        String check =
                matches(
                                "docker-compose.yml",
                                "curl -fs http://jobmanager:8081/taskmanagers (.*)\"]")
                        .iterator()
                        .next()
                        .replace("\\\"", "\"")
                        .replace("$$", "$");
        Process bash =
                new ProcessBuilder(
                                "bash",
                                "-c",
                                "hostname() { echo 172.18.0.5; }; echo '{\"path\":\"akka.tcp://flink@"
                                        + registered
                                        + ":41771/user/rpc/taskmanager_0\"}' "
                                        + check)
                        .inheritIO()
                        .start();
        assertThat(bash.waitFor() == 0).isEqualTo(healthy);
    }

    @Test
    void whatTheImageIsMadeFromIsThere() throws IOException {
        assertThat(matches("Dockerfile", "(?m)^(?:ADD|COPY) (\\S+) "))
                .hasSize(2)
                .allSatisfy(
                        source ->
                                assertThat(
                                                HOME.resolve(
                                                        source.replace(
                                                                "${MECES_VERSION}", VERSION)))
                                        .exists());
    }

    private static Set<String> matches(String file, String pattern) throws IOException {
        String text = new String(Files.readAllBytes(DOCKER.resolve(file)), StandardCharsets.UTF_8);
        Set<String> found = new TreeSet<>();
        for (Matcher m = Pattern.compile(pattern).matcher(text); m.find(); ) {
            found.add(m.group(1));
        }
        return found;
    }

    /** The files of the distribution, without the directory that they are all in. */
    private static Set<String> entries() throws IOException, InterruptedException {
        Process tar =
                new ProcessBuilder(Arrays.asList("tar", "tzf", TARBALL.toString()))
                        .redirectErrorStream(true)
                        .start();
        try (BufferedReader lines =
                new BufferedReader(
                        new InputStreamReader(tar.getInputStream(), StandardCharsets.UTF_8))) {
            Set<String> entries =
                    lines.lines()
                            .map(line -> line.substring(line.indexOf('/') + 1))
                            .collect(Collectors.toCollection(TreeSet::new));
            assertThat(tar.waitFor()).isZero();
            return entries;
        }
    }
}
