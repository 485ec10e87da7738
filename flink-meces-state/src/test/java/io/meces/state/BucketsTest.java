// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BucketsTest {

    @ParameterizedTest
    @ValueSource(ints = {16, 64, 1_024, 65_536})
    @DisplayName("A table that grows has grown soon, in short steps, with all its entries")
    void growsSoonInShortSteps(int capacity) {
        Spread table = new Spread();
        int inserted = 0;
        while (inserted <= capacity - capacity / 4) {
            table.add(inserted++);
        }
        assertThat(table.arrays()).as("arrays of a full table").containsExactly(capacity);
        table.add(inserted++);
        assertThat(table.arrays()).as("when it grows").containsExactly(2 * capacity, capacity);

        int steps = 0;
        while (table.arrays().size() > 1) {
            table.moved = 0;
            table.add(inserted++);
            assertThat(table.moved).as("entries of one step").isLessThanOrEqualTo(Buckets.MAX_STEP);
            steps++;
        }
        assertThat(steps).isLessThanOrEqualTo(Math.max(4, capacity / Buckets.MAX_STEP));
        assertThat(table.arrays()).containsExactly(2 * capacity);
        assertThat(IntStream.range(0, inserted).filter(table::has).count()).isEqualTo(inserted);
    }

    /** With the numbers spread over all buckets: at most one of the first ones in each. */
    private static final class Spread extends Buckets<Entry> {

        /** How many entries were moved to another bucket. */
        int moved;

        Spread() {
            super(1, 0);
        }

        void add(int number) {
            insert(new Entry(Integer.reverse(number)));
        }

        boolean has(int number) {
            int hash = Integer.reverse(number);
            for (Entry entry = first(hash); entry != null; entry = entry.next) {
                if (entry.hash == hash) {
                    return true;
                }
            }
            return false;
        }

        List<Integer> arrays() {
            List<Entry[]> arrays = new ArrayList<>();
            addArraysTo(arrays);
            // Arrays of nodes, in truth.
            List<? extends Object[]> tables = arrays;
            List<Integer> lengths = new ArrayList<>();
            for (Object[] table : tables) {
                lengths.add(table.length);
            }
            return lengths;
        }

        @Override
        Entry changeable(Entry entry) {
            moved++;
            return entry;
        }
    }

    private static final class Entry extends Buckets.Node<Entry> {
        Entry(int hash) {
            super(hash);
        }
    }
}
