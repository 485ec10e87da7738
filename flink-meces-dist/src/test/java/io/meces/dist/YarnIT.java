// SPDX-License-Identifier: Apache-2.0
package io.meces.dist;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.experiments.cluster.FlinkClient;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.YarnApplicationState;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Types the commands of the section YARN of the user guide, with its line of configuration: the
 * distribution in a stock Flink of each line submits to a YARN of this JVM, whose containers are
 * processes. The job is rescaled with a container that is started for it, and back, and has to be
 * exact.
 */
@Tag("full")
@Tag("stock-distribution")
class YarnIT {
    private static final Pattern APPLICATION = Pattern.compile("(application_[0-9]+_[0-9]+)");
    private static final Pattern ADDRESS =
            Pattern.compile("Found Web Interface ([^ :]+:[0-9]+) of application");
    private static final Path DIRECTORY = Paths.get("target", "yarn").toAbsolutePath();

    private static MiniYarn yarn;

    private GuidedInstallation installation;
    private Shell shell;
    private String mode;
    private String application;
    private String jobId;
    private FlinkClient client;

    @BeforeAll
    static void start() throws Exception {
        StockInstallation.delete(DIRECTORY.resolve("cluster"));
        yarn = new MiniYarn(DIRECTORY.resolve("cluster"));
    }

    @AfterAll
    static void stop() {
        if (yarn != null) {
            yarn.close();
        }
    }

    static List<String> releases() {
        return FlinkLine.sampledReleases();
    }

    @ParameterizedTest
    @MethodSource("releases")
    @Timeout(value = 19, unit = TimeUnit.MINUTES)
    void theCommandsOfTheGuide(String release) throws Exception {
        try (GuidedInstallation installed =
                new GuidedInstallation(release, "yarn", "YARN", Duration.ofMinutes(18))) {
            installation = installed;
            shell = installed.shell;
            Path staging = installed.directory.resolve("staging");
            StockInstallation.delete(staging);
            installed.flink.configure(
                    "yarn.staging-directory: " + staging.toUri(),
                    "jobmanager.memory.process.size: 1000m",
                    "taskmanager.memory.process.size: 1200m");
            shell.run("export HADOOP_CONF_DIR=" + yarn.configurationDirectory());
            shell.run("export PATH=" + yarn.commands() + ":$PATH");
            installed.startKafka();
            if (installed.flink.line.hasYarnPerJob) {
                rescaled("yarn-per-job", "YarnJobClusterEntrypoint");
            }
            rescaled("yarn-session", "YarnSessionClusterEntrypoint");
            rescaled("yarn-application", "YarnApplicationClusterEntryPoint");
        }
    }

    /**
     * Runs the job in a mode, rescales it to 3 and to 2, and ends it.
     *
     * @param flinks the main class that ours takes the place of
     */
    private void rescaled(String target, String flinks) throws Exception {
        mode = target;
        application = "APPLICATION_ID";
        jobId = "JOB_ID";
        client = null;
        try (CountedJob job = installation.countedJob(mode)) {
            for (String command : commands()) {
                if (command.contains("bin/meces list")) {
                    Await.until(() -> client.jobs().size() == 1);
                    jobId = client.jobs().get(0).id;
                    Await.until(() -> client.allRunning(jobId, 2));
                    job.start(client, jobId);
                } else if (command.contains("flink cancel")) {
                    shell.note(job.assertExact(client, jobId, 0, 1, 2));
                }
                String printed = shell.run(adapted(command));
                Matcher address = ADDRESS.matcher(printed);
                if (address.find()) {
                    client = new FlinkClient(address.group(1));
                    application = find(APPLICATION, printed);
                } else if (command.contains("bin/meces list")) {
                    assertThat(printed)
                            .contains(jobId + "  RUNNING  key-count")
                            .contains("  parallelism 2 (up to 32)  count");
                    assertThat(client.slots()).isEqualTo(2);
                } else if (command.contains("bin/meces rescale")) {
                    assertThat(printed).contains("FINISHED");
                    int parallelism = command.contains("--parallelism 3") ? 3 : 2;
                    assertThat(shell.run(adapted("bin/meces list --jobmanager HOST:PORT")))
                            .contains("  parallelism " + parallelism + " (up to 32)  count");
                }
            }
        }
        Await.until(
                () ->
                        yarn.application(application).getYarnApplicationState()
                                == YarnApplicationState.FINISHED);
        assertThat(yarn.application(application).getFinalApplicationStatus())
                .isIn(FinalApplicationStatus.SUCCEEDED, FinalApplicationStatus.KILLED);
        assertThat(yarn.jobManagerLog(application))
                .contains("flink-meces in place of org.apache.flink.yarn.entrypoint." + flinks);
    }

    /** Those of the guide that are for all, and for this mode. */
    private List<String> commands() {
        return installation.commands().stream()
                .filter(
                        command ->
                                !command.contains("yarn-")
                                        || command.contains("-t " + mode)
                                        || command.contains("bin/yarn-session.sh")
                                                && mode.equals("yarn-session"))
                .collect(Collectors.toList());
    }

    private String adapted(String command) {
        return installation
                .adapted(installation.flink.line.command(command), mode)
                .replace("HOST:PORT", client == null ? "HOST:PORT" : client.address())
                .replace("APPLICATION_ID", application)
                .replace("JOB_ID", jobId);
    }

    private static String find(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        assertThat(matcher.find()).as(pattern + " in " + text).isTrue();
        return matcher.group(1);
    }
}
