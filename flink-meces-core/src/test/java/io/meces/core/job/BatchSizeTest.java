// SPDX-License-Identifier: Apache-2.0
package io.meces.core.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.core.command.ReadAheadUse;
import org.junit.jupiter.api.Test;

/** How many key-groups go in a step, of a vertex that has 120. */
class BatchSizeTest {

    private static final long KEY_GROUP = 1_000;
    private static final int KEY_GROUPS = 120;
    private static final int MOST = 16;

    /** How many follow a step of one key-group of a size. */
    private static int afterFirst(BatchSize batch, long bytesOfKeyGroup) {
        return batch.next(MOST, 1, bytesOfKeyGroup, MOST);
    }

    @Test
    void theFirstStepMeasuresTheOthersAreAsLargeAsTheyMay() {
        BatchSize batch = new BatchSize(MOST, 4 * KEY_GROUP);
        assertThat(batch.first(KEY_GROUPS, -1)).isEqualTo(1);
        assertThat(batch.foreseen(KEY_GROUPS, -1)).isEqualTo(MOST);
    }

    @Test
    void theLastCheckpointTellsWhatFitsIntoTheFirstStep() {
        BatchSize batch = new BatchSize(MOST, 4 * KEY_GROUP);
        assertThat(batch.first(KEY_GROUPS, KEY_GROUPS * KEY_GROUP)).isEqualTo(4);
        assertThat(batch.first(KEY_GROUPS, KEY_GROUPS * KEY_GROUP / 2)).isEqualTo(8);
        assertThat(batch.first(KEY_GROUPS, 1)).isEqualTo(MOST);
        assertThat(batch.first(KEY_GROUPS, 0)).isEqualTo(MOST);
        assertThat(batch.first(KEY_GROUPS, Long.MAX_VALUE)).isEqualTo(1);
        assertThat(batch.foreseen(KEY_GROUPS, KEY_GROUPS * KEY_GROUP)).isEqualTo(4);
    }

    @Test
    void asManyFollowAsFitIntoTheBytes() {
        BatchSize batch = new BatchSize(MOST, 20 * KEY_GROUP);
        assertThat(afterFirst(batch, 2 * KEY_GROUP)).isEqualTo(10);
        assertThat(afterFirst(batch, 2 * KEY_GROUP + 1)).isEqualTo(9);
    }

    @Test
    void eachStepMeasuresAnew() {
        BatchSize batch = new BatchSize(MOST, 10 * KEY_GROUP);
        assertThat(afterFirst(batch, KEY_GROUP)).isEqualTo(10);
        assertThat(batch.next(10, 10, 10 * 5 * KEY_GROUP, MOST)).isEqualTo(2);
        assertThat(batch.next(2, 2, 2 * KEY_GROUP / 2, MOST)).isEqualTo(MOST);
        // of several subtasks
        assertThat(batch.next(4, 12, 12 * 2 * KEY_GROUP, MOST)).isEqualTo(5);
    }

    @Test
    void neverMoreKeyGroupsThanAllowedAndNeverNone() {
        BatchSize batch = new BatchSize(MOST, 4 * KEY_GROUP);
        assertThat(afterFirst(batch, 1)).isEqualTo(MOST);
        assertThat(afterFirst(batch, 0)).isEqualTo(MOST);
        assertThat(afterFirst(batch, Long.MAX_VALUE)).isEqualTo(1);
    }

    @Test
    void withoutALimitStepsStayAsLargeAsTheyAre() {
        BatchSize batch = new BatchSize(MOST, Long.MAX_VALUE);
        assertThat(batch.first(KEY_GROUPS, -1)).isEqualTo(MOST);
        assertThat(batch.first(KEY_GROUPS, 1L << 60)).isEqualTo(MOST);
        assertThat(batch.next(32, 16, 1L << 60, Integer.MAX_VALUE)).isEqualTo(32);
    }

    @Test
    void whatThereIsNoTimeForWaits() {
        BatchSize bytes = new BatchSize(MOST, 8 * KEY_GROUP);
        assertThat(bytes.next(4, 4, 4 * KEY_GROUP, 3)).isEqualTo(3);
        assertThat(bytes.next(4, 4, 4 * KEY_GROUP, 100)).isEqualTo(8);
        BatchSize unlimited = new BatchSize(MOST, Long.MAX_VALUE);
        assertThat(unlimited.next(MOST, 16, 1, 3)).isEqualTo(3);
        assertThat(unlimited.next(3, 3, 1, 20)).isEqualTo(MOST);
    }

    @Test
    void stepsAreLargerWhereSoManyWouldReadTooMuchAhead() {
        // whatever limits a step otherwise
        assertThat(withoutReadingTooMuch(0.05, 0.03)).isEqualTo(8);
        assertThat(withoutReadingTooMuch(0.05, 0.1)).isEqualTo(22);
        assertThat(withoutReadingTooMuch(0.9, 0.01)).isEqualTo(9);
    }

    @Test
    void theyAreAtMostTwiceAsLargeAsTheLastOne() {
        assertThat(withoutReadingTooMuch(0.2, 0.2)).isEqualTo(32);
        assertThat(withoutReadingTooMuch(3, 2)).isEqualTo(32);
    }

    @Test
    void stepsStayAsTheyAreWhereThatIsLittle() {
        assertThat(withoutReadingTooMuch(0, 0)).isEqualTo(2);
        assertThat(withoutReadingTooMuch(0.03, 0.01)).isEqualTo(2);
        // by others, or by rescales before
        assertThat(withoutReadingTooMuch(0.9, 0.002)).isEqualTo(2);
        assertThat(withoutReadingTooMuch(0.9, -0.1)).isEqualTo(2);
    }

    /** Of 44 key-groups that are left after a step of 16, two were to go in each. */
    private static int withoutReadingTooMuch(double used, double grown) {
        return BatchSize.withoutReadingTooMuch(2, 22, 44, 16, new ReadAheadUse(used, grown));
    }
}
