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

package io.meces.runtime.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Evens out the measured load with few moves.
 *
 * <p>First the key-groups of subtasks that leave go to whoever has least to do, the busiest ones
 * first. Then the busiest subtask that can give one away to its profit gives one to the least busy,
 * the one that brings the two closest together; where several do about as well, that with the least
 * state. It ends when nobody has more than 5 % above the average, or all who have would not gain:
 * then a subtask exceeds the least busy one by no more than its lightest key-group. Key-groups with
 * less than a tenth of the load of an average one are not worth a move; they count as at least a
 * hundredth of it, so that an idle vertex is evened out by number.
 *
 * <p>Deterministic and without state; what it computes with is whole numbers.
 */
public final class LoadAwareStrategy implements RepartitionStrategy {

    /** Per mille of the average load that are not worth a move. */
    private static final long TOLERANCE = 50;

    /** Per mille of the average load that are not worth the move of a larger state. */
    private static final long ABOUT_EQUAL = 10;

    /** Bounds the time; more moves per key-group than ever were seen to be needed. */
    private static final int ROUNDS_PER_KEY_GROUP = 16;

    @Override
    public boolean usesLoad() {
        return true;
    }

    @Override
    public Assignment target(Assignment current, int parallelism, VertexLoad load) {
        Assignment.checkParallelism(current.keyGroups(), parallelism);
        Balance balance = new Balance(current, parallelism, load);
        balance.placeOrphans();
        balance.fillEmpty();
        balance.evenOut(ROUNDS_PER_KEY_GROUP * current.keyGroups());
        return Assignment.of(balance.owners);
    }

    /** What each key-group weighs: thousandths of a record per second, and a little for being. */
    static long[] weights(VertexLoad load, int keyGroups) {
        long[] weights = new long[keyGroups];
        long total = 0;
        for (int keyGroup = 0; keyGroup < keyGroups; keyGroup++) {
            weights[keyGroup] = Math.round(load.recordsPerSecond(keyGroup) * 1_000);
            total += weights[keyGroup];
        }
        long base = Math.max(1, total / keyGroups / 100);
        for (int keyGroup = 0; keyGroup < keyGroups; keyGroup++) {
            weights[keyGroup] += base;
        }
        return weights;
    }

    static long worthAMove(long[] weights) {
        return Arrays.stream(weights).sum() / weights.length / 10;
    }

    /** An assignment on its way to balance. */
    private static final class Balance {
        private final VertexLoad load;
        private final long[] weights;
        private final int[] owners;

        /** The key-groups and the weight of each subtask that stays or comes. */
        private final List<List<Integer>> keyGroups = new ArrayList<>();

        private final long[] sums;
        private final long average;
        private final long worthAMove;
        private final List<Integer> orphans = new ArrayList<>();

        Balance(Assignment current, int parallelism, VertexLoad load) {
            this.load = load;
            this.weights = weights(load, current.keyGroups());
            this.owners = current.toArray();
            this.sums = new long[parallelism];
            for (int subtask = 0; subtask < parallelism; subtask++) {
                keyGroups.add(new ArrayList<>());
            }
            long total = 0;
            for (int keyGroup = 0; keyGroup < owners.length; keyGroup++) {
                total += weights[keyGroup];
                if (owners[keyGroup] < parallelism) {
                    give(keyGroup, owners[keyGroup]);
                } else {
                    orphans.add(keyGroup);
                }
            }
            this.average = total / parallelism;
            this.worthAMove = worthAMove(weights);
        }

        private void give(int keyGroup, int to) {
            owners[keyGroup] = to;
            keyGroups.get(to).add(keyGroup);
            sums[to] += weights[keyGroup];
        }

        private void move(int keyGroup, int to) {
            int from = owners[keyGroup];
            keyGroups.get(from).remove((Integer) keyGroup);
            sums[from] -= weights[keyGroup];
            give(keyGroup, to);
        }

        void placeOrphans() {
            orphans.sort(Comparator.<Integer>comparingLong(keyGroup -> -weights[keyGroup]));
            orphans.forEach(keyGroup -> give(keyGroup, leastBusy()));
        }

        /** Each subtask gets something, even where all others are within the tolerance. */
        void fillEmpty() {
            for (int empty = leastBusy(); sums[empty] == 0; empty = leastBusy()) {
                evenOutOnce(empty, 0, 0);
            }
        }

        void evenOut(int rounds) {
            long tolerated = average + average * TOLERANCE / 1_000;
            for (int round = 0; round < rounds; round++) {
                if (!evenOutOnce(leastBusy(), tolerated, worthAMove)) {
                    return;
                }
            }
        }

        /** Whether somebody above the bound has given a key-group to the receiver. */
        private boolean evenOutOnce(int receiver, long bound, long lightest) {
            for (int donor : busiestFirst()) {
                if (sums[donor] <= bound) {
                    return false;
                }
                int keyGroup = best(donor, receiver, lightest);
                if (keyGroup >= 0) {
                    move(keyGroup, receiver);
                    return true;
                }
            }
            return false;
        }

        /** The key-group to move; -1 if none makes the busier of the two less busy. */
        private int best(int donor, int receiver, long lightest) {
            long difference = sums[donor] - sums[receiver];
            List<Integer> possible =
                    keyGroups.get(donor).size() < 2
                            ? new ArrayList<>()
                            : keyGroups.get(donor).stream()
                                    .filter(keyGroup -> weights[keyGroup] < difference)
                                    .filter(keyGroup -> weights[keyGroup] >= lightest)
                                    .collect(Collectors.toList());
            long least =
                    possible.stream()
                            .mapToLong(keyGroup -> Math.abs(difference - 2 * weights[keyGroup]))
                            .min()
                            .orElse(-1);
            long aboutLeast = least + average * ABOUT_EQUAL / 1_000;
            return possible.stream()
                    .filter(keyGroup -> Math.abs(difference - 2 * weights[keyGroup]) <= aboutLeast)
                    .min(
                            Comparator.<Integer>comparingLong(load::entries)
                                    .thenComparingInt(keyGroup -> keyGroup))
                    .orElse(-1);
        }

        private int leastBusy() {
            int least = 0;
            for (int subtask = 1; subtask < sums.length; subtask++) {
                least = sums[subtask] < sums[least] ? subtask : least;
            }
            return least;
        }

        private List<Integer> busiestFirst() {
            return IntStream.range(0, sums.length)
                    .boxed()
                    .sorted(Comparator.<Integer>comparingLong(subtask -> -sums[subtask]))
                    .collect(Collectors.toList());
        }
    }
}
