// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.mechanisms;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExactnessTest {
    private static final List<String> EXAMPLES = Collections.singletonList("duplicated: key 1");

    @Test
    void whatComesAgainAfterARestartIsNamedAReplay() {
        Exactness exactness = new Exactness(100, 107, 0, 7, 0, 0L, 0, EXAMPLES);
        assertThat(exactness.isExact()).isFalse();
        assertThat(exactness).hasToString("NOT EXACT");

        Exactness restarted = exactness.ofRestartedJob();

        assertThat(restarted.isExact()).isTrue();
        assertThat(restarted.replayed).isEqualTo(7);
        assertThat(restarted.duplicated).isZero();
        assertThat(restarted.examples).isEmpty();
        assertThat(restarted).hasToString("exact, 7 results replayed after a restart");
    }

    @Test
    void aRestartExcusesNothingElse() {
        Exactness lost = new Exactness(100, 106, 1, 7, 0, 0L, 0, EXAMPLES).ofRestartedJob();
        assertThat(lost.isExact()).isFalse();
        assertThat(lost.examples).isEqualTo(EXAMPLES);
        assertThat(new Exactness(100, 107, 0, 7, 0, 1L, 0, EXAMPLES).ofRestartedJob().isExact())
                .isFalse();
        assertThat(new Exactness(100, 108, 0, 7, 0, 0L, 1, EXAMPLES).ofRestartedJob().isExact())
                .isFalse();
    }
}
