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

package io.meces.state;

import org.apache.flink.util.MathUtils;

/**
 * Hash codes that are ordered by sub-group: each sub-group has a range of them for itself.
 *
 * <p>A table that chooses its chains by the <em>high</em> bits of such a code has the entries of a
 * sub-group side by side, so that it can be walked through, taken out and put in at a cost in
 * proportion to itself, while all sub-groups of a key-group share one table and nothing has to be
 * looked up to find it. Immutable.
 */
final class UnitHash {

    private final int subGroups;
    private final long width;

    /** For so many sub-groups per key-group, 1..{@link SubGroups#MAX}. */
    UnitHash(int subGroups) {
        this.subGroups = subGroups;
        this.width = (1L << 32) / subGroups;
    }

    int subGroups() {
        return subGroups;
    }

    /** The sub-group of a key with that hash code. */
    int subGroup(int keyHash) {
        return SubGroups.ofHash(keyHash, subGroups);
    }

    /**
     * The code of an element.
     *
     * @param mixed a well mixed hash code of the element, that decides where in the range it is
     */
    int of(int subGroup, int mixed) {
        return (int) (subGroup * width + ((mixed & 0xFFFFFFFFL) * width >>> 32));
    }

    /** The code of an entry; mixed like Flink's map does it. */
    int of(int subGroup, int keyHash, Object namespace) {
        return of(subGroup, MathUtils.bitMix(keyHash ^ namespace.hashCode()));
    }

    /** The first code of a sub-group, read as an unsigned number. */
    long from(int subGroup) {
        return subGroup * width;
    }

    /** The code behind the last one of a sub-group. */
    long to(int subGroup) {
        return (subGroup + 1) * width;
    }
}
