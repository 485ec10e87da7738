// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The demo, shortened, on the versions of Java that Flink 1.12 is made for: its own process, Kafka,
 * JobManager and TaskManagers. Skipped, and says why, where such a Java cannot be had.
 */
@Tag("full")
class OtherJavasIT {
    private static final Path HOME = Paths.get(System.getProperty("meces.home"));

    @ParameterizedTest
    @CsvSource({"8,1.8", "11,11"})
    @Timeout(value = 6, unit = TimeUnit.MINUTES)
    void everyRecordIsCountedExactlyOnce(String version, String specification) throws Exception {
        Path directory = Paths.get("target", "it", "java-" + version).toAbsolutePath();
        Files.createDirectories(directory);
        Path java = javaHome(version, directory);
        Path report = directory.resolve("report.json");
        ProcessBuilder demo =
                new ProcessBuilder(
                        HOME.resolve("bin/meces").toString(),
                        "demo",
                        "key-count",
                        "--keys=10000",
                        "--rate=2000",
                        "--seconds=15",
                        "--warm-up=3",
                        "--checkpoint-interval=2000",
                        "--flink=1.12",
                        "--report=" + report);
        Map<String, String> environment = demo.environment();
        environment.put("JAVA_HOME", java.toString());
        environment.put("MECES_NO_BUILD", "1");

        assertThat(exit(demo, directory.resolve("demo.log"), 5)).as(log(directory)).isZero();

        JsonNode told = new ObjectMapper().readTree(report.toFile());
        assertThat(told.path("versions").path("java").asText()).startsWith(specification + ".");
        assertThat(told.path("exact").asBoolean()).isTrue();
        assertThat(told.path("restarted").asBoolean(true)).isFalse();
        assertThat(told.path("rescales"))
                .hasSize(2)
                .allSatisfy(
                        rescale ->
                                assertThat(rescale.path("status").asText()).isEqualTo("FINISHED"));
        assertThat(Files.readAllLines(directory.resolve("logs").resolve("taskmanager-1.log")))
                .anySatisfy(
                        line -> assertThat(line).contains(" JVM: ", " - " + specification + "/"));
    }

    private static Path javaHome(String version, Path directory) throws Exception {
        Path log = directory.resolve("java.log");
        int exit =
                exit(
                        new ProcessBuilder(HOME.resolve("bin/meces-java").toString(), version),
                        log,
                        4);
        List<String> lines = Files.readAllLines(log, StandardCharsets.UTF_8);
        assumeTrue(exit == 0, "There is no Java " + version + ": " + lines);
        return Paths.get(lines.get(lines.size() - 1));
    }

    private static int exit(ProcessBuilder builder, Path log, int minutes)
            throws IOException, InterruptedException {
        Process process = builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
        try {
            assertThat(process.waitFor(minutes, TimeUnit.MINUTES))
                    .as(Arrays.toString(builder.command().toArray()) + " ends")
                    .isTrue();
            return process.exitValue();
        } finally {
            process.destroy();
        }
    }

    private static String log(Path directory) throws IOException {
        return new String(
                Files.readAllBytes(directory.resolve("demo.log")), StandardCharsets.UTF_8);
    }
}
