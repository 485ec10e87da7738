// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.entrypoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.api.common.JobID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs the launcher in a process of its own, with the arguments that Flink's scripts give. */
@Timeout(120)
class MecesLauncherTest {

    private static final Pattern LISTENING =
            Pattern.compile("Rest endpoint listening at localhost:(\\d+)");

    private static final String END = "(end)";

    private static final String SESSION =
            "org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint";

    /** Stands in for a main class of Flink that is none of a JobManager. */
    static final class Other {

        public static void main(String[] args) {
            System.out.println("The other one has " + Arrays.asList(args));
            if (args[0].equals("fail")) {
                throw new IllegalStateException("It fails.");
            }
        }
    }

    @TempDir Path directory;

    private Process process;

    @AfterEach
    void stop() throws Exception {
        if (process == null) {
            return;
        }
        process.destroy();
        if (!process.waitFor(30, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
    }

    @Test
    void servesOurRequestsNextToFlinks() throws Exception {
        start("shuffle-service-factory.class: " + MecesComponents.SHUFFLE_SERVICE_FACTORY);
        String url = "http://localhost:" + logged(LISTENING).group(1);

        // Flink listens before its dispatcher is elected.
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (status(url + "/overview") == HttpURLConnection.HTTP_UNAVAILABLE
                && System.nanoTime() < deadline) {
            LockSupport.parkNanos(50_000_000);
        }
        assertThat(status(url + "/overview")).isEqualTo(200);
        assertThat(status(url + "/jobs/" + new JobID() + "/elasticity")).isEqualTo(404);
        assertThat(status(url + "/jobs/" + new JobID() + "/rescales")).isEqualTo(404);
    }

    @Test
    void refusesToStartWithFlinksOwnDataPlane() throws Exception {
        start("parallelism.default: 1");
        logged(
                Pattern.compile(
                        "shuffle-service-factory.class is .*NettyShuffleServiceFactory\\. Set it to "
                                + Pattern.quote(MecesComponents.SHUFFLE_SERVICE_FACTORY)));
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isNotZero();
    }

    @Test
    void refusesToStartWithAnotherScheduler() throws Exception {
        start(
                "shuffle-service-factory.class: " + MecesComponents.SHUFFLE_SERVICE_FACTORY,
                "jobmanager.scheduler: legacy");
        logged(Pattern.compile("jobmanager.scheduler is legacy, .* Remove the option"));
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isNotZero();
    }

    @Test
    void refusesToStartWithAStrategyThatIsNone() throws Exception {
        start(
                "shuffle-service-factory.class: " + MecesComponents.SHUFFLE_SERVICE_FACTORY,
                "meces.rescale.strategy: com.example.Missing");
        logged(
                Pattern.compile(
                        "meces\\.rescale\\.strategy: There is no strategy"
                                + " 'com\\.example\\.Missing': it can be one of"));
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isNotZero();
    }

    @Test
    void startsWhatIsNoJobManagerAsItIs() throws Exception {
        launch(Other.class.getName(), "--configDir", "a b", "-Dx=y");
        logged(Pattern.compile("The other one has \\[--configDir, a b, -Dx=y]"));
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
    }

    @Test
    void failsAsWhatItStarts() throws Exception {
        launch(Other.class.getName(), "fail");
        logged(
                Pattern.compile(
                        "Exception in thread \"main\" java.lang.IllegalStateException: It fails"));
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(1);
    }

    @Test
    void needsToBeToldWhatToStart() throws Exception {
        launch();
        logged(Pattern.compile("The name of a main class of Flink is missing"));
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(1);
    }

    /** One whose name is misspelt would be started as it is: a stock JobManager. */
    @Test
    void hasAJobManagerForAllOfFlinksOnThisClassPath() throws Exception {
        for (String mainClass :
                Arrays.asList(
                        SESSION,
                        "org.apache.flink.kubernetes.entrypoint.KubernetesSessionClusterEntrypoint",
                        "org.apache.flink.kubernetes.entrypoint.KubernetesApplicationClusterEntrypoint",
                        "org.apache.flink.yarn.entrypoint.YarnSessionClusterEntrypoint",
                        "org.apache.flink.yarn.entrypoint.YarnJobClusterEntrypoint",
                        "org.apache.flink.yarn.entrypoint.YarnApplicationClusterEntryPoint")) {
            assertThat(MecesLauncher.inPlaceOf(mainClass)).as(mainClass).isNotNull();
            assertThat(getClass().getResource("/" + mainClass.replace('.', '/') + ".class"))
                    .as(mainClass)
                    .isNotNull();
        }
        for (String mainClass :
                Arrays.asList(
                        "org.apache.flink.runtime.taskexecutor.TaskManagerRunner",
                        "org.apache.flink.kubernetes.taskmanager.KubernetesTaskExecutorRunner",
                        "org.apache.flink.yarn.YarnTaskExecutorRunner",
                        "org.apache.flink.client.cli.CliFrontend")) {
            assertThat(MecesLauncher.inPlaceOf(mainClass)).as(mainClass).isNull();
        }
    }

    private void start(String... configuration) throws IOException {
        Files.write(directory.resolve("flink-conf.yaml"), Arrays.asList(configuration));
        launch(
                SESSION,
                "--configDir",
                directory.toString(),
                "--host",
                "localhost",
                "--webui-port",
                "0",
                "-Djobmanager.rpc.port=0",
                "-Dio.tmp.dirs=" + directory,
                "-Dweb.tmpdir=" + directory,
                "-Dblob.storage.directory=" + directory);
    }

    private void launch(String... arguments) throws IOException {
        Path logging = directory.resolve("log4j2.properties");
        Files.write(
                logging,
                Arrays.asList(
                        "rootLogger.level = INFO",
                        "rootLogger.appenderRef.out.ref = Out",
                        "appender.out.name = Out",
                        "appender.out.type = Console",
                        "appender.out.layout.type = PatternLayout",
                        "appender.out.layout.pattern = %p %c{1} %m%n%xEx"));
        List<String> command = new ArrayList<>();
        command.add(Paths.get(System.getProperty("java.home"), "bin", "java").toString());
        for (String argument : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            if (argument.startsWith("--add-")) {
                command.add(argument);
            }
        }
        command.addAll(
                Arrays.asList(
                        "-Xmx256m",
                        "-Dlog4j.configurationFile=" + logging.toUri(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        MecesLauncher.class.getName()));
        command.addAll(Arrays.asList(arguments));
        process = new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    /** Waits for a line of the log, for no longer than a minute. */
    private Matcher logged(Pattern pattern) throws InterruptedException {
        BlockingQueue<String> lines = new LinkedBlockingQueue<>();
        Thread reader = new Thread(() -> read(lines), "log of the entry point");
        reader.setDaemon(true);
        reader.start();
        List<String> seen = new ArrayList<>();
        for (String line = lines.poll(60, TimeUnit.SECONDS);
                line != null && !line.equals(END);
                line = lines.poll(60, TimeUnit.SECONDS)) {
            seen.add(line);
            Matcher matcher = pattern.matcher(line);
            if (matcher.find()) {
                return matcher;
            }
        }
        throw new AssertionError("The process has not logged " + pattern + ": " + seen);
    }

    /** To the end: else the process would wait for the pipe. */
    private void read(BlockingQueue<String> lines) {
        try (BufferedReader log =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = log.readLine(); line != null; line = log.readLine()) {
                lines.add(line);
            }
        } catch (IOException e) {
            lines.add("The process was stopped: " + e);
        }
        lines.add(END);
    }

    private static int status(String url) throws IOException {
        HttpURLConnection connection = (HttpURLConnection) new URL(url).openConnection();
        try {
            return connection.getResponseCode();
        } finally {
            connection.disconnect();
        }
    }
}
