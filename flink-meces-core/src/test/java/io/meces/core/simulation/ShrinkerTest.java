// SPDX-License-Identifier: Apache-2.0
package io.meces.core.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.Predicate;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShrinkerTest {

    /** As if a crash in a job of some length were a fault. */
    private static final Predicate<Scenario> FAILS =
            scenario ->
                    scenario.items() >= 20
                            && scenario.has(
                                    Scenario.Fault.CRASH_ELASTIC, Scenario.Fault.CRASH_SOURCE);

    @ParameterizedTest
    @ValueSource(longs = {0, 1_000, 2_000})
    void leavesLittleOfAScenarioThatStillFails(long from) {
        long seed = from;
        while (!FAILS.test(Scenario.of(seed)) || Scenario.of(seed).items() < 60) {
            seed++;
        }

        Scenario after = Shrinker.shrink(Scenario.of(seed), FAILS, 8_000);

        assertThat(FAILS.test(after)).isTrue();
        assertThat(after.items()).isEqualTo(20);
        assertThat(after.happenings()).hasSize(1);
        assertThat(after.settings().lossPercent).isZero();
    }
}
