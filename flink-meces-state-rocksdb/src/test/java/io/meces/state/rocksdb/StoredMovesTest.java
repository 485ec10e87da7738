// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Which checkpoints may have what has moved. */
class StoredMovesTest {

    private final StoredMoves moves = new StoredMoves();
    private boolean compacts;

    private boolean mayBeIn(long checkpoint) {
        return moves.mayBeIn(checkpoint, false, () -> compacts);
    }

    @Test
    void noneBeforeTheFirstRescale() {
        assertThat(mayBeIn(1)).isFalse();
        moves.onComplete(1);
        assertThat(mayBeIn(2)).isFalse();
    }

    @Test
    void thoseUntilOneIsCompleteThatBeganWhenNothingWasCompacted() {
        moves.begin();
        compacts = true;
        assertThat(mayBeIn(1)).isTrue();
        moves.onComplete(1);
        assertThat(mayBeIn(2)).isTrue();
        moves.onComplete(2);
        compacts = false;
        assertThat(mayBeIn(3)).isTrue();
        assertThat(mayBeIn(4)).as("the third may have been aborted").isTrue();
        moves.onComplete(2);
        assertThat(mayBeIn(5)).isTrue();
        moves.onComplete(4);
        assertThat(mayBeIn(6)).isFalse();
    }

    /** Later ones store all of it once more. */
    @Test
    void aSavepointIsNotTheLast() {
        moves.begin();
        moves.onComplete(1);
        assertThat(moves.mayBeIn(2, true, () -> false)).isTrue();
        moves.onComplete(2);
        assertThat(mayBeIn(3)).isTrue();
        moves.onComplete(3);
        assertThat(mayBeIn(4)).isFalse();
    }

    @Test
    void thoseOfTheNextRescale() {
        moves.begin();
        moves.onComplete(1);
        assertThat(mayBeIn(2)).isTrue();
        moves.begin();
        moves.onComplete(2);
        assertThat(mayBeIn(3)).isTrue();
        moves.onComplete(3);
        assertThat(mayBeIn(4)).isFalse();
    }

    @Test
    void notForEver() {
        compacts = true;
        moves.begin();
        for (int id = 1; id <= StoredMoves.MANY_CHECKPOINTS; id++) {
            assertThat(mayBeIn(id)).isTrue();
            moves.onComplete(id);
        }
        assertThat(mayBeIn(100)).isFalse();
    }
}
