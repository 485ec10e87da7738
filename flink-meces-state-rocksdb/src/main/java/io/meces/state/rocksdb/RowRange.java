// SPDX-License-Identifier: Apache-2.0
package io.meces.state.rocksdb;

import io.meces.core.store.DeferredKey;
import java.util.Arrays;
import java.util.NavigableSet;

/** Some rows of a state of a key-group, from one to another. Immutable. */
final class RowRange {

    private final byte[] first;
    private final int prefixLength;
    private final DeferredKey from;
    private final DeferredKey to;

    RowRange(byte[] first, byte[] last, int prefixLength) {
        this.first = first;
        this.prefixLength = prefixLength;
        this.from = behindKeyGroup(first, prefixLength);
        this.to = behindKeyGroup(last, prefixLength);
    }

    /** A row, without its key-group: it begins with its key. */
    static DeferredKey behindKeyGroup(byte[] row, int prefixLength) {
        return new DeferredKey(Arrays.copyOfRange(row, prefixLength, row.length));
    }

    /** Whether a key may have rows there. */
    boolean has(DeferredKey key) {
        return key.compareTo(to) <= 0
                && (key.compareTo(from) >= 0 || key.isAt(first, prefixLength));
    }

    /** The same of any key: as none begins with another one, it is the last that may be there. */
    boolean hasAny(NavigableSet<DeferredKey> keys) {
        DeferredKey last = keys.floor(to);
        return last != null && has(last);
    }
}
