// SPDX-License-Identifier: Apache-2.0
package io.meces.core.plan;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Moves that are carried out together, between two checkpoints.
 *
 * <p>No chain of donor to receiver closes to a circle. A receiver waits for its donor to pass a
 * marker, and two that wait for each other would never end. A subtask may be both a donor and a
 * receiver, as in 0 to 1 and 1 to 2. Immutable, for any thread.
 */
public final class Step implements Serializable {
    private static final long serialVersionUID = 1L;

    private final List<Move> moves;

    /**
     * A step of these moves, in this order.
     *
     * @throws IllegalArgumentException if there are none, if a key-group moves twice, or if donors
     *     and receivers form a circle
     */
    public Step(List<Move> moves) {
        if (moves.isEmpty()) {
            throw new IllegalArgumentException("A step needs at least one move.");
        }
        this.moves = Collections.unmodifiableList(new ArrayList<>(moves));
        Set<Integer> keyGroups = new HashSet<>();
        Reachability donorToReceiver = new Reachability(1 + highestSubtask());
        for (Move move : this.moves) {
            if (!keyGroups.add(move.keyGroup())) {
                throw new IllegalArgumentException(
                        "Key-group "
                                + move.keyGroup()
                                + " moves twice in one step, also by "
                                + move);
            }
            if (!donorToReceiver.connect(move.from(), move.to())) {
                throw new IllegalArgumentException(
                        "The move "
                                + move
                                + " closes a circle of donors and receivers in a step. Put it into"
                                + " another step.");
            }
        }
    }

    private int highestSubtask() {
        int highest = 0;
        for (Move move : moves) {
            highest = Math.max(highest, Math.max(move.from(), move.to()));
        }
        return highest;
    }

    public List<Move> moves() {
        return moves;
    }

    /** How many key-groups the busiest subtask gives, or takes. */
    public int size() {
        Map<Integer, Integer> given = new HashMap<>();
        Map<Integer, Integer> taken = new HashMap<>();
        int size = 0;
        for (Move move : moves) {
            size = Math.max(size, given.merge(move.from(), 1, Integer::sum));
            size = Math.max(size, taken.merge(move.to(), 1, Integer::sum));
        }
        return size;
    }

    /** The subtasks that give key-groups, in ascending order. */
    public SortedSet<Integer> donors() {
        SortedSet<Integer> donors = new TreeSet<>();
        for (Move move : moves) {
            donors.add(move.from());
        }
        return Collections.unmodifiableSortedSet(donors);
    }

    /** The subtasks that take key-groups, in ascending order. */
    public SortedSet<Integer> receivers() {
        SortedSet<Integer> receivers = new TreeSet<>();
        for (Move move : moves) {
            receivers.add(move.to());
        }
        return Collections.unmodifiableSortedSet(receivers);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Step && moves.equals(((Step) other).moves);
    }

    @Override
    public int hashCode() {
        return moves.hashCode();
    }

    @Override
    public String toString() {
        return moves.toString();
    }
}
