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

package io.meces.state.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** How often the background gives way to others, and that it gets on all the same. */
class GivesWayTest {

    private static final int MANY_BYTES = 1 << 20;

    private long now;
    private long given;
    private int times;

    /** For how long others have the processor. */
    private long others;

    private final GivesWay givesWay =
            new GivesWay(
                    () -> now,
                    () -> {
                        now += others;
                        given += others;
                        times++;
                    });

    @Test
    void whereNobodyWantsTheProcessorItIsOfferedAfterSoManyBytes() {
        for (int i = 0; i < MANY_BYTES; i += 1 << 10) {
            now++;
            givesWay.after(1 << 10);
        }

        assertThat(times).isEqualTo(MANY_BYTES / GivesWay.EACH_BYTES);
    }

    @Test
    void whereOthersNeverRestTheyGetHalfOfTheTimeAtMost() {
        others = 4_000;
        for (int i = 0; i < 10_000; i++) {
            now += 150;
            givesWay.after(GivesWay.EACH_BYTES);
        }

        assertThat(given).isBetween(now * 45 / 100, now / 2 + others);
    }
}
