// SPDX-License-Identifier: Apache-2.0
package io.meces.core.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The moves on the way from one assignment to another that have not been made yet. Steps are cut
 * from them one by one, as large as is wanted then: what a step costs does not grow with the moves
 * behind it.
 *
 * <p>In a step a subtask gives at most {@code batchSize} key-groups and takes at most as many, and
 * donors and receivers form no circle (see {@link Step}). Each key-group moves at most once. Steps
 * are filled greedily: a step ends when no move that is left fits into it. Where donors and
 * receivers are disjoint, as in {@link MinimalMoveStrategy}, there are fewer steps than the sum of
 * what the busiest donor and the busiest receiver need each.
 *
 * <p>Deterministic. Owned by one thread.
 */
public final class MovesLeft {

    private final int subtasks;
    private final int[] toGive;
    private final int[] toTake;

    /** By {@link #ends}, in the order in which equally busy ones take turns. */
    private final Map<Integer, Pair> pairs = new LinkedHashMap<>();

    /**
     * All moves from one assignment to the other.
     *
     * @throws IllegalArgumentException if the assignments are of different numbers of key-groups
     */
    public MovesLeft(Assignment current, Assignment target) {
        if (current.keyGroups() != target.keyGroups()) {
            throw new IllegalArgumentException(
                    "Cannot plan from "
                            + current.keyGroups()
                            + " to "
                            + target.keyGroups()
                            + " key-groups: a vertex keeps its max parallelism.");
        }
        subtasks = Math.max(current.parallelism(), target.parallelism());
        toGive = new int[subtasks];
        toTake = new int[subtasks];
        Map<Integer, Pair> byTurn = new TreeMap<>();
        for (int keyGroup = 0; keyGroup < current.keyGroups(); keyGroup++) {
            int from = current.owner(keyGroup);
            int to = target.owner(keyGroup);
            if (from != to) {
                toGive[from]++;
                toTake[to]++;
                byTurn.computeIfAbsent(turn(from, to), ignored -> new Pair(from, to))
                        .moves
                        .add(new Move(keyGroup, from, to));
            }
        }
        byTurn.values().forEach(pair -> pairs.put(ends(pair.from, pair.to), pair));
    }

    private int ends(int from, int to) {
        return from * subtasks + to;
    }

    /** Donors take turns, each beginning with another receiver. */
    private int turn(int from, int to) {
        return Math.floorMod(to - from, subtasks) * subtasks + from;
    }

    public boolean isEmpty() {
        return pairs.isEmpty();
    }

    /** Whether a subtask has key-groups to give. */
    public boolean gives(int subtask) {
        return subtask < subtasks && toGive[subtask] > 0;
    }

    /** How many key-groups the busiest subtask has to give, or to take. */
    public int busiest() {
        int most = 0;
        for (int subtask = 0; subtask < subtasks; subtask++) {
            most = Math.max(most, Math.max(toGive[subtask], toTake[subtask]));
        }
        return most;
    }

    /** The subtasks of a step that have no part in any move behind it, in ascending order. */
    public SortedSet<Integer> endingWith(Step step) {
        Map<Integer, Integer> parts = new TreeMap<>();
        for (Move move : step.moves()) {
            parts.merge(move.from(), 1, Integer::sum);
            parts.merge(move.to(), 1, Integer::sum);
        }
        SortedSet<Integer> ending = new TreeSet<>();
        parts.forEach(
                (subtask, moves) -> {
                    if (toGive[subtask] + toTake[subtask] == moves) {
                        ending.add(subtask);
                    }
                });
        return ending;
    }

    /**
     * The next step; its moves are left until it has been {@link #remove removed}. Goes round the
     * pairs, and takes one move of each, until nothing more fits.
     *
     * @param batchSize key-groups that a subtask gives, and that it takes, at most
     * @throws IllegalArgumentException if the batch size is below 1, or no moves are left
     */
    public Step cut(int batchSize) {
        List<Move> moves = new ArrayList<>();
        Reachability donorToReceiver = new Reachability(subtasks);
        int[] given = new int[subtasks];
        int[] taken = new int[subtasks];
        List<Cursor> open = new ArrayList<>(pairs.size());
        pairs.values().forEach(pair -> open.add(new Cursor(pair)));
        while (!open.isEmpty()) {
            open.sort(busiestFirst(given, taken));
            // A pair that does not fit now will not fit later in this step either.
            open.removeIf(
                    at -> {
                        int from = at.pair.from;
                        int to = at.pair.to;
                        if (given[from] >= batchSize
                                || taken[to] >= batchSize
                                || !donorToReceiver.connect(from, to)) {
                            return true;
                        }
                        given[from]++;
                        taken[to]++;
                        moves.add(at.pair.moves.get(at.next++));
                        return at.next == at.pair.moves.size();
                    });
        }
        return new Step(moves);
    }

    /**
     * The subtask with most left to do decides how many steps are needed, so its moves come first.
     * Among equals donors take turns.
     */
    private Comparator<Cursor> busiestFirst(int[] given, int[] taken) {
        return Comparator.<Cursor>comparingInt(
                        at ->
                                -Math.max(
                                        toGive[at.pair.from] - given[at.pair.from],
                                        toTake[at.pair.to] - taken[at.pair.to]))
                .thenComparingInt(at -> turn(at.pair.from, at.pair.to));
    }

    /**
     * The moves of a step are left no more.
     *
     * @param step one that was cut from these moves and none that was removed since
     */
    public void remove(Step step) {
        for (Move move : step.moves()) {
            int ends = ends(move.from(), move.to());
            Pair pair = pairs.get(ends);
            if (pair == null || !pair.moves.get(pair.made).equals(move)) {
                throw new IllegalArgumentException("The move " + move + " is not the next one.");
            }
            toGive[move.from()]--;
            toTake[move.to()]--;
            if (++pair.made == pair.moves.size()) {
                pairs.remove(ends);
            }
        }
    }

    /** The moves from one subtask to one other. */
    private static final class Pair {
        final int from;
        final int to;
        final List<Move> moves = new ArrayList<>();

        /** How many of them are left no more. */
        int made;

        Pair(int from, int to) {
            this.from = from;
            this.to = to;
        }
    }

    /** How far a step that is being cut has got with a pair. */
    private static final class Cursor {
        final Pair pair;
        int next;

        Cursor(Pair pair) {
            this.pair = pair;
            this.next = pair.made;
        }
    }
}
