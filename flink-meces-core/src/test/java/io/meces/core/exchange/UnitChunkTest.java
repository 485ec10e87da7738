// SPDX-License-Identifier: Apache-2.0
package io.meces.core.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class UnitChunkTest {

    /** All that can be read of it. */
    private static byte[] state(UnitChunk.Part part) {
        byte[] state = new byte[part.state().remaining()];
        part.state().get(state);
        return state;
    }

    @Test
    void unitsComeBackInTheOrderInWhichTheyWereAdded() throws IOException {
        UnitChunk chunk = new UnitChunk();
        chunk.add(7, new byte[] {1, 2, 3}, 0);
        chunk.add(3, new byte[0], 0);
        chunk.add(2_000_000, new byte[] {9}, 0);
        assertThat(chunk.bytes()).isEqualTo(4);
        List<UnitChunk.Part> parts = UnitChunk.read(chunk.take());
        assertThat(parts).extracting(UnitChunk.Part::unit).containsExactly(7, 3, 2_000_000);
        assertThat(parts)
                .extracting(UnitChunkTest::state)
                .containsExactly(new byte[] {1, 2, 3}, new byte[0], new byte[] {9});
        assertThat(parts).extracting(UnitChunk.Part::length).containsExactly(3, 0, 1);
        assertThat(chunk.isEmpty()).isTrue();
        assertThat(chunk.bytes()).isZero();
    }

    @Test
    void aUnitCanBeTakenOutAgain() throws IOException {
        UnitChunk chunk = new UnitChunk();
        chunk.add(1, new byte[] {1}, 0);
        chunk.add(2, new byte[] {2}, 0);
        assertThat(chunk.remove(1)).containsExactly(1);
        assertThat(chunk.remove(1)).isNull();
        assertThat(UnitChunk.read(chunk.take()))
                .extracting(UnitChunk.Part::unit)
                .containsExactly(2);
    }

    @Test
    void theOldestUnitTellsTheAge() {
        UnitChunk chunk = new UnitChunk();
        chunk.add(1, new byte[1], 100);
        chunk.add(2, new byte[1], 200);
        assertThat(chunk.ageNanos(300)).isEqualTo(200);
    }

    @Test
    void aChunkThatIsCutOffIsRefused() throws IOException {
        UnitChunk chunk = new UnitChunk();
        chunk.add(1, new byte[] {1, 2, 3}, 0);
        byte[] bytes = chunk.take();
        for (int length = 1; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> UnitChunk.read(cut)).isInstanceOf(IOException.class);
        }
    }
}
