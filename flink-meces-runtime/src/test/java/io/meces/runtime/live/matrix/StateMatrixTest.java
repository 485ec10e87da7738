// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.live.matrix;

import io.meces.runtime.testing.Sample;
import io.meces.state.SubGroups;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every kind of state, window and timer, migrated live and in savepoints, with the results of stock
 * Flink. The table in {@code docs/state.md} names these tests.
 */
@Timeout(120)
class StateMatrixTest {

    private static final Sample SAMPLE = new Sample(StateMatrixTest.class);

    @TempDir static Path savepoints;

    private static Matrix matrix;

    @BeforeAll
    static void start() throws Exception {
        matrix = new Matrix(savepoints, new ClockedBackends());
    }

    @AfterAll
    static void stop() throws Exception {
        matrix.close();
    }

    /** Those whose name contains the system property {@code matrix.scenario}, if it is set. */
    static Stream<Scenario> scenarios() {
        String wanted = System.getProperty("matrix.scenario", "");
        return SAMPLE.of(
                Catalogue.all().stream()
                        .filter(scenario -> scenario.name.contains(wanted))
                        .collect(Collectors.toList()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("scenarios")
    void live(Scenario scenario) throws Exception {
        matrix.live(scenario);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("scenarios")
    void savepointToFlink(Scenario scenario) throws Exception {
        matrix.savepointToFlink(scenario, 3);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("scenarios")
    void savepointFromFlink(Scenario scenario) throws Exception {
        matrix.savepointFromFlink(scenario, 4);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("scenarios")
    void savepointToOurs(Scenario scenario) throws Exception {
        matrix.savepointToOurs(scenario, 4);
    }

    /** Flink does not redistribute state when it finds as many subtasks as it needs. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("someScenarios")
    void savepointToFlinkAtTheSameParallelism(Scenario scenario) throws Exception {
        matrix.savepointToFlink(scenario, 2);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("someScenarios")
    void savepointFromFlinkAtTheSameParallelism(Scenario scenario) throws Exception {
        matrix.savepointFromFlink(scenario, 2);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("someScenarios")
    void savepointToOursAtTheSameParallelism(Scenario scenario) throws Exception {
        matrix.savepointToOurs(scenario, 3);
    }

    static Stream<Scenario> someScenarios() {
        return SAMPLE.of(Catalogue.some());
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(ints = {1, 2, 1_000, SubGroups.MAX})
    void liveWithSubGroups(int subGroups) throws Exception {
        matrix.live(Catalogue.named("event-time timers"), subGroups, 3, 2);
    }
}
