// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.meces.runtime.testing.Sample;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs jobs of frameworks as {@link ForeignJobsTest} does its own, with the same properties. A job
 * that cannot be rescaled, or not in all of its vertices, has to say why.
 */
@Tag("full")
@Timeout(300)
class FrameworksTest {

    private static final List<Long> SEEDS =
            Arrays.stream(System.getProperty("foreign.seeds").split(","))
                    .map(seed -> Long.valueOf(seed.trim()))
                    .collect(Collectors.toList());
    private static final int RESCALES = Integer.getInteger("foreign.rescales");

    /** Of a vertex with two subtasks that can have five at most. */
    private static final int GROWTH = 3;

    private static final List<String> ONLY =
            Arrays.asList(System.getProperty("foreign.job", "").split("\\|"));
    private static final String BACKEND = System.getProperty("foreign.state-backend", "");

    /** Jobs with state in RocksDB in a build that does not ask for one state backend. */
    private static final int SOME = 2;

    /** What Stateful Functions asks for; nothing here has a class loader of its own. */
    private static final String PARENT_FIRST =
            "org.apache.flink.statefun;org.apache.kafka;com.google.protobuf";

    private static Trial trial;

    @BeforeAll
    static void start() throws Exception {
        trial = new Trial(Backend.configured(), SEEDS.get(0));
    }

    @AfterAll
    static void stop() throws Exception {
        trial.close();
    }

    private static List<FrameworkJob> all() {
        List<FrameworkJob> all = new ArrayList<>();
        all.addAll(IcebergJobs.all());
        all.addAll(BeamJobs.all());
        all.addAll(StatefulFunctionsJobs.all());
        return all;
    }

    static Stream<FrameworkJob> jobs() {
        return jobs(Backend.HEAP, 0);
    }

    static Stream<FrameworkJob> jobsInRocksDB() {
        return jobs(Backend.ROCKSDB, BACKEND.isEmpty() ? SOME : 0);
    }

    private static Stream<FrameworkJob> jobs(Backend backend, int most) {
        assumeTrue(
                BACKEND.isEmpty() || BACKEND.equals(backend.toString()),
                () -> "the state backend is to be " + BACKEND);
        List<FrameworkJob> named =
                all().stream()
                        .filter(job -> ONLY.stream().anyMatch(job.name::contains))
                        .collect(Collectors.toList());
        assumeTrue(!named.isEmpty(), () -> "no job is called " + ONLY);
        return new Sample(FrameworksTest.class, most).of(named);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("jobs")
    void givesWhatItGivesOnAStockFlink(FrameworkJob job) throws Exception {
        compare(job, Backend.HEAP);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("jobsInRocksDB")
    void givesWhatItGivesOnAStockFlinkWithRocksDB(FrameworkJob job) throws Exception {
        compare(job, Backend.ROCKSDB);
    }

    private static void compare(FrameworkJob job, Backend backend) throws Exception {
        ForeignJobsTable.Row expected =
                ForeignJobsTable.read(ForeignJobsTable.FRAMEWORKS).get(job.name);
        assertThat(expected).as("row of '%s' in docs/foreign-jobs.md", job.name).isNotNull();
        assertThat(job.comparison.inTable).isEqualTo(expected.compared);
        List<String> stock = runOnStock(job, backend);
        assertThat(stock).as("results on stock Flink").isNotEmpty();
        for (long seed : SEEDS) {
            String what =
                    String.format(
                            "%s, -Dforeign.state-backend=%s -Dforeign.seeds=%s",
                            job.name, backend, seed);
            Trial.Outcome outcome;
            try {
                outcome = runElastic(job, backend, seed);
            } catch (Exception | AssertionError e) {
                throw new AssertionError(what, e);
            }
            if (expected.refusal == null) {
                assertThat(outcome.refusal).as(what).isNull();
                assertThat(outcome.elasticVertices).as(what).isEqualTo(expected.elasticVertices);
                assertThat(outcome.rescales).as(what).hasSize(rescales(job));
                assertThat(outcome.unitsMoved).as(what).isPositive();
            } else {
                assertThat(outcome.refusal).as(what).matches(expected.refusal);
            }
            if (expected.warning != null) {
                assertThat(outcome.warnings)
                        .as(what)
                        .anyMatch(warning -> expected.warning.matcher(warning).matches());
            }
            List<String> differences = job.comparison.differences(stock, outcome.results);
            assertThat(differences.stream().limit(20))
                    .as("%s %s: %s differences", what, outcome.rescales, differences.size())
                    .isEmpty();
        }
    }

    private static int rescales(FrameworkJob job) {
        return job.growsOnly ? Math.min(GROWTH, RESCALES) : RESCALES;
    }

    private static List<String> runOnStock(FrameworkJob job, Backend backend) throws Exception {
        try (Submission submission = new Submission(configuration());
                Run run = new Run(1)) {
            backend.set(run.env, true);
            Callable<List<String>> results = job.program.execute(run);
            trial.runOnStock(submission.graph());
            return results.call();
        }
    }

    private static Trial.Outcome runElastic(FrameworkJob job, Backend backend, long seed)
            throws Exception {
        Random random = new Random(31 * seed + job.name.hashCode());
        int rescales = rescales(job);
        try (Submission submission = new Submission(configuration());
                Run run = new Run(rescales + 1)) {
            backend.set(run.env, random.nextBoolean());
            Callable<List<String>> results = job.program.execute(run);
            Trial.Outcome outcome =
                    trial.runElastic(
                            submission.graph(),
                            random,
                            rescales,
                            job.growsOnly,
                            Trial.progress(run.feed));
            outcome.results = results.call();
            return outcome;
        }
    }

    private static Configuration configuration() {
        return new Configuration()
                .set(CoreOptions.ALWAYS_PARENT_FIRST_LOADER_PATTERNS_ADDITIONAL, PARENT_FIRST);
    }

    @Test
    void theTableNamesEachJob() throws Exception {
        assertThat(ForeignJobsTable.read(ForeignJobsTable.FRAMEWORKS).keySet())
                .containsExactlyElementsOf(
                        all().stream().map(job -> job.name).collect(Collectors.toList()));
    }
}
