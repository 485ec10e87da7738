// SPDX-License-Identifier: Apache-2.0
package io.meces.foreign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.meces.runtime.testing.Sample;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs each job on a stock Flink and, with random rescales, on one with flink-meces, and compares
 * the results. {@code docs/foreign-jobs.md} says what is to come out.
 *
 * <p>More: {@code -Dforeign.seeds=1,2,3}, {@code -Dforeign.rescales=10}, {@code -Dforeign.job=join}
 * (a part of the names; several ones are divided by |), {@code -Dforeign.state-backend=rocksdb}
 * (all jobs with state in RocksDB; by default all with the heap backend, and some with RocksDB).
 */
@Timeout(300)
class ForeignJobsTest {

    private static final List<Long> SEEDS =
            Arrays.stream(System.getProperty("foreign.seeds").split(","))
                    .map(seed -> Long.valueOf(seed.trim()))
                    .collect(Collectors.toList());
    private static final int RESCALES = Integer.getInteger("foreign.rescales");
    private static final List<String> ONLY =
            Arrays.asList(System.getProperty("foreign.job", "").split("\\|"));

    private static final String BACKEND = System.getProperty("foreign.state-backend", "");

    /** Jobs in a full build; 0: all. Those that are named are all run. */
    private static final int MOST = ONLY.contains("") ? Integer.getInteger("foreign.most", 0) : 0;

    /** Jobs with state in RocksDB in a full build that does not ask for one state backend. */
    private static final int SOME = MOST == 0 ? 10 : Math.min(10, MOST / 2);

    /** Of each kind of result some, of which the job also runs without operator chaining. */
    private static final List<String> UNCHAINED =
            Arrays.asList(
                    "word count",
                    "state machine",
                    "side output",
                    "rules by broadcast",
                    "two keyed stages",
                    "diamond of keyed stages",
                    "sink in the chain",
                    "reinterpreted as keyed",
                    "ordered calls behind",
                    "many outputs",
                    "window of all keys behind",
                    "rules of a keyed stage",
                    "SQL group by",
                    "SQL group by of group by, two-phase",
                    "SQL tumble",
                    "SQL left join of group by, mini-batch",
                    "SQL hot items (NEXMark 5)",
                    "CEP followed by, within");

    private static Trial trial;

    @BeforeAll
    static void start() throws Exception {
        trial = new Trial(Backend.configured(), SEEDS.get(0));
    }

    @AfterAll
    static void stop() throws Exception {
        trial.close();
    }

    static Stream<ForeignJob> jobs() {
        return jobs(Backend.HEAP, MOST);
    }

    static Stream<ForeignJob> jobsInRocksDB() {
        return jobs(Backend.ROCKSDB, BACKEND.isEmpty() ? SOME : MOST);
    }

    private static Stream<ForeignJob> jobs(Backend backend, int most) {
        assumeTrue(
                BACKEND.isEmpty() || BACKEND.equals(backend.toString()),
                () -> "the state backend is to be " + BACKEND);
        List<ForeignJob> named =
                all().stream()
                        .filter(job -> ONLY.stream().anyMatch(job.name::contains))
                        .collect(Collectors.toList());
        assumeTrue(!named.isEmpty(), () -> "no job is called " + ONLY);
        return new Sample(ForeignJobsTest.class, most).of(named);
    }

    private static List<ForeignJob> all() {
        List<ForeignJob> all = new ArrayList<>();
        all.addAll(StreamJobs.all());
        all.addAll(HabitJobs.all());
        all.addAll(StateJobs.all());
        all.addAll(SqlJobs.all());
        all.addAll(PatternJobs.all());
        all.addAll(LateJobs.all());
        for (ForeignJob job : new ArrayList<>(all)) {
            if (UNCHAINED.contains(job.name)) {
                all.add(job.unchained());
            }
        }
        all.addAll(LineJobs.all());
        return all;
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("jobs")
    void givesWhatItGivesOnAStockFlink(ForeignJob job) throws Exception {
        compare(job, Backend.HEAP);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("jobsInRocksDB")
    void givesWhatItGivesOnAStockFlinkWithRocksDB(ForeignJob job) throws Exception {
        compare(job, Backend.ROCKSDB);
    }

    private static void compare(ForeignJob job, Backend backend) throws Exception {
        ForeignJobsTable.Row expected = ForeignJobsTable.read().get(job.name);
        assertThat(expected).as("row of '%s' in docs/foreign-jobs.md", job.name).isNotNull();
        assertThat(job.comparison.inTable).isEqualTo(expected.compared);
        List<String> stock = trial.runOnStock(job, backend);
        assertThat(stock).as("results on stock Flink").isNotEmpty();
        for (long seed : SEEDS) {
            Trial.Outcome outcome;
            try {
                outcome = trial.runElastic(job, backend, seed, RESCALES);
            } catch (Exception | AssertionError e) {
                throw new AssertionError(
                        String.format(
                                "%s, -Dforeign.state-backend=%s -Dforeign.seeds=%s",
                                job.name, backend, seed),
                        e);
            }
            String what =
                    String.format(
                            "%s, -Dforeign.state-backend=%s -Dforeign.seeds=%s %s",
                            job.name, backend, seed, outcome.rescales);
            if (expected.refusal == null) {
                assertThat(outcome.refusal).as(what).isNull();
                assertThat(outcome.elasticVertices).as(what).isEqualTo(expected.elasticVertices);
                assertThat(outcome.rescales).as(what).hasSize(RESCALES);
                assertThat(outcome.unitsMoved).as(what).isPositive();
            } else {
                assertThat(outcome.refusal).as(what).matches(expected.refusal);
            }
            List<String> differences = job.comparison.differences(stock, outcome.results);
            assertThat(differences.stream().limit(20))
                    .as("%s: %s differences", what, differences.size())
                    .isEmpty();
        }
    }

    @Test
    void theTableNamesEachJob() throws Exception {
        assertThat(ForeignJobsTable.read().keySet())
                .containsExactlyElementsOf(
                        all().stream().map(job -> job.name).collect(Collectors.toList()));
    }
}
