// SPDX-License-Identifier: Apache-2.0
package io.meces.core.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class CheckpointProgressTest {

    private static final long MILLI = 1_000_000;

    private final CheckpointProgress progress = new CheckpointProgress(Duration.ofMillis(300), 0);

    @Test
    void standsIfNoTaskTakesPartForAWhile() {
        progress.onPassed(1_000 * MILLI, 60_000 * MILLI);
        assertThat(progress.stands(1_300 * MILLI)).isFalse();
        assertThat(progress.stands(1_301 * MILLI)).isTrue();
        progress.onAcknowledged(1, 0, 1_250 * MILLI);
        assertThat(progress.stands(1_550 * MILLI)).isFalse();
        assertThat(progress.stands(1_551 * MILLI)).isTrue();
    }

    @Test
    void movesWhileTasksWriteForAsLongAsTheLastTime() {
        progress.onAcknowledged(1, 2_000 * MILLI, 0);
        progress.onAcknowledged(1, 700 * MILLI, 0);
        // it has not been completed: the time of one that stood for long says nothing
        assertThat(progress.stands(301 * MILLI)).isTrue();
        progress.onCompleted();
        progress.onPassed(5_000 * MILLI, 60_000 * MILLI);
        assertThat(progress.stands(7_300 * MILLI)).isFalse();
        assertThat(progress.stands(7_301 * MILLI)).isTrue();
        progress.onAcknowledged(2, 10 * MILLI, 7_400 * MILLI);
        // of one that has been aborted
        progress.onAcknowledged(1, 90_000 * MILLI, 7_400 * MILLI);
        progress.onCompleted();
        assertThat(progress.stands(7_711 * MILLI)).isTrue();
    }

    @Test
    void movesForAsLongAsItTookToMoveWhatItHasToStore() {
        progress.onMoving(true, 1_000 * MILLI);
        progress.onPassed(8_000 * MILLI, 60_000 * MILLI);
        assertThat(progress.stands(15_300 * MILLI)).isFalse();
        assertThat(progress.stands(15_301 * MILLI)).isTrue();
        progress.onMoving(false, 8_500 * MILLI);
        // that one has been aborted: the next one stores all of it
        progress.onPassed(20_000 * MILLI, 60_000 * MILLI);
        assertThat(progress.stands(27_800 * MILLI)).isFalse();
        assertThat(progress.stands(27_801 * MILLI)).isTrue();
        progress.onCompleted();
        progress.onPassed(30_000 * MILLI, 60_000 * MILLI);
        assertThat(progress.stands(30_301 * MILLI)).isTrue();
    }

    @Test
    void doesNotMoveForAnyTimeHoweverMuchHasMoved() {
        progress.onMoving(true, 0);
        progress.onPassed(90_000 * MILLI, 60_000 * MILLI);
        assertThat(progress.stands(150_300 * MILLI)).isFalse();
        assertThat(progress.stands(150_301 * MILLI)).isTrue();
    }

    @Test
    void oneIsToBeAbortedOnceUnlessItEnds() {
        progress.onAborting(true);
        assertThat(progress.stands(400 * MILLI)).isFalse();
        progress.onAborting(false);
        assertThat(progress.stands(400 * MILLI)).isTrue();
        assertThat(progress.aborts()).isZero();
    }

    @Test
    void anotherOneIsAbortedOnlyWhenOneHasBeenCompleted() {
        assertThat(progress.stands(400 * MILLI)).isTrue();
        progress.onAborted();
        assertThat(progress.aborts()).isEqualTo(1);
        assertThat(progress.stands(Long.MAX_VALUE)).isFalse();
        progress.onAcknowledged(2, 0, 0);
        progress.onPassed(0, 60_000 * MILLI);
        assertThat(progress.stands(Long.MAX_VALUE)).isFalse();
        progress.onCompleted();
        assertThat(progress.stands(400 * MILLI)).isTrue();
    }
}
