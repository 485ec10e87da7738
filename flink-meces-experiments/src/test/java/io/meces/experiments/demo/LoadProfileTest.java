// SPDX-License-Identifier: Apache-2.0
package io.meces.experiments.demo;

import static org.assertj.core.api.Assertions.assertThat;

import org.assertj.core.data.Offset;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LoadProfileTest {

    @ParameterizedTest
    @CsvSource({
        "0, 100",
        "20, 100",
        "27.5, 550",
        "35, 1000",
        "60, 1000",
        "65, 550",
        "70, 100",
        "100, 100",
        "120, 100"
    })
    void itIsLowAndHighAndLowAgain(double second, double rate) {
        assertThat(new LoadProfile(100, 1_000, 100).at(second))
                .isCloseTo(rate, Offset.offset(1e-6));
    }
}
