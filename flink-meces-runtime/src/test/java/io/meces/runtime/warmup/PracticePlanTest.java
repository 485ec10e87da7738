// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.warmup;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PracticePlanTest {

    @Test
    void plansWithEachStrategy() {
        assertThat(PracticePlan.run()).isGreaterThan(20 * 4);
    }
}
