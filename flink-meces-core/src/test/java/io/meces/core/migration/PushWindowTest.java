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

package io.meces.core.migration;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PushWindowTest {

    private static final long START = Long.MAX_VALUE - 5;

    @Test
    void isSmallWhileRecordsWaitForStateAndForAWhileAfter() {
        PushWindow window = new PushWindow(1_000, 100);
        assertThat(window.bytes(START)).isEqualTo(1_000);
        window.onDemand(START);
        assertThat(window.bytes(START)).isEqualTo(100);
        // the clock overflows in between
        window.onDemand(START + 10);
        assertThat(window.bytes(START + PushWindow.CALM_NANOS + 9)).isEqualTo(100);
        assertThat(window.bytes(START + PushWindow.CALM_NANOS + 10)).isEqualTo(1_000);
    }

    @Test
    void isNeverLargerThanUsual() {
        PushWindow window = new PushWindow(1_000, 2_000);
        window.onDemand(0);
        assertThat(window.bytes(0)).isEqualTo(1_000);
    }
}
