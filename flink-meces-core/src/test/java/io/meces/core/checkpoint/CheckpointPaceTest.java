// SPDX-License-Identifier: Apache-2.0
package io.meces.core.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** When a rescale pauses for a checkpoint. Times are in seconds. */
class CheckpointPaceTest {

    @Test
    void pausesSeldomOnceItHasSlowedDown() {
        CheckpointPace slowing = new CheckpointPace(false, 1_000_000_000_000L);
        slowing.pause(0);
        slowing.slowDown();
        slowing.resume(1);
        assertThat(slowing.isPauseDue(29_000_000_000L)).isFalse();
        assertThat(slowing.isPauseDue(30_000_000_001L)).isTrue();
    }

    private static final long SECOND = 1_000_000_000L;

    private static CheckpointPace paused(boolean seldom, long timeout, long from, long to) {
        CheckpointPace pace = new CheckpointPace(seldom, timeout * SECOND);
        pace.pause(from * SECOND);
        pace.resume(to * SECOND);
        return pace;
    }

    private static void assertDueFrom(CheckpointPace pace, long second) {
        assertThat(pace.isPauseDue(second * SECOND - 1)).isFalse();
        assertThat(pace.isPauseDue(second * SECOND)).isTrue();
    }

    @Test
    void stepsRunForAsLongAsTheLastPauseTook() {
        CheckpointPace pace = paused(false, 600, 100, 107);
        assertDueFrom(pace, 114);
        pace.pause(120 * SECOND);
        pace.resume(122 * SECOND);
        assertDueFrom(pace, 124);
    }

    @Test
    void tellsWhenACheckpointThatIsStillToComeHasAPause() {
        CheckpointPace pace = paused(false, 600, 100, 107);
        assertThat(pace.untilPause(110 * SECOND, SECOND)).isEqualTo(4 * SECOND);
        assertThat(pace.untilPause(110 * SECOND, 12 * SECOND)).isEqualTo(12 * SECOND);
        assertThat(pace.untilPause(130 * SECOND, 0)).isZero();
    }

    @Test
    void aPauseThatTookNoTimeCostsNone() {
        assertThat(paused(false, 600, 5, 5).isPauseDue(5 * SECOND)).isTrue();
    }

    @Test
    void aCheckpointWaitsFor30SecondsAtMost() {
        assertDueFrom(paused(false, 600, 0, 200), 230);
    }

    @Test
    void aCheckpointDoesNotExpireBecauseItWaits() {
        assertDueFrom(paused(false, 60, 0, 50), 65);
        assertDueFrom(paused(true, 60, 0, 1), 16);
    }

    @Test
    void whoWantsToPauseSeldomDoesSoEach30Seconds() {
        assertDueFrom(paused(true, 600, 0, 1), 31);
    }
}
