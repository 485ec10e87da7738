// SPDX-License-Identifier: Apache-2.0
package io.meces.core.plan;

import java.util.Arrays;

/**
 * Consistent hashing with bounded loads: each subtask has {@value #VIRTUAL_NODES} places on a ring,
 * and a key-group belongs to the first subtask, clockwise from its own place, that has room. Room
 * is a quarter more than an equal share, rounded up. A subtask that nothing falls to gets a
 * key-group of the one that has most.
 *
 * <p>A pure function of the number of key-groups and the parallelism, whatever was before: the way
 * there and back ends where it began, in this and any other process. Places come from a fixed seed.
 */
public final class ConsistentHashingStrategy implements RepartitionStrategy {

    private static final int VIRTUAL_NODES = 64;
    private static final long SEED = 0x6d65636573L;

    /** Max parallelism is at most 2^15 in Flink: a subtask fits into the low bits of its place. */
    private static final int SUBTASK_BITS = 15;

    private static final long SUBTASK_MASK = (1L << SUBTASK_BITS) - 1;

    @Override
    public Assignment target(Assignment current, int parallelism, VertexLoad load) {
        int keyGroups = current.keyGroups();
        Assignment.checkParallelism(keyGroups, parallelism);
        if (parallelism > SUBTASK_MASK + 1) {
            throw new IllegalArgumentException("A ring has room for 32768 subtasks.");
        }
        long[] ring = ring(parallelism);
        int room = room(keyGroups, parallelism);
        int[] counts = new int[parallelism];
        int[] owners = new int[keyGroups];
        for (int keyGroup = 0; keyGroup < keyGroups; keyGroup++) {
            int place = Arrays.binarySearch(ring, mix(~SEED ^ mix(keyGroup)));
            place = place < 0 ? -place - 1 : place;
            int owner = subtaskAt(ring, place);
            while (counts[owner] == room) {
                owner = subtaskAt(ring, ++place);
            }
            owners[keyGroup] = owner;
            counts[owner]++;
        }
        for (int subtask = 0; subtask < parallelism; subtask++) {
            if (counts[subtask] == 0) {
                takeOne(subtask, owners, counts);
            }
        }
        return Assignment.of(owners);
    }

    /** How many key-groups a subtask has at most. */
    static int room(int keyGroups, int parallelism) {
        return (5 * keyGroups + 4 * parallelism - 1) / (4 * parallelism);
    }

    /** The places in ascending order, each with its subtask in the low bits. */
    private static long[] ring(int parallelism) {
        long[] ring = new long[parallelism * VIRTUAL_NODES];
        for (int i = 0; i < ring.length; i++) {
            ring[i] = mix(SEED ^ mix(i)) & ~SUBTASK_MASK | i / VIRTUAL_NODES;
        }
        Arrays.sort(ring);
        return ring;
    }

    private static int subtaskAt(long[] ring, int place) {
        return (int) (ring[place % ring.length] & SUBTASK_MASK);
    }

    private static void takeOne(int subtask, int[] owners, int[] counts) {
        int donor = 0;
        for (int other = 0; other < counts.length; other++) {
            donor = counts[other] > counts[donor] ? other : donor;
        }
        for (int keyGroup = owners.length - 1; counts[subtask] == 0; keyGroup--) {
            if (owners[keyGroup] == donor) {
                owners[keyGroup] = subtask;
                counts[donor]--;
                counts[subtask]++;
            }
        }
    }

    /** Spreads numbers over all 64 bits (the finalizer of SplitMix64). */
    private static long mix(long value) {
        long z = value + 0x9e3779b97f4a7c15L;
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
