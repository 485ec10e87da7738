// SPDX-License-Identifier: Apache-2.0
package io.meces.dist;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.experiments.cluster.FlinkClient;
import io.meces.servers.FreePorts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
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
 * Types the quick start, in a copy of this repository without what has been built: builds the
 * distributions, writes the job of the document, tests, submits and rescales it. Artifacts of ours
 * go into a local repository of its own, which has all others of the user's by links.
 */
@Tag("full")
@Tag("network")
@Tag("stock-distribution")
class QuickStartIT {
    private static final Path HOME = Paths.get(System.getProperty("meces.home"));
    private static final Path DIRECTORY = Paths.get("target", "quick-start").toAbsolutePath();
    private static final Pattern JOB_ID = Pattern.compile("JobID ([0-9a-f]{32})");
    private static final Pattern RESULT = Pattern.compile("\\d+ has come \\d+ times");

    private final int[] ports = FreePorts.find(2);
    private final FlinkClient client = new FlinkClient("localhost:" + ports[0]);
    private String jobId = "JOB_ID";

    QuickStartIT() throws IOException {}

    @Test
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void theQuickStartHolds() throws Exception {
        StockInstallation flink = StockInstallation.prepare("1.20.5", HOME, DIRECTORY);
        flink.configure(
                "rest.port: " + ports[0],
                "jobmanager.rpc.port: " + ports[1],
                "env.pid.dir: " + DIRECTORY.resolve("pids"),
                "jobmanager.memory.process.size: 1000m",
                "taskmanager.memory.process.size: 1400m");
        for (String old : new String[] {"checkpoints", "checkout", "my-job", "repository"}) {
            StockInstallation.delete(DIRECTORY.resolve(old));
        }
        try (Daemons daemons = new Daemons(DIRECTORY.resolve("pids"));
                Shell shell =
                        new Shell(
                                DIRECTORY,
                                Duration.ofMinutes(28),
                                DIRECTORY.resolve("transcript.txt"))) {
            shell.run("unset FLINK_HOME FLINK_CONF_DIR MECES_HOME");
            shell.run("export JAVA_HOME=" + System.getProperty("java.home"));
            shell.run("mkdir checkout && cd checkout");
            shell.run("tar c -C " + HOME + " --exclude=target --exclude=.git . | tar x");
            linkRepository(shell);
            for (TypedDocument.Step step :
                    new TypedDocument(HOME.resolve("docs").resolve("quick-start.md")).steps()) {
                if (step.file == null) {
                    type(shell, step.text, daemons);
                } else {
                    Files.write(
                            DIRECTORY.resolve("my-job").resolve(step.file),
                            step.text.getBytes(StandardCharsets.UTF_8));
                }
            }
            assertThat(daemons.pids()).isEmpty();
        }
        assertThat(DIRECTORY.resolve("my-job/target/surefire-reports")).isNotEmptyDirectory();
    }

    /** All but what is ours. */
    private static void linkRepository(Shell shell) throws IOException {
        String users =
                System.getProperty(
                        "maven.repo.local", System.getProperty("user.home") + "/.m2/repository");
        shell.run("mkdir ../repository && ln -s " + users + "/* ../repository");
        shell.run("rm ../repository/io && mkdir ../repository/io");
        shell.run("ln -s " + users + "/io/* ../repository/io && rm -f ../repository/io/meces");
    }

    private void type(Shell shell, String command, Daemons daemons) throws Exception {
        if (command.contains("meces list")) {
            Await.until(() -> client.allRunning(jobId, 2));
        }
        long start = System.nanoTime();
        String printed = shell.run(adapted(command));
        if (command.startsWith("mvn")) {
            shell.note(Duration.ofNanos(System.nanoTime() - start).getSeconds() + " s");
        } else if (command.contains("taskmanager.sh start")) {
            Await.until(() -> client.slots() == 4);
        } else if (command.contains("flink run")) {
            Matcher id = JOB_ID.matcher(printed);
            assertThat(id.find()).as(printed).isTrue();
            jobId = id.group(1);
        } else if (command.contains("meces list")) {
            assertThat(printed).contains("parallelism 2 (up to 32)  count");
        } else if (command.contains("--wait")) {
            assertThat(printed).contains("FINISHED");
        } else if (command.startsWith("tail")) {
            assertThat(printed).containsPattern(RESULT);
        }
    }

    private String adapted(String command) {
        return command.replace("/opt/flink", DIRECTORY.resolve("flink").toString())
                .replace("mvn ", "mvn -Dmaven.repo.local=" + DIRECTORY.resolve("repository") + " ")
                .replace(
                        "file:///tmp/flink-checkpoints",
                        DIRECTORY.resolve("checkpoints").toUri().toString())
                .replace("localhost:8081", client.address())
                .replace("JOB_ID", jobId);
    }
}
