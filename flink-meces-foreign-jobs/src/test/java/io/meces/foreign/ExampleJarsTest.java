// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.meces.runtime.testing.Sample;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.client.program.PackagedProgram;
import org.apache.flink.client.program.PackagedProgramUtils;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.jobgraph.JobGraph;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Flink's bundled streaming examples, as released: their jars are submitted as a client does it, to
 * a stock Flink and, with random rescales, to one with flink-meces.
 */
@Timeout(300)
class ExampleJarsTest {

    private static final Path JARS = Paths.get(System.getProperty("examples.jars"));
    private static final String VERSION = System.getProperty("examples.version");
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int RESCALES = Integer.getInteger("foreign.rescales");
    private static final long SEED =
            Long.parseLong(System.getProperty("foreign.seeds").split(",")[0].trim());
    private static final String ONLY = System.getProperty("foreign.job", "");

    private static Trial trial;

    @TempDir Path folder;

    @BeforeAll
    static void start() throws Exception {
        trial = new Trial(Backend.configured(), SEED);
    }

    @AfterAll
    static void stop() throws Exception {
        trial.close();
    }

    static Stream<Example> examples() {
        List<Example> named =
                Examples.all().stream()
                        .filter(example -> example.name.contains(ONLY))
                        .collect(Collectors.toList());
        assumeTrue(!named.isEmpty(), () -> "no example is called " + ONLY);
        return new Sample(ExampleJarsTest.class).of(named);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("examples")
    void givesWhatItGivesOnAStockFlink(Example example) throws Exception {
        ForeignJobsTable.Row expected =
                ForeignJobsTable.read(ForeignJobsTable.EXAMPLES).get(example.name);
        assertThat(expected).as("row of '%s' in docs/foreign-jobs.md", example.name).isNotNull();
        assertThat(example.check.inTable()).isEqualTo(expected.compared);
        List<String> stock = new ArrayList<>();
        if (example.isDetermined()) {
            stock = runOnStock(example);
            assertThat(stock).as("results on a stock Flink").isNotEmpty();
        }
        Attempt attempt = new Attempt(example, "elastic");
        Trial.Outcome outcome = attempt.runElastic();
        String what = example.name + ", -Dforeign.seeds=" + SEED + " " + outcome.rescales;
        if (expected.refusal == null) {
            assertThat(outcome.refusal).as(what).isNull();
            assertThat(outcome.elasticVertices).as(what).isEqualTo(expected.elasticVertices);
            if (example.input != Example.Input.OWN_AND_SHORT
                    && example.input != Example.Input.FILE) {
                assertThat(outcome.rescales).as(what).hasSize(rescales(example));
                assertThat(outcome.unitsMoved).as(what).isPositive();
            }
        } else {
            assertThat(outcome.refusal).as(what).matches(expected.refusal);
        }
        List<String> differences = example.check.differences(stock, outcome.results);
        assertThat(differences.stream().limit(20))
                .as("%s: %s differences", what, differences.size())
                .isEmpty();
    }

    @Test
    void theTableNamesEachExample() throws Exception {
        assertThat(ForeignJobsTable.read(ForeignJobsTable.EXAMPLES).keySet())
                .containsExactlyElementsOf(
                        Examples.all().stream().map(e -> e.name).collect(Collectors.toList()));
    }

    private static int rescales(Example example) {
        return Math.min(RESCALES, example.rescales);
    }

    private List<String> runOnStock(Example example) throws Exception {
        return new Attempt(example, "stock").runOnStock();
    }

    /** One run of an example. */
    private final class Attempt implements Trial.Progress {
        private final Example example;
        private final Path input;
        private final Path output;

        private LineServer server;
        private Printed printed;

        private Attempt(Example example, String name) throws IOException {
            this.example = example;
            this.input = folder.resolve(name + "-input");
            this.output = folder.resolve(name + "-output");
            Files.write(input, example.lines);
        }

        private List<String> runOnStock() throws Exception {
            try (LineServer lines = new LineServer(example.lines);
                    Printed lasting = new Printed()) {
                server = lines;
                printed = lasting;
                SlowFileSystem.setSlow(false);
                server.hurry();
                JobGraph graph = graph();
                if (example.input == Example.Input.SOCKET) {
                    Thread closing = new Thread(this::closeWhenAllIsPrinted, "closes-the-socket");
                    closing.start();
                    trial.runOnStock(graph);
                    closing.join(PATIENCE.toMillis());
                } else {
                    trial.runOnStock(graph);
                }
                return results();
            }
        }

        private Trial.Outcome runElastic() throws Exception {
            try (LineServer lines = new LineServer(example.lines);
                    Printed lasting = new Printed()) {
                server = lines;
                printed = lasting;
                SlowFileSystem.setSlow(true);
                Trial.Outcome outcome =
                        trial.runElastic(
                                graph(),
                                new Random(31 * SEED + example.name.hashCode()),
                                rescales(example),
                                example.input == Example.Input.FILE,
                                this);
                outcome.results = results();
                return outcome;
            }
        }

        private JobGraph graph() throws Exception {
            File jar =
                    JARS.resolve("flink-examples-streaming_2.11-" + VERSION + example.jar + ".jar")
                            .toFile();
            try (PackagedProgram program =
                    PackagedProgram.newBuilder()
                            .setJarFile(jar)
                            .setEntryPointClassName(example.mainClass)
                            .setArguments(
                                    example.arguments(
                                            "slow:" + input, server.port(), output.toString()))
                            .build()) {
                return PackagedProgramUtils.createJobGraph(
                        program, new Configuration(), example.parallelism, null, true);
            }
        }

        private List<String> results() throws IOException {
            List<String> results = printed.all();
            if (Files.exists(output)) {
                try (Stream<Path> files = Files.walk(output)) {
                    for (Path file : files.filter(Files::isRegularFile).toArray(Path[]::new)) {
                        results.addAll(Files.readAllLines(file));
                    }
                }
            }
            return results;
        }

        @Override
        public void awaitPortion(int rescale) {
            // it runs all the time
        }

        @Override
        public boolean hasRecordsLeft() {
            switch (example.input) {
                case SOCKET:
                    return server.hasLinesLeft();
                default:
                    // whether the job still runs says it
                    return true;
            }
        }

        @Override
        public void openPortion(int next) {
            // it runs all the time
        }

        @Override
        public boolean end() throws Exception {
            SlowFileSystem.setSlow(false);
            server.hurry();
            switch (example.input) {
                case SOCKET:
                    closeWhenAllIsPrinted();
                    return true;
                case OWN_AND_ENDLESS:
                    int before = printed.all().size();
                    printed.await(lines -> example.check.isEnough(lines.size() - before), PATIENCE);
                    return false;
                default:
                    return true;
            }
        }

        /** Windows in processing time that have not ended are dropped at the end of a job. */
        private void closeWhenAllIsPrinted() {
            long words = example.lines.stream().mapToLong(line -> line.split(" ").length).sum();
            try {
                printed.await(
                        lines ->
                                lines.stream()
                                                .mapToLong(l -> Long.parseLong(l.split(" : ")[1]))
                                                .sum()
                                        >= words,
                        PATIENCE);
            } catch (Exception e) {
                throw new AssertionError("Not all words were counted", e);
            } finally {
                try {
                    server.close();
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            }
        }
    }
}
