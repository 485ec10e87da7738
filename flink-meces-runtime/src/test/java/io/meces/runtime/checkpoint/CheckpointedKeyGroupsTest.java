// SPDX-License-Identifier: Apache-2.0
package io.meces.runtime.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeOffsets;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.junit.jupiter.api.Test;

/** {@link CheckpointedKeyGroups}: a key-group ends where the next one in the file begins. */
class CheckpointedKeyGroupsTest {

    private final long[] bytes = new long[6];

    private void add(int first, int last, int size, long... offsets) {
        CheckpointedKeyGroups.add(
                new KeyGroupsStateHandle(
                        new KeyGroupRangeOffsets(new KeyGroupRange(first, last), offsets),
                        new ByteStreamStateHandle("file", new byte[size])),
                bytes);
    }

    @Test
    void theLastOneEndsWithTheFile() {
        add(1, 3, 100, 10, 40, 45);
        assertThat(bytes).containsExactly(0, 30, 5, 55, 0, 0);
    }

    @Test
    void theOrderInTheFileMayBeAnother() {
        add(1, 3, 100, 60, 10, 30);
        assertThat(bytes).containsExactly(0, 40, 20, 30, 0, 0);
    }

    @Test
    void whatWasNotWrittenHasNothing() {
        add(0, 2, 50, -1, 20, -1);
        assertThat(bytes).containsExactly(0, 30, 0, 0, 0, 0);
    }

    /** A full snapshot of RocksDB has 0 for what has no entries. */
    @Test
    void whatHasNoEntriesHasNothing() {
        add(0, 2, 50, 0, 20, 0);
        assertThat(bytes).containsExactly(0, 30, 0, 0, 0, 0);
    }

    @Test
    void severalFilesAddUp() {
        add(0, 1, 25, 5, 15);
        add(1, 2, 35, 5, 30);
        assertThat(bytes).containsExactly(10, 35, 5, 0, 0, 0);
    }
}
