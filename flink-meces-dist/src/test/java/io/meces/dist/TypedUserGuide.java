// SPDX-License-Identifier: Apache-2.0
package io.meces.dist;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.RescaleDetails;
import io.meces.api.RescaleStatus;
import io.meces.experiments.cluster.FlinkClient;
import io.meces.servers.FreePorts;
import io.meces.servers.KafkaBroker;
import io.meces.servers.ProcessGroup;
import io.meces.servers.ServerFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Types the commands of the user guide: installs the distribution into a stock Flink, starts both
 * by their scripts, submits the example by {@code bin/flink}, rescales it by {@code bin/meces} and
 * by {@code curl} under load, and counts. Without an archive of that Flink the test is skipped, and
 * says why.
 */
abstract class TypedUserGuide {
    private static final Path HOME = Paths.get(System.getProperty("meces.home"));

    private static final String ARGUMENT = "-Dweb.refresh-interval=4321";
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final Pattern JOB_ID = Pattern.compile("JobID ([0-9a-f]{32})");
    private static final Pattern RESCALE_ID = Pattern.compile("\"id\":\"([^\"]+)\"");

    private final String version;
    private final FlinkLine line;
    private final Path directory;
    private final Path flinkHome;
    private final Path pids;
    private final int[] ports = FreePorts.find(2);
    private final FlinkClient client = new FlinkClient("localhost:" + ports[0]);
    private final DocumentedCommands guide =
            new DocumentedCommands(HOME.resolve("docs").resolve("user-guide.md"));
    private final DocumentedCommands services =
            new DocumentedCommands(HOME.resolve("docs").resolve("transition-services.md"));
    private String kafkaAddress = "localhost:9092";
    private String jobId = "JOB_ID";
    private String rescaleId = "RESCALE_ID";
    private Daemons daemons;

    /**
     * The test with a release of Flink.
     *
     * @throws IllegalArgumentException if there is no distribution for it
     */
    TypedUserGuide(String version) throws IOException {
        this.version = version;
        this.line = FlinkLine.of(version);
        this.directory = Paths.get("target", "stock-distribution", version).toAbsolutePath();
        this.flinkHome = directory.resolve("flink");
        this.pids = directory.resolve("pids");
    }

    @Test
    @Timeout(value = 14, unit = TimeUnit.MINUTES)
    void theUserGuideHoldsOnAStockFlink() throws Exception {
        prepare();
        try (Daemons started = new Daemons(pids);
                ProcessGroup processes = new ProcessGroup("stock");
                Shell shell =
                        new Shell(
                                directory,
                                Duration.ofMinutes(12),
                                directory.resolve("transcript.txt"))) {
            daemons = started;
            install(shell);
            start(shell);
            KafkaBroker kafka = startKafka(processes);
            countUnderRescales(shell, kafka, processes);
            stop(shell);
            application(shell);
            uninstall(shell);
        }
    }

    private void prepare() throws Exception {
        StockInstallation flink = StockInstallation.prepare(version, HOME, directory);
        StockInstallation.delete(directory.resolve("checkpoints"));
        if (line == FlinkLine.V2_3) {
            // nobody reads it any more
            Files.createFile(flinkHome.resolve("conf").resolve("flink-conf.yaml"));
        }
        // this machine runs other things
        flink.configure(
                "rest.port: " + ports[0],
                "jobmanager.rpc.port: " + ports[1],
                "env.pid.dir: " + pids,
                // the two TaskManagers start at once, and their memory is not what is tested
                "jobmanager.memory.process.size: 1000m",
                "taskmanager.memory.process.size: 1400m");
    }

    private void install(Shell shell) throws IOException {
        StockInstallation.install(
                shell,
                guide.of(line.section).stream().map(this::adapted).collect(Collectors.toList()),
                command -> {
                    if (command.startsWith("cd ")) {
                        assertRefusal(shell, "env -u FLINK_HOME ", "FLINK_HOME is not set");
                        assertRefusal(
                                shell,
                                "",
                                "The jar of flink-meces is not in " + flinkHome + "/lib");
                        otherVersion(shell);
                    } else if (command.startsWith("cp lib/")) {
                        assertRefusal(
                                shell,
                                "",
                                "A key is missing in "
                                        + flinkHome.resolve("conf").resolve(line.configuration));
                        // what is only used on demand harms nobody
                        for (String more : services.of("Kafka and Redis")) {
                            shell.run(adapted(more));
                        }
                    } else if (command.startsWith("cat conf/meces.yaml")
                            && line == FlinkLine.V1_12) {
                        assertRefusal(
                                shell,
                                "",
                                "needs flags that are missing in "
                                        + flinkHome.resolve("conf").resolve(line.configuration));
                    }
                });
    }

