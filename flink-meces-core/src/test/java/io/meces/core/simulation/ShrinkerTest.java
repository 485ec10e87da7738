/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

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
