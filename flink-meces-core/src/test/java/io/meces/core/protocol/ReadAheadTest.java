// SPDX-License-Identifier: Apache-2.0
package io.meces.core.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.meces.core.command.ReadAheadUse;
import io.meces.core.waiting.ReadAheadMemory;
import org.junit.jupiter.api.Test;

class ReadAheadTest {

    private static final int ELEMENTS = 10_000;
    private static final long LONGEST_TURN = 1_000;

    private final ReadAheadMemory memory = new ReadAheadMemory(1_000_000, 10_000);
    private final ReadAhead ahead = readAhead();

    private ReadAhead readAhead() {
        return new ReadAhead(
                new MigrationSettings.Pace(
                        ELEMENTS,
                        0,
                        LONGEST_TURN,
                        new MigrationSettings.Turn(1, 1),
                        new MigrationSettings.Turn(1, 1)),
                memory.share(),
                100);
    }

    @Test
    void aTurnMayLastAsLongAsOthersHadTheThread() {
        assertThat(ahead.beginTurn(100)).isEqualTo(100);
        ahead.endTurn(150, 0, 0);
        assertThat(ahead.beginTurn(450)).isEqualTo(450 + 300);
    }

    @Test
    void aTurnEndsInTime() {
        assertThat(ahead.beginTurn(1_000_000)).isEqualTo(1_000_000 + LONGEST_TURN);
    }

    @Test
    void soManyElementsMayWait() {
        assertThat(ahead.isFull(ELEMENTS - 1)).isFalse();
        assertThat(ahead.isFull(ELEMENTS)).isTrue();
    }

    @Test
    void smallElementsTakeWhatIsAroundThem() {
        ahead.endTurn(0, 5_000, 0);
        ahead.onWaiting(6_666);
        assertThat(ahead.isFull(6_666)).isFalse();
        ahead.onWaiting(6_667);
        assertThat(ahead.isFull(6_667)).isTrue();
    }

    @Test
    void ofLargeElementsFewMayWait() {
        ahead.endTurn(0, 100, 100 * 1_000);
        ahead.onWaiting(317);
        assertThat(ahead.isFull(317)).isFalse();
        ahead.onWaiting(318);
        assertThat(ahead.isFull(318)).isTrue();
        // some have been processed
        ahead.onWaiting(300);
        assertThat(ahead.isFull(300)).isFalse();
    }

    @Test
    void anEarlierRescaleHasSeenHowLargeElementsAre() {
        ReadAhead next = readAhead();
        ahead.endTurn(0, 100, 100 * 1_000);
        next.adopt(ahead);
        next.onWaiting(318);
        assertThat(next.isFull(318)).isTrue();
    }

    @Test
    void tasksShareTheMemory() {
        ReadAhead other = readAhead();
        ahead.onWaiting(5_000);
        other.onWaiting(5_000);
        assertThat(ahead.isFull(5_000)).isTrue();
        assertThat(other.isFull(5_000)).isTrue();

        other.onWaiting(0);
        assertThat(ahead.isFull(5_000)).isFalse();
        assertThat(memory.used()).isEqualTo(5_000 * 150);
    }

    @Test
    void aTaskMayReadALittleAheadHoweverMuchOthersHave() {
        ReadAhead other = readAhead();
        ahead.onWaiting(9_000);
        other.onWaiting(66);
        assertThat(other.isFull(66)).isFalse();
        other.onWaiting(67);
        assertThat(other.isFull(67)).isTrue();
    }

    @Test
    void aStepTellsWhatAllTasksUseAndByHowMuchItsOwnHasGrown() {
        ReadAhead other = readAhead();
        ahead.onWaiting(1_000);
        ahead.startStep();
        other.onWaiting(1_000);
        ReadAheadUse use = ahead.endStep(3_000);
        assertThat(use.used).isEqualTo(0.6);
        assertThat(use.grown).isCloseTo(0.3, within(1e-9));

        ahead.startStep();
        assertThat(ahead.endStep(2_000).grown).isCloseTo(-0.15, within(1e-9));
    }

    @Test
    void theProcessWhereMostWaitsCounts() {
        ReadAheadUse most = new ReadAheadUse(0.5, 0.1).max(new ReadAheadUse(0.2, 0.2));
        assertThat(most.used).isEqualTo(0.5);
        assertThat(most.grown).isEqualTo(0.2);
        assertThat(most.affordableSteps()).isEqualTo(1);
    }

    @Test
    void whatIsWorkedOffBetweenStepsDoesNotAddUp() {
        ReadAheadUse before = new ReadAheadUse(0.1, 0.1);
        assertThat(new ReadAheadUse(0.12, 0.1).since(before).grown).isCloseTo(0.02, within(1e-9));
        assertThat(new ReadAheadUse(0.3, 0.1).since(before).grown).isEqualTo(0.1);
    }
}