    private void otherVersion(Shell shell) throws IOException {
        Path other = directory.resolve("other-flink");
        shell.run("mkdir -p " + other + "/lib && cp -r $FLINK_HOME/bin " + other);
        shell.run("touch " + other + "/lib/flink-dist_2.12-1.13.2.jar");
        assertRefusal(
                shell,
                "FLINK_HOME=" + other + " ",
                "The Flink in "
                        + other
                        + " is 1.13.2. This flink-meces needs "
                        + line.number
                        + ".x.");
        shell.run("rm -r " + other);
    }

    private static void assertRefusal(Shell shell, String prefix, String reason)
            throws IOException {
        Shell.Result result = shell.tryOut(prefix + "bin/meces-jobmanager.sh start");
        assertThat(result.output).contains(reason);
        assertThat(result.exitCode).isEqualTo(1);
    }

    private void start(Shell shell) throws Exception {
        List<String> before = sizes();
        runAll(shell, "Start");
        Await.until(() -> client.slots() == 4);
        // the JobManager has got its arguments
        assertThat(shell.run(adapted("curl -s localhost:8081/config"))).contains(":4321,");
        assertThat(Files.list(pids)).isNotEmpty();
        // nothing of the installation is written to but its log directory
        assertThat(sizes()).isEqualTo(before);
    }

    private KafkaBroker startKafka(ProcessGroup processes) throws Exception {
        KafkaBroker kafka =
                KafkaBroker.start(
                        new ServerFiles(HOME), processes, directory.resolve("kafka-logs"));
        kafka.awaitReady(PATIENCE);
        kafkaAddress = kafka.address();
        return kafka;
    }

    private void countUnderRescales(Shell shell, KafkaBroker kafka, ProcessGroup processes)
            throws Exception {
        try (CountedJob job = new CountedJob(kafka, "events", "results", processes)) {
            submit(shell);
            job.start(client, jobId);
            rescale(shell);
            shell.note(job.assertExact(client, jobId, 0, 1, 2, 3));
        }
    }

    private void submit(Shell shell) throws Exception {
        String printed = runAll(shell, "Run a job");
        jobId = group(JOB_ID, printed);
        Await.until(() -> client.allRunning(jobId, 2));
    }

    private void rescale(Shell shell) throws Exception {
        for (String command : guide.of("Rescale")) {
            String printed = shell.run(adapted(command));
            if (command.contains("-X POST")) {
                awaitRescale(printed);
                assertParallelism(shell, 4);
            } else if (command.contains("--wait")) {
                assertThat(printed).contains("FINISHED");
                assertParallelism(shell, command.contains("--parallelism 3") ? 3 : 2);
            } else if (command.contains("RESCALE_ID")) {
                assertThat(printed).contains("FINISHED");
            }
        }
        String outByCurl =
                guide.of("Rescale").stream()
                        .filter(command -> command.contains("-X POST"))
                        .findFirst()
                        .get();
        assertThat(outByCurl).contains("\"parallelism\":4");
        awaitRescale(
                shell.run(adapted(outByCurl.replace("\"parallelism\":4", "\"parallelism\":2"))));
        assertParallelism(shell, 2);
    }

    private void awaitRescale(String accepted) throws Exception {
        rescaleId = group(RESCALE_ID, accepted);
        Await.until(
                () -> {
                    RescaleDetails status = client.rescale(jobId, rescaleId);
                    assertThat(status.failure()).isNull();
                    return status.status() == RescaleStatus.FINISHED;
                });
    }

    private void assertParallelism(Shell shell, int parallelism) throws IOException {
        assertThat(shell.run(adapted("bin/meces list --jobmanager localhost:8081")))
                .contains("  parallelism " + parallelism + " (up to 32)  count");
    }

    private void stop(Shell shell) throws Exception {
        List<String> processes = daemons.pids();
        assertThat(processes).hasSize(3);
        runAll(shell, "Stop");
        for (String pid : processes) {
            assertThat(shell.tryOut("kill -0 " + pid).exitCode).isNotZero();
        }
        assertThat(daemons.pids()).isEmpty();
    }

