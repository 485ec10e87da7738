// SPDX-License-Identifier: Apache-2.0
package io.meces.dist;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.experiments.cluster.FlinkClient;
import io.meces.servers.FreePorts;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Asks a running JobManager, with a job, what {@code docs/openapi.json} allows and what it does
 * not, and holds each answer against that: statuses, members, no stack traces. Schemathesis makes
 * up the requests; it is installed by pip, without which the test is skipped.
 */
@Tag("full")
@Tag("network")
@Tag("stock-distribution")
class OpenApiIT {
    private static final Path HOME = Paths.get(System.getProperty("meces.home"));
    private static final Path RESOURCES =
            HOME.resolve("flink-meces-dist/src/test/resources/openapi");
    private static final Path VENV = Paths.get("target", "openapi", "venv").toAbsolutePath();
    private static final String SCHEMATHESIS = "schemathesis==4.32.5";
    private static final Pattern JOB_ID = Pattern.compile("JobID ([0-9a-f]{32})");
    private static final Pattern ANY_ID = Pattern.compile("\"id\":\"([0-9a-f]{32})\"");

    private final int[] ports = FreePorts.find(2);
    private final FlinkClient client = new FlinkClient("localhost:" + ports[0]);

    OpenApiIT() throws IOException {}

    @ParameterizedTest
    @ValueSource(strings = {"1.12.5", "1.20.5", "2.3.0"})
    @Timeout(value = 12, unit = TimeUnit.MINUTES)
    void everyAnswerIsAsTheDocumentSays(String version) throws Exception {
        Path directory = Paths.get("target", "openapi", version).toAbsolutePath();
        StockInstallation flink = StockInstallation.prepare(version, HOME, directory);
        StockInstallation.delete(directory.resolve("checkpoints"));
        flink.configure(
                "rest.port: " + ports[0],
                "jobmanager.rpc.port: " + ports[1],
                "env.pid.dir: " + directory.resolve("pids"),
                // of the line that it is; others are not read
                "akka.startup-timeout: 1 min",
                "pekko.startup-timeout: 1 min",
                "jobmanager.memory.process.size: 1000m",
                "taskmanager.memory.process.size: 1400m");
        try (Daemons daemons = new Daemons(directory.resolve("pids"));
                Shell shell =
                        new Shell(
                                directory,
                                Duration.ofMinutes(11),
                                directory.resolve("transcript.txt"))) {
            getSchemathesis(shell);
            StockInstallation.install(
                    shell,
                    new DocumentedCommands(HOME.resolve("docs/user-guide.md"))
                            .of(flink.line.section).stream()
                                    .map(command -> adapted(command, directory))
                                    .collect(Collectors.toList()),
                    command -> {});
            String job = startJob(shell);
            String vertex =
                    find(
                            ANY_ID,
                            shell.run("curl -s " + address() + "/jobs/" + job + "/elasticity"));

            // ids that are none, or of nothing
            ask(shell, "anything", "");
            // what is there
            shell.run(
                    "bin/meces rescale "
                            + job
                            + " --vertex count --parallelism 2 --wait --jobmanager "
                            + address());
            String rescale =
                    find(ANY_ID, shell.run("curl -s " + address() + "/jobs/" + job + "/rescales"));
            ask(
                    shell,
                    "the-job",
                    String.format(
                            "[parameters]\njobid = \"%s\"\nvertexid = \"%s\"\nrescaleid = \"%s\"\n",
                            job, vertex, rescale));

            assertThat(shell.run("cat $FLINK_HOME/log/*standalonesession*.log"))
                    .doesNotContain("Cannot answer", "Unhandled exception");
            assertThat(shell.run("curl -s " + address() + "/jobs/" + job + "/details"))
                    .contains("\"state\":\"RUNNING\"");
            assertThat(daemons.pids()).hasSize(2);
        }
    }

    private static void getSchemathesis(Shell shell) throws IOException {
        Shell.Result pip =
                shell.tryOut(
                        "python3 -m venv "
                                + VENV
                                + " && "
                                + VENV
                                + "/bin/pip -q install "
                                + SCHEMATHESIS);
        Assumptions.assumeTrue(pip.exitCode == 0, pip.output);
    }

    private String startJob(Shell shell) throws Exception {
        shell.run("bin/meces-jobmanager.sh start");
        shell.run("$FLINK_HOME/bin/taskmanager.sh start");
        Await.until(() -> client.slots() == 2);
        String job =
                find(
                        JOB_ID,
                        shell.run(
                                "$FLINK_HOME/bin/flink run -d -c"
                                        + " io.meces.examples.saturation.SaturatedCountJob"
                                        + " examples/flink-meces-examples-*-job.jar"
                                        + " --parallelism 1"));
        Await.until(() -> client.allRunning(job, 1));
        return job;
    }

    private void ask(Shell shell, String name, String parameters) throws IOException {
        String file = "../schemathesis-" + name + ".toml";
        shell.run("printf '" + parameters.replace("\n", "\\n") + "\\n' > " + file);
        shell.run("cat " + RESOURCES.resolve("schemathesis.toml") + " >> " + file);
        String printed =
                shell.run(
                        "PYTHONPATH="
                                + RESOURCES
                                + " SCHEMATHESIS_HOOKS=hooks "
                                + VENV
                                + "/bin/st --config-file "
                                + file
                                + " run http://"
                                + address()
                                + "/meces/openapi.json --url http://"
                                + address()
                                + " --max-examples 100 --seed 1 --generation-deterministic"
                                + " --request-timeout 30 --continue-on-failure --no-color");
        assertThat(printed).containsPattern("\\d+ generated, (\\d+) passed");
    }

    private String address() {
        return client.address();
    }

    private static String adapted(String command, Path directory) {
        return command.replace("/opt/flink", directory.resolve("flink").toString())
                .replace(
                        "file:///tmp/flink-checkpoints",
                        directory.resolve("checkpoints").toUri().toString());
    }

    private static String find(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        assertThat(matcher.find()).as(pattern + " in " + text).isTrue();
        return matcher.group(1);
    }
}
