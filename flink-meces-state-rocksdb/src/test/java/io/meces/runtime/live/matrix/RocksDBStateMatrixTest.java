// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live.matrix;

import io.meces.runtime.testing.Sample;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@link StateMatrixTest} with state in RocksDB, and what incremental checkpoints are good for. */
@Timeout(120)
class RocksDBStateMatrixTest {

    /** Of what takes a job more: the columns differ by what is restored, not by the row. */
    private static final int SOME = 4;

    private static final Sample SAMPLE = new Sample(RocksDBStateMatrixTest.class);
    private static final Sample SMALLER = new Sample(RocksDBStateMatrixTest.class, SOME);

    @TempDir static Path directory;

    private static Matrix matrix;

    @BeforeAll
    static void start() throws Exception {
        matrix =
                new Matrix(
                        directory.resolve("savepoints"),
                        new ClockedRocksDBBackends(directory.resolve("checkpoints")));
    }

    @AfterAll
    static void stop() throws Exception {
        matrix.close();
    }

    /** Those whose name contains the system property {@code matrix.scenario}, if it is set. */
    static Stream<Scenario> scenarios() {
        return SAMPLE.of(wanted());
    }

    static Stream<Scenario> fewerScenarios() {
        return SMALLER.of(wanted());
    }

    private static List<Scenario> wanted() {
        String name = System.getProperty("matrix.scenario", "");
        return Catalogue.all().stream()
                .filter(scenario -> scenario.name.contains(name))
                .collect(Collectors.toList());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("scenarios")
    void live(Scenario scenario) throws Exception {
        matrix.live(scenario);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("fewerScenarios")
    void savepointToFlink(Scenario scenario) throws Exception {
        matrix.savepointToFlink(scenario, 3);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("fewerScenarios")
    void savepointFromFlink(Scenario scenario) throws Exception {
        matrix.savepointFromFlink(scenario, 4);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("fewerScenarios")
    void savepointToOurs(Scenario scenario) throws Exception {
        matrix.savepointToOurs(scenario, 4);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("fewerScenarios")
    void incrementalCheckpointToFlink(Scenario scenario) throws Exception {
        matrix.checkpointToFlink(scenario, 3);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("fewerScenarios")
    void incrementalCheckpointToOurs(Scenario scenario) throws Exception {
        matrix.checkpointToOurs(scenario, 4);
    }

    /** Flink does not deal out state anew when it finds as many subtasks as it needs. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("someScenarios")
    void incrementalCheckpointToFlinkAtTheSameParallelism(Scenario scenario) throws Exception {
        matrix.checkpointToFlink(scenario, 2);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("someScenarios")
    void savepointToFlinkAtTheSameParallelism(Scenario scenario) throws Exception {
        matrix.savepointToFlink(scenario, 2);
    }

    static Stream<Scenario> someScenarios() {
        return SAMPLE.of(Catalogue.some());
    }
}
