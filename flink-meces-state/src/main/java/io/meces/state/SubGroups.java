// SPDX-License-Identifier: Apache-2.0
package io.meces.state;

/**
 * Assigns keys to the sub-groups of their key-group.
 *
 * <p>Flink's key-group is a Murmur hash of {@code key.hashCode()} modulo the max parallelism. A
 * sub-group must not depend on it, otherwise the keys of one key-group would crowd into a few
 * sub-groups. It is therefore taken from the <em>high</em> bits of another hash, Fibonacci hashing:
 * one multiplication, on the way of each record, whose high bits depend on all bits of the hash
 * code. It is scaled by multiplication instead of modulo.
 *
 * <p>The assignment depends on the hash code and the number of sub-groups only, thus is the same in
 * all processes as long as the key type has a stable hash code, which Flink demands anyway.
 */
public final class SubGroups {

    /** The largest number of sub-groups per key-group. */
    public static final int MAX = 1 << 15;

    /** 2^64 divided by the golden ratio: its multiples are spread evenly. */
    private static final long GOLDEN_RATIO = 0x9E3779B97F4A7C15L;

    private SubGroups() {}

    /**
     * The sub-group of a key.
     *
     * @param key not null
     * @param subGroups number of sub-groups per key-group, 1..{@link #MAX}
     * @return 0..subGroups-1
     */
    public static int of(Object key, int subGroups) {
        return (int) (place(key.hashCode(), subGroups) >>> 32);
    }

    /**
     * The sub-group of a key with that hash code in the upper half, and in the lower half where the
     * key stands in it: evenly spread over all integers, read as unsigned.
     */
    static long place(int keyHash, int subGroups) {
        long h = keyHash * GOLDEN_RATIO;
        return (h >>> 32) * subGroups;
    }

    /** Whether {@code subGroups} is an allowed number of sub-groups per key-group. */
    static boolean isValid(int subGroups) {
        return subGroups >= 1 && subGroups <= MAX;
    }
}
