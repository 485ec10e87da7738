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

package io.meces.experiments.mechanisms;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.experiments.harness.Interval;
import org.junit.jupiter.api.Test;

class StagesTest {

    @Test
    void timesAreAveragedByWhenRecordsWereDue() {
        Stages stages = new Stages();
        stages.add(10_000, 11_000, 14_000, 19_000);
        stages.add(90_000, 93_000, 94_000, 104_000);
        stages.add(200_000, 200_000, 207_000, 208_000);

        double[][] millis = stages.millis(0, 3);

        assertThat(millis[0]).containsExactly(2, Double.NaN, 0);
        assertThat(millis[1]).containsExactly(2, Double.NaN, 7);
        assertThat(millis[2]).containsExactly(7.5, Double.NaN, 1);
    }

    @Test
    void averagesOfAnIntervalAreThoseOfItsRecords() {
        Stages stages = new Stages();
        stages.add(10_000, 11_000, 14_000, 19_000);
        stages.add(90_000, 93_000, 94_000, 104_000);
        stages.add(200_000, 200_000, 207_000, 208_000);

        assertThat(stages.within(new Interval(0, 100_000))).containsExactly(2, 2, 7.5, 2);
        assertThat(stages.within(new Interval(100_000, 300_000))).containsExactly(0, 7, 1, 1);
        assertThat(stages.within(new Interval(100_000, 200_000)))
                .containsExactly(Double.NaN, Double.NaN, Double.NaN, 0);
    }
}