    /** A JobManager that runs one application, from its start to the end of the process. */
    private void application(Shell shell) throws Exception {
        for (String command : guide.of("Application mode")) {
            if (command.startsWith("bin/meces list")) {
                Await.until(() -> client.slots() == 4 && client.jobs().size() == 1);
                jobId = client.jobs().get(0).id;
                Await.until(() -> client.allRunning(jobId, 2));
            }
            String printed = shell.run(adapted(command));
            if (command.startsWith("bin/meces list")) {
                assertThat(printed).contains(jobId + "  RUNNING  saturated-count");
            } else if (command.contains("--wait")) {
                assertThat(printed).contains("FINISHED");
                assertParallelism(shell, 3);
            } else if (command.contains("flink cancel")) {
                Await.until(() -> shell.tryOut("kill -0 " + jobManager()).exitCode != 0);
            }
        }
        assertThat(logs("standalonejob"))
                .hasSize(1)
                .allSatisfy(log -> assertThat(log).contains("with exit code 0"));
        if (line != FlinkLine.V1_12) {
            assertThat(logs("taskexecutor"))
                    .anySatisfy(log -> assertThat(log).contains("MecesRocksDBStateBackend"));
        }
    }

    /** What is left is a stock Flink. */
    private void uninstall(Shell shell) throws Exception {
        runAll(shell, "Uninstall");
        String page = "curl -s -o page -w '%{http_code}' " + client.address();
        Await.until(() -> shell.tryOut(page + "/overview").output.startsWith("200"));
        assertThat(shell.run(page + "/meces/openapi.json")).startsWith("404");
        assertThat(shell.tryOut("ls $FLINK_HOME/lib | grep -i meces").output).isEmpty();
        assertThat(shell.run("grep -h '^[^#]*meces' $FLINK_HOME/conf/*.yaml || true"))
                .doesNotContain("io.meces", "meces.");
        shell.run("$FLINK_HOME/bin/jobmanager.sh stop");
    }

    private List<String> logs(String process) throws IOException {
        List<String> logs = new ArrayList<>();
        try (Stream<Path> files = Files.list(flinkHome.resolve("log"))) {
            for (Path file : files.collect(Collectors.toList())) {
                if (file.toString().matches(".*" + process + ".*[.]log")) {
                    logs.add(new String(Files.readAllBytes(file), StandardCharsets.UTF_8));
                }
            }
        }
        return logs;
    }

    private String jobManager() throws IOException {
        try (Stream<Path> files = Files.list(pids)) {
            Path file =
                    files.filter(f -> f.toString().endsWith("standalonejob.pid")).findAny().get();
            return Files.readAllLines(file, StandardCharsets.UTF_8).get(0);
        }
    }

    private String runAll(Shell shell, String section) throws IOException {
        StringBuilder printed = new StringBuilder();
        for (String command : guide.of(section)) {
            printed.append(shell.run(adapted(command)));
        }
        return printed.toString();
    }

    /** With what is other here than in the guide. */
    private String adapted(String command) {
        return command.replace("/opt/flink", flinkHome.toString())
                .replace("meces-jobmanager.sh start", "meces-jobmanager.sh start " + ARGUMENT)
                // the job before has its state on the heap
                .replace(
                        "meces-standalone-job.sh start",
                        "meces-standalone-job.sh start"
                                + (line == FlinkLine.V1_12 ? "" : " -Dstate.backend.type=rocksdb"))
                .replace(
                        "file:///tmp/flink-checkpoints",
                        directory.resolve("checkpoints").toUri().toString())
                .replace("localhost:8081", client.address())
                .replace("localhost:9092", kafkaAddress)
                .replace("JOB_ID", jobId)
                .replace("RESCALE_ID", rescaleId);
    }

    private static String group(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        assertThat(matcher.find()).as(pattern + " in " + text).isTrue();
        return matcher.group(1);
    }

    private List<String> sizes() throws IOException {
        try (Stream<Path> files = Files.walk(flinkHome)) {
            return files.filter(file -> !file.startsWith(flinkHome.resolve("log")))
                    .map(file -> file + " " + file.toFile().length())
                    .sorted()
                    .collect(Collectors.toList());
        }
    }
}
