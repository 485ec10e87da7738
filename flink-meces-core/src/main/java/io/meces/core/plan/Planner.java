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

package io.meces.core.plan;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Cuts the way from one assignment to another into steps.
 *
 * <p>In each step a subtask gives at most {@code batchSize} key-groups and takes at most as many,
 * and donors and receivers form no circle (see {@link Step}). Each key-group moves at most once.
 * Steps are filled greedily: a step ends when no remaining move fits into it. Where donors and
 * receivers are disjoint, as in {@link MinimalMoveStrategy}, a plan has fewer steps than the sum of
 * what its busiest donor and its busiest receiver need each.
 *
 * <p>Deterministic, without state.
 */
public final class Planner {

    private Planner() {}

    /**
     * The plan from one assignment to the other.
     *
     * @param batchSize key-groups that a subtask gives, and that it takes, at most in one step
     * @throws IllegalArgumentException if the batch size is below 1 or the assignments are of
     *     different numbers of key-groups
     */
    public static RescalePlan plan(Assignment current, Assignment target, int batchSize) {
        if (batchSize < 1) {
            throw new IllegalArgumentException(
                    "A batch size of " + batchSize + " moves nothing: it must be at least 1.");
        }
        if (current.keyGroups() != target.keyGroups()) {
            throw new IllegalArgumentException(
                    "Cannot plan from "
                            + current.keyGroups()
                            + " to "
                            + target.keyGroups()
                            + " key-groups: a vertex keeps its max parallelism.");
        }
        return new RescalePlan(current, target, new Remaining(current, target).steps(batchSize));
    }

    /**
     * The same way with other steps.
     *
     * @param completed how many of its steps are to stay as they are
     * @param batchSize as for {@link #plan}, for those behind them
     */
    public static RescalePlan recut(RescalePlan plan, int completed, int batchSize) {
        List<Step> steps = new ArrayList<>(plan.steps().subList(0, completed));
        steps.addAll(plan(plan.after(completed), plan.to(), batchSize).steps());
        return new RescalePlan(plan.from(), plan.to(), steps);
    }

    /** The moves from one subtask to one other that are still to be put into a step. */
    private static final class Pair {
        final int from;
        final int to;
        final Deque<Move> moves = new ArrayDeque<>();

        Pair(int from, int to) {
            this.from = from;
            this.to = to;
        }
    }

    /** All that is still to be put into a step. */
    private static final class Remaining {
        private final int subtasks;
        private final int[] toGive;
        private final int[] toTake;
        private final List<Pair> pairs;

        Remaining(Assignment current, Assignment target) {
            subtasks = Math.max(current.parallelism(), target.parallelism());
            toGive = new int[subtasks];
            toTake = new int[subtasks];
            Map<Integer, Pair> byEnds = new TreeMap<>();
            for (int keyGroup = 0; keyGroup < current.keyGroups(); keyGroup++) {
                int from = current.owner(keyGroup);
                int to = target.owner(keyGroup);
                if (from != to) {
                    toGive[from]++;
                    toTake[to]++;
                    byEnds.computeIfAbsent(from * subtasks + to, ignored -> new Pair(from, to))
                            .moves
                            .add(new Move(keyGroup, from, to));
                }
            }
            pairs = new ArrayList<>(byEnds.values());
        }

        List<Step> steps(int batchSize) {
            List<Step> steps = new ArrayList<>();
            while (!pairs.isEmpty()) {
                steps.add(nextStep(batchSize));
            }
            return steps;
        }

        /** Goes round the pairs, and takes one move of each, until nothing more fits. */
        private Step nextStep(int batchSize) {
            List<Move> moves = new ArrayList<>();
            Reachability donorToReceiver = new Reachability(subtasks);
            int[] given = new int[subtasks];
            int[] taken = new int[subtasks];
            List<Pair> open = new ArrayList<>(pairs);
            while (!open.isEmpty()) {
                open.sort(busiestFirst());
                // A pair that does not fit now will not fit later in this step either.
                open.removeIf(
                        pair -> {
                            if (given[pair.from] == batchSize
                                    || taken[pair.to] == batchSize
                                    || !donorToReceiver.connect(pair.from, pair.to)) {
                                return true;
                            }
                            given[pair.from]++;
                            taken[pair.to]++;
                            toGive[pair.from]--;
                            toTake[pair.to]--;
                            moves.add(pair.moves.remove());
                            return pair.moves.isEmpty();
                        });
            }
            pairs.removeIf(pair -> pair.moves.isEmpty());
            return new Step(moves);
        }

        /**
         * The subtask with most left to do decides how many steps are needed, so its moves come
         * first. Among equals donors take turns, each beginning with another receiver.
         */
        private Comparator<Pair> busiestFirst() {
            return Comparator.<Pair>comparingInt(
                            pair -> -Math.max(toGive[pair.from], toTake[pair.to]))
                    .thenComparingInt(pair -> Math.floorMod(pair.to - pair.from, subtasks))
                    .thenComparingInt(pair -> pair.from);
        }
    }
}
