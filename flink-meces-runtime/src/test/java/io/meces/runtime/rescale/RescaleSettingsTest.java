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

package io.meces.runtime.rescale;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RescaleSettingsTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "meces.migration.batch-size",
                "meces.migration.batch-bytes",
                "meces.rescale.attempts"
            })
    void anOptionThatMustBePositiveIsRefusedByNameIfItIsNot(String option) {
        Configuration configuration = new Configuration();
        configuration.setString(option, "0");

        assertThatThrownBy(() -> RescaleSettings.from(configuration))
                .isInstanceOf(IllegalConfigurationException.class)
                .hasMessage(option + " is 0; it must be at least 1.");
    }
}
