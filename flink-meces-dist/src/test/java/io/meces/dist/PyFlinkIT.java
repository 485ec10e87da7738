// SPDX-License-Identifier: Apache-2.0
package io.meces.dist;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.meces.api.Elasticity;
import io.meces.api.RescaleDetails;
import io.meces.api.RescaleRequest;
import io.meces.api.RescaleStatus;
import io.meces.experiments.cluster.FlinkClient;
import io.meces.servers.FreePorts;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A job in Python, whose functions run in processes of Python's, is rescaled at random on a stock
 * Flink, {@code mvn verify -Ppython}. PyFlink of 1.12 needs Python 3.7 or 3.8 ({@code
 * -Dpyflink.python=...}); without one the test is skipped, and says so.
 */
@Tag("python")
class PyFlinkIT {
    private static final String VERSION = "1.12.5";
    private static final Path HOME = Paths.get(System.getProperty("meces.home"));
    private static final Path DIRECTORY = Paths.get("target", "pyflink").toAbsolutePath();
    private static final Path PIDS = DIRECTORY.resolve("pids");
    private static final Path RESULTS = DIRECTORY.resolve("results");
    private static final Pattern JOB_ID = Pattern.compile("JobID ([0-9a-f]{32})");
    private static final int RESCALES = 6;

    /** They last for five minutes, longer than the rescales. */
    private static final int NUMBERS = 30_000;

    private static final int PER_SECOND = 100;

    private final int[] ports = FreePorts.find(2);
    private final FlinkClient client = new FlinkClient("localhost:" + ports[0]);

    PyFlinkIT() throws IOException {}

    @Test
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void reduceIsExact() throws Exception {
        StockInstallation stock = StockInstallation.prepare(VERSION, HOME, DIRECTORY);
        StockInstallation.delete(RESULTS);
        stock.configure(
                "rest.port: " + ports[0],
                "jobmanager.rpc.port: " + ports[1],
                "env.pid.dir: " + PIDS,
                "jobmanager.memory.process.size: 1000m",
                "taskmanager.memory.process.size: 1800m");
        Path program = DIRECTORY.resolve("sums.py");
        try (InputStream in = PyFlinkIT.class.getResourceAsStream("sums.py")) {
            Files.copy(in, program, StandardCopyOption.REPLACE_EXISTING);
        }
        try (Daemons daemons = new Daemons(PIDS);
                Shell shell =
                        new Shell(
                                DIRECTORY,
                                Duration.ofMinutes(18),
                                DIRECTORY.resolve("transcript.txt"))) {
            Path python = python(shell);
            start(shell, stock, python);
            String job = submit(shell, stock, python, program);
            rescaleAtRandom(job);
            assertThat(daemons.pids()).hasSize(2);
            assertExact();
        }
    }

    /** A Python of its own with PyFlink, which is installed once. */
    private static Path python(Shell shell) throws IOException {
        Path environment =
                Paths.get(System.getProperty("user.home"))
                        .resolve(".cache/flink-meces/pyflink-" + VERSION);
        Path done = environment.resolve("installed");
        if (!Files.exists(done)) {
            String interpreter =
                    Stream.of(System.getProperty("pyflink.python"), "python3.8", "python3.7")
                            .filter(Objects::nonNull)
                            .filter(name -> runs(shell, name))
                            .findFirst()
                            .orElse(null);
            assumeTrue(interpreter != null, "PyFlink " + VERSION + " needs Python 3.7 or 3.8");
            shell.run(interpreter + " -m venv --clear " + environment);
            shell.run(environment + "/bin/pip install -q apache-flink==" + VERSION);
            Files.createFile(done);
        }
        return environment.resolve("bin/python");
    }

    private static boolean runs(Shell shell, String interpreter) {
        try {
            return shell.tryOut(interpreter + " --version").exitCode == 0;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private void start(Shell shell, StockInstallation stock, Path python) throws Exception {
        StockInstallation.install(
                shell,
                new DocumentedCommands(HOME.resolve("docs/user-guide.md"))
                        .of("Install").stream()
                                .map(c -> c.replace("/opt/flink", stock.flink().toString()))
                                .collect(Collectors.toList()),
                command -> {});
        stock.configure(
                "taskmanager.numberOfTaskSlots: 6",
                "state.checkpoints.dir: " + DIRECTORY.resolve("checkpoints").toUri());
        // workers run what is found as "python"
        shell.run("export PATH=" + python.getParent() + ":$PATH");
        shell.run("bin/meces-jobmanager.sh start");
        shell.run("$FLINK_HOME/bin/taskmanager.sh start");
        Await.until(() -> client.slots() == 6);
    }

    private String submit(Shell shell, StockInstallation stock, Path python, Path program)
            throws Exception {
        String printed =
                shell.run(
                        String.format(
                                "%s/bin/flink run -d -pyexec %s -py %s %d %d %s",
                                stock.flink(),
                                python,
                                program,
                                NUMBERS,
                                PER_SECOND,
                                RESULTS.toUri()));
        Matcher matcher = JOB_ID.matcher(printed);
        assertThat(matcher.find()).as(printed).isTrue();
        String job = matcher.group(1);
        Await.until(() -> client.isSettled(job));
        return job;
    }

    private void rescaleAtRandom(String job) throws Exception {
        long seed = Long.getLong("pyflink.seed", System.nanoTime());
        Random random = new Random(seed);
        Elasticity.Vertex vertex = client.elasticity(job).vertices().get(0);
        int parallelism = vertex.parallelism();
        for (int i = 0; i < RESCALES; i++) {
            int next = 1 + (parallelism + random.nextInt(5)) % 6;
            String id =
                    client.rescale(
                            job, RescaleRequest.of(RescaleRequest.Target.byId(vertex.id(), next)));
            Await.until(() -> client.rescale(job, id).status() != RescaleStatus.RUNNING);
            RescaleDetails end = client.rescale(job, id);
            assertThat(end.failure()).as("-Dpyflink.seed=%d", seed).isNull();
            parallelism = next;
        }
        while (!state(job).equals("FINISHED")) {
            assertThat(state(job)).isIn("RUNNING", "FINISHED");
            TimeUnit.MILLISECONDS.sleep(500);
        }
    }

    private String state(String job) throws IOException {
        return client.job(job).path("state").asText();
    }

    /** Each key has been counted up from 1, each number once. */
    private static void assertExact() throws IOException {
        TreeMap<Long, TreeMap<Long, Integer>> counts = new TreeMap<>();
        try (Stream<Path> files = Files.walk(RESULTS)) {
            for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
                for (String line : Files.readAllLines(file)) {
                    String[] words = line.split(" ");
                    counts.computeIfAbsent(Long.valueOf(words[0]), k -> new TreeMap<>())
                            .merge(Long.valueOf(words[1]), 1, Integer::sum);
                }
            }
        }
        long sum = 0;
        for (TreeMap<Long, Integer> key : counts.values()) {
            assertThat(key.values()).containsOnly(1);
            assertThat(key.keySet())
                    .containsExactlyElementsOf(
                            LongStream.rangeClosed(1, key.size())
                                    .boxed()
                                    .collect(Collectors.toList()));
            sum += key.size();
        }
        assertThat(sum).isEqualTo(NUMBERS);
    }
}
