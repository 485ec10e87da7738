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

package io.meces.experiments.autoscaler;

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
