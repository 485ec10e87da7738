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

package io.meces.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class WriterYieldTest {

    private static final long BLOCK = TimeUnit.MICROSECONDS.toNanos(30);

    private long now = 1_000;
    private long slice;
    private int yields;
    private final WriterYield yield =
            new WriterYield(
                    () -> now,
                    () -> {
                        now += slice;
                        yields++;
                    });

    @Test
    @DisplayName("If no other thread waits for a processor, it asks after each block")
    void asksBehindEachBlock() {
        write(1_000);
        assertThat(yields).isEqualTo(1_000);
        assertThat(now).isEqualTo(1_000 + 1_000 * BLOCK);
    }

    @Test
    @DisplayName("If others take all they can get, writing takes no more than about three times")
    void isNotStarved() {
        slice = TimeUnit.MILLISECONDS.toNanos(3);
        write(10_000);
        long work = 10_000 * BLOCK;
        assertThat(now - 1_000).isBetween(2 * work, 3 * work + 2 * slice);
    }

    @Test
    @DisplayName("It gives way again when it has worked for long enough")
    void givesWayAgain() {
        slice = TimeUnit.MILLISECONDS.toNanos(3);
        write(1);
        assertThat(yields).isEqualTo(1);
        // half a slice, less what it has worked already
        write(48);
        assertThat(yields).isEqualTo(1);
        write(2);
        assertThat(yields).isEqualTo(2);
    }

    @Test
    @DisplayName("What passes between two key-groups does not count as its work")
    void othersWorkDoesNotCount() {
        slice = TimeUnit.MILLISECONDS.toNanos(3);
        write(1);
        now += TimeUnit.HOURS.toNanos(1);
        write(1);
        assertThat(yields).isEqualTo(1);
    }

    private void write(int blocks) {
        yield.begin();
        for (int i = 0; i < blocks; i++) {
            now += BLOCK;
            yield.afterBlock();
        }
        yield.end();
    }
}
