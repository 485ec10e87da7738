/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

package io.meces.state.rocksdb;

import io.meces.core.migration.DeferredKey;
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
