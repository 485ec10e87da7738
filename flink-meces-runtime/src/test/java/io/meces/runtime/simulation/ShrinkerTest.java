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

package io.meces.runtime.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ShrinkerTest {

    @ParameterizedTest
    @EnumSource(names = {"UNIT_DROPPED", "WATERMARK_NOT_CAPPED", "LIST_STATE_FORGOTTEN"})
    void leavesLittleOfAScenarioThatStillFails(Variant variant) {
        long seed = 0;
        while (Seeds.failureOf(seed, variant) == null) {
            seed++;
        }
        Scenario before = Scenario.of(seed);

        Scenario after = Shrinker.shrink(before, variant, 8_000);

        assertThat(Seeds.failureOf(after, variant)).isNotNull();
        assertThat(Seeds.failureOf(after, Variant.SOUND)).isNull();
        assertThat(after.items()).isLessThan(before.items() / 2).isLessThan(100);
        assertThat(after.happenings()).hasSizeBetween(1, 2);
    }
}
