// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.measure;

import static org.assertj.core.api.Assertions.assertThat;

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
