// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.experiments.measure.Interval;
import io.meces.experiments.measure.Stages;
import org.junit.jupiter.api.Test;

class CausesTest {
    private static final Interval MEASURED = new Interval(0, 300_000);
    private static final Interval RESCALE = new Interval(100_000, 200_000);

    private final Stages stages = new Stages();

    private Causes causes(long stateMicros) {
        return Causes.of(stages, MEASURED, RESCALE, stateMicros);
    }

    @Test
    void whatALatencyIsMoreThanBeforeIsDividedByItsCauses() {
        stages.add(10_000, 12_000, 15_000, 20_000);
        stages.add(110_000, 118_000, 141_000, 147_000);
        stages.add(190_000, 192_000, 195_000, 200_000);

        Causes causes = causes(16_000);

        assertThat(causes.job).isEqualTo(10);
        assertThat(causes.source).isEqualTo(3);
        assertThat(causes.state).isEqualTo(8);
        assertThat(causes.queue).isEqualTo(2.5);
        assertThat(causes.job + causes.source + causes.state + causes.queue)
                .isEqualTo((37 + 10) / 2.0);
    }

    @Test
    void whatIsShorterThanBeforeIsNoCause() {
        stages.add(10_000, 15_000, 18_000, 20_000);
        stages.add(110_000, 111_000, 112_000, 113_000);

        Causes causes = causes(0);

        assertThat(causes.job).isEqualTo(10);
        assertThat(causes.source).isZero();
        assertThat(causes.state).isZero();
        assertThat(causes.queue).isZero();
    }

    @Test
    void withoutStagesTheyAreNotKnown() {
        assertThat(Causes.of(null, MEASURED, RESCALE, 0)).isNull();
    }
}
