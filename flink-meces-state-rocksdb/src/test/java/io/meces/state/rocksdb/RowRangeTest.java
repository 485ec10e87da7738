// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.core.store.DeferredKey;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Rows of key-group 5; a key is a byte, and a row has another one behind it. */
class RowRangeTest {

    private static final byte KEY_GROUP = 5;

    private final RowRange range =
            new RowRange(new byte[] {KEY_GROUP, 7, 3}, new byte[] {KEY_GROUP, 9, 1}, 1);

    private static DeferredKey key(int key) {
        return new DeferredKey(new byte[] {(byte) key});
    }

    private static TreeSet<DeferredKey> keys(int... keys) {
        TreeSet<DeferredKey> all = new TreeSet<>();
        for (int key : keys) {
            all.add(key(key));
        }
        return all;
    }

    @Test
    void hasTheKeysOfItsFirstAndLastRowAndThoseBetween() {
        assertThat(range.has(key(6))).isFalse();
        assertThat(range.has(key(7))).as("its other rows may stand before").isTrue();
        assertThat(range.has(key(8))).isTrue();
        assertThat(range.has(key(9))).isTrue();
        assertThat(range.has(key(10))).isFalse();
    }

    @Test
    void findsAnyKeyThere() {
        assertThat(range.hasAny(keys())).isFalse();
        assertThat(range.hasAny(keys(1, 6, 10, 200))).isFalse();
        assertThat(range.hasAny(keys(1, 7, 200))).isTrue();
        assertThat(range.hasAny(keys(8))).isTrue();
        assertThat(range.hasAny(keys(1, 9))).isTrue();
    }

    @Test
    void comparesBytesAsUnsigned() {
        RowRange wide =
                new RowRange(new byte[] {KEY_GROUP, 7}, new byte[] {KEY_GROUP, (byte) 200}, 1);
        assertThat(wide.has(key(199))).isTrue();
        assertThat(wide.has(key(201))).isFalse();
    }
}
