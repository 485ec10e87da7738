// SPDX-License-Identifier: Apache-2.0
package io.meces.core.plan;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.List;

/**
 * Which subtask owns each key-group of a vertex.
 *
 * <p>Key-groups are numbered from 0 to {@link #keyGroups()} - 1, subtasks from 0 to {@link
 * #parallelism()} - 1. Between two steps of a rescale a subtask below the parallelism may own
 * nothing yet. Immutable, for any thread.
 */
public final class Assignment implements Serializable {
    private static final long serialVersionUID = 1L;

    /** The owner of each key-group; the index is the key-group. Never handed out. */
    private final int[] owners;

    private final int parallelism;

    private Assignment(int[] owners) {
        if (owners.length == 0) {
            throw new IllegalArgumentException("An assignment needs at least one key-group.");
        }
        int highest = 0;
        for (int keyGroup = 0; keyGroup < owners.length; keyGroup++) {
            if (owners[keyGroup] < 0) {
                throw new IllegalArgumentException(
                        "Key-group "
                                + keyGroup
                                + " is assigned to subtask "
                                + owners[keyGroup]
                                + "; subtasks are numbered from 0.");
            }
            highest = Math.max(highest, owners[keyGroup]);
        }
        this.owners = owners;
        this.parallelism = highest + 1;
    }

    /** The assignment in which key-group i is owned by {@code owners[i]}; the array is copied. */
    public static Assignment of(int... owners) {
        return new Assignment(owners.clone());
    }

    /**
     * Flink's own assignment: each subtask has one range, all of them as long as each other or one
     * longer.
     *
     * @param keyGroups the max parallelism of the vertex
     * @throws IllegalArgumentException if a subtask would be left without key-groups
     */
    public static Assignment contiguous(int keyGroups, int parallelism) {
        checkParallelism(keyGroups, parallelism);
        int[] owners = new int[keyGroups];
        for (int keyGroup = 0; keyGroup < keyGroups; keyGroup++) {
            owners[keyGroup] = (int) ((long) keyGroup * parallelism / keyGroups);
        }
        return new Assignment(owners);
    }

    static void checkParallelism(int keyGroups, int parallelism) {
        if (parallelism < 1 || parallelism > keyGroups) {
            throw new IllegalArgumentException(
                    "A parallelism of "
                            + parallelism
                            + " is not possible with "
                            + keyGroups
                            + " key-groups: ask for 1 to "
                            + keyGroups
                            + ", or give the vertex a higher max parallelism.");
        }
    }

    /**
     * The subtask that owns the key-group.
     *
     * @throws IllegalArgumentException if there is no such key-group
     */
    public int owner(int keyGroup) {
        checkKeyGroup(keyGroup);
        return owners[keyGroup];
    }

    /** How many key-groups there are: the max parallelism of the vertex. */
    public int keyGroups() {
        return owners.length;
    }

    /** The number of active subtasks: one more than the highest that owns a key-group. */
    public int parallelism() {
        return parallelism;
    }

    /** The key-groups of a subtask in ascending order; empty for one that owns none. */
    public List<Integer> keyGroupsOf(int subtask) {
        List<Integer> keyGroups = new ArrayList<>();
        for (int keyGroup = 0; keyGroup < owners.length; keyGroup++) {
            if (owners[keyGroup] == subtask) {
                keyGroups.add(keyGroup);
            }
        }
        return Collections.unmodifiableList(keyGroups);
    }

    /** How many key-groups each active subtask owns; the index is that of the subtask. */
    public List<Integer> counts() {
        Integer[] counts = new Integer[parallelism];
        Arrays.fill(counts, 0);
        for (int owner : owners) {
            counts[owner]++;
        }
        return Collections.unmodifiableList(Arrays.asList(counts));
    }

    /** A copy of the owners; the index is the key-group. */
    public int[] toArray() {
        return owners.clone();
    }

    /**
     * This assignment after the moves.
     *
     * @throws IllegalArgumentException if a key-group is not where its move takes it from, or moves
     *     twice
     */
    public Assignment with(Collection<Move> moves) {
        int[] moved = owners.clone();
        BitSet seen = new BitSet(owners.length);
        for (Move move : moves) {
            checkKeyGroup(move.keyGroup());
            if (seen.get(move.keyGroup())) {
                throw new IllegalArgumentException(
                        "Key-group "
                                + move.keyGroup()
                                + " is moved twice, the second time by "
                                + move);
            }
            if (owners[move.keyGroup()] != move.from()) {
                throw new IllegalArgumentException(
                        "The move "
                                + move
                                + " does not fit: the key-group is owned by subtask "
                                + owners[move.keyGroup()]
                                + ".");
            }
            seen.set(move.keyGroup());
            moved[move.keyGroup()] = move.to();
        }
        return new Assignment(moved);
    }

    private void checkKeyGroup(int keyGroup) {
        if (keyGroup < 0 || keyGroup >= owners.length) {
            throw new IllegalArgumentException(
                    "There is no key-group "
                            + keyGroup
                            + ": they are numbered from 0 to "
                            + (owners.length - 1)
                            + ".");
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Assignment && Arrays.equals(owners, ((Assignment) other).owners);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(owners);
    }

    /** For example {@code {0: 0-2 7, 1: 3-6}}: subtask 0 owns the key-groups 0, 1, 2 and 7. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("{");
        for (int subtask = 0; subtask < parallelism; subtask++) {
            text.append(subtask == 0 ? "" : ", ").append(subtask).append(':');
            int keyGroup = 0;
            while (keyGroup < owners.length) {
                int end = keyGroup;
                while (end < owners.length && owners[end] == subtask) {
                    end++;
                }
                if (end > keyGroup) {
                    text.append(' ').append(keyGroup);
                    text.append(end > keyGroup + 1 ? "-" + (end - 1) : "");
                }
                keyGroup = end + 1;
            }
        }
        return text.append('}').toString();
    }
}
