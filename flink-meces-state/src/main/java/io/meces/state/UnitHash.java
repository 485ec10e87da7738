// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

/**
 * Hash codes that are ordered by sub-group: each sub-group has a range of them for itself.
 *
 * <p>A table that chooses its buckets by the <em>high</em> bits of such a code has the entries of a
 * sub-group side by side, so that it can be walked through, taken out and put in at a cost in
 * proportion to itself, while all sub-groups of a key-group share one table and nothing has to be
 * looked up to find it. Immutable.
 */
final class UnitHash {

    /** Multiplied with it, even hash codes that differ little get far from each other. */
    private static final int GOLDEN_RATIO = 0x9E3779B9;

    private static final long LOWER_HALF = 0xFFFFFFFFL;

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
        return (int) (place(keyHash) >>> 32);
    }

    /** Sub-group and place in it of a key with that hash code. */
    long place(int keyHash) {
        return SubGroups.place(keyHash, subGroups);
    }

    /**
     * The code of an element.
     *
     * @param place of its key
     * @param other hash code of what else tells it from others, like the namespace
     */
    int of(long place, int other) {
        int within = (int) place + other * GOLDEN_RATIO;
        // Less than 2^64, as a place is less than 2^32 times the number of sub-groups.
        return (int) ((place & ~LOWER_HALF | within & LOWER_HALF) * width >>> 32);
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
