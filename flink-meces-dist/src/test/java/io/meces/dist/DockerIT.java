// SPDX-License-Identifier: Apache-2.0
package io.meces.dist;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Types the commands of {@code docker/README.md}, in a copy of {@code docker/}: builds the image,
 * starts the cluster, rescales a job, runs the experiment on both transition services, and takes
 * all away. Where no engine has or can pull the images, {@code docker/stand-ins/with-engine} makes
 * a private one with images that stand for them; where that cannot be, the test is skipped, and
 * says why.
 */
@Tag("full")
@Tag("docker")
class DockerIT {
    private static final Path HOME = Paths.get(System.getProperty("meces.home"));
    private static final Path DIRECTORY = Paths.get("target", "docker-it").toAbsolutePath();
    private static final Path DOCKER = DIRECTORY.resolve("docker");
    private static final String PROJECT = "flink-meces-it";
    private static final Pattern JOB_ID = Pattern.compile("JobID ([0-9a-f]{32})");
    private static final int SLOTS = 4;

    private final DocumentedCommands readme;
    private String jobId = "JOB_ID";

    DockerIT() throws IOException {
        readme = new DocumentedCommands(HOME.resolve("docker").resolve("README.md"));
    }

    @Test
    @Timeout(value = 34, unit = TimeUnit.MINUTES)
    void theClusterRunsAsTheReadmeSays() throws Exception {
        prepare();
        new ContainerEngine(Paths.get("target", "docker-it.log").toAbsolutePath())
                .assume("DockerIT");
        try (Shell shell =
                new Shell(
                        ContainerEngine.command("bash"),
                        DIRECTORY,
                        Duration.ofMinutes(20),
                        DIRECTORY.resolve("transcript.txt"))) {
            // not a cluster that somebody may have started by these commands
            shell.run("export COMPOSE_PROJECT_NAME=" + PROJECT);
            start(shell);
            rescale(shell);
            aTaskManagerThatEndsComesBack(shell);
            aReportThatCannotBeWrittenIsTold(shell);
            runAll(shell, "Experiment");
            assertExact("key-count", "meces");
            runAll(shell, "Kafka and Redis");
            assertExact("key-count-kafka-redis", "meces:kafka-redis");
            runAll(shell, "Stop");
            assertThat(ours(shell)).isEmpty();
        }
    }

    /**
     * The files of {@code docker/}, which the commands change, with what the image is made from.
     */
    private static void prepare() throws Exception {
        run("rm", "-rf", DIRECTORY.toString());
        Path target = DIRECTORY.resolve("flink-meces-dist").resolve("target");
        Files.createDirectories(target);
        String tarball = "flink-meces-" + System.getProperty("meces.version") + ".tar.gz";
        Files.copy(
                HOME.resolve("flink-meces-dist/target").resolve(tarball), target.resolve(tarball));
        assertThat(run("cp", "-r", HOME.resolve("docker").toString(), DIRECTORY.toString()))
                .isZero();
        run("rm", "-rf", DOCKER.resolve("reports").toString());
    }

    private void start(Shell shell) throws IOException {
        for (String command : readme.of("Start")) {
            if (!command.startsWith("mvn ")) {
                shell.run(command);
            }
        }
        // all four are healthy, or the command would have failed
        assertThat(slots(shell)).isEqualTo(SLOTS);
    }

    private void rescale(Shell shell) throws Exception {
        for (String command : readme.of("Rescale")) {
            if (command.contains("meces list")) {
                Await.until(() -> list(shell).contains(jobId + "  RUNNING"));
            }
            String printed = shell.run(command.replace("JOB_ID", jobId));
            if (command.contains("flink run")) {
                Matcher matcher = JOB_ID.matcher(printed);
                assertThat(matcher.find()).as(printed).isTrue();
                jobId = matcher.group(1);
            } else if (command.contains("--wait")) {
                assertThat(printed).contains("FINISHED");
                assertThat(list(shell)).contains("  parallelism 3 (up to 32)  count");
            }
        }
        Await.until(() -> overview(shell).path("slots-available").asInt() == SLOTS);
    }

    private void aTaskManagerThatEndsComesBack(Shell shell) throws Exception {
        shell.run("docker compose exec --index 1 taskmanager kill 1");
        Await.until(
                () ->
                        shell.run(
                                        "docker inspect --format '{{.RestartCount}}' $(docker compose ps -aq)")
                                .contains("1"));
        Await.until(() -> shell.run("docker compose ps").split("\\(healthy\\)", -1).length == 6);
        Await.until(() -> slots(shell) == SLOTS);
    }

    private void aReportThatCannotBeWrittenIsTold(Shell shell) throws IOException {
        shell.run("mkdir reports && chmod 755 reports");
        Shell.Result result = shell.tryOut("docker compose run --rm --user 4711 experiment");
        assertThat(result.exitCode).isEqualTo(1);
        assertThat(result.output)
                .contains("The report cannot be written to /reports/key-count")
                .contains("AccessDeniedException")
                .contains("name another place with --output");
    }

    private static void assertExact(String folder, String mechanism) throws IOException {
        Path reports = DOCKER.resolve("reports").resolve(folder);
        JsonNode report = new ObjectMapper().readTree(reports.resolve("report.json").toFile());
        JsonNode runs = report.path("workloads").path(0).path("runs");
        assertThat(runs).hasSize(1);
        assertThat(runs.path(0).path("mechanism").asText()).isEqualTo(mechanism);
        assertThat(runs.path(0).path("exact").asBoolean()).isTrue();
        assertThat(runs.path(0).path("result-rescale-records").asLong()).isPositive();
        assertThat(reports.resolve("key-count-latency.png")).isNotEmptyFile();
    }

    private static String ours(Shell shell) throws IOException {
        String ours = " -q --filter label=com.docker.compose.project=" + PROJECT;
        return shell.run(
                "docker ps -a" + ours + "; docker volume ls" + ours + "; docker network ls" + ours);
    }

    private static int slots(Shell shell) throws IOException {
        return overview(shell).path("slots-total").asInt();
    }

    private static JsonNode overview(Shell shell) throws IOException {
        return new ObjectMapper().readTree(shell.run("curl -fs http://localhost:8081/overview"));
    }

    private static String list(Shell shell) throws IOException {
        return shell.run("docker compose exec jobmanager /opt/flink-meces/bin/meces list");
    }

    private void runAll(Shell shell, String section) throws IOException {
        for (String command : readme.of(section)) {
            shell.run(command);
        }
    }

    private static int run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).inheritIO().start();
        if (!process.waitFor(1, TimeUnit.MINUTES)) {
            process.destroy();
            throw new IllegalStateException(String.join(" ", command) + " takes minutes.");
        }
        return process.exitValue();
    }
}
