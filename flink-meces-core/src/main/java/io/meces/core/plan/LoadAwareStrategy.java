// SPDX-License-Identifier: Apache-2.0
package io.meces.core.plan;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Evens out the measured load with few moves; state is not evened out.
 *
 * <p>First the key-groups of subtasks that leave go to whoever has least to do, the busiest ones
 * first. Then the busiest subtask that can give one away to its profit gives one to the least busy,
 * the one that brings the two closest together; where several do about as well, that with the least
 * state. It ends when nobody has more than a tenth above the least busy one, or all who have would
 * not gain: then they exceed it by no more than their lightest key-group.
 *
 * <p>Key-groups with less than a tenth of the median load are not worth a move, unless a subtask
 * would have none. They count as at least a hundredth of it, so that an idle vertex is evened out
 * by number. Deterministic and without state; what it computes with is whole numbers.
 */
public final class LoadAwareStrategy implements RepartitionStrategy {

    /** Bounds the time; more moves per key-group than ever were seen to be needed. */
    private static final int ROUNDS_PER_KEY_GROUP = 16;

    /** Of so many key-groups that do as well the one with the least state is chosen. */
    private static final int CHOICE = 64;

    @Override
    public boolean usesLoad() {
        return true;
    }

    @Override
    public Assignment target(Assignment current, int parallelism, VertexLoad load) {
        Assignment.checkParallelism(current.keyGroups(), parallelism);
        Balance balance = new Balance(current, parallelism, load);
        balance.placeOrphans();
        balance.evenOut();
        return Assignment.of(balance.owners);
    }

    /** What each key-group weighs: thousandths of a record per second, and a little for being. */
    static long[] weights(VertexLoad load, int keyGroups) {
        long base = Math.max(1, median(load, keyGroups) / 100);
        return IntStream.range(0, keyGroups).mapToLong(k -> milli(load, k) + base).toArray();
    }

    static long worthAMove(VertexLoad load, int keyGroups) {
        return median(load, keyGroups) / 10;
    }

    /** Of those that have any. */
    private static long median(VertexLoad load, int keyGroups) {
        long[] sorted =
                IntStream.range(0, keyGroups)
                        .mapToLong(keyGroup -> milli(load, keyGroup))
                        .filter(weight -> weight > 0)
                        .sorted()
                        .toArray();
        return sorted.length == 0 ? 0 : sorted[sorted.length / 2];
    }

    private static long milli(VertexLoad load, int keyGroup) {
        return Math.round(load.recordsPerSecond(keyGroup) * 1_000);
    }

    /** An assignment on its way to balance. */
    private static final class Balance {
        private final VertexLoad load;
        private final long[] weights;
        private final long worthAMove;
        final int[] owners;

        /** The key-groups in ascending order of their weight, their weights, and their ranks. */
        private final int[] byRank;

        private final long[] sortedWeights;
        private final int[] ranks;

        /** The ranks of the key-groups, and their weight, of each subtask that stays or comes. */
        private final List<NavigableSet<Integer>> owned = new ArrayList<>();

        private final long[] sums;

        /** The subtasks, the least busy one first. */
        private final NavigableSet<Integer> byLoad;

        private final List<Integer> orphans = new ArrayList<>();

        Balance(Assignment current, int parallelism, VertexLoad load) {
            this.load = load;
            this.owners = current.toArray();
            this.weights = weights(load, owners.length);
            this.worthAMove = worthAMove(load, owners.length);
            this.byRank =
                    IntStream.range(0, owners.length)
                            .boxed()
                            .sorted(Comparator.comparingLong(keyGroup -> weights[keyGroup]))
                            .mapToInt(Integer::intValue)
                            .toArray();
            this.sortedWeights = Arrays.stream(byRank).mapToLong(k -> weights[k]).toArray();
            this.ranks = new int[owners.length];
            for (int rank = 0; rank < byRank.length; rank++) {
                ranks[byRank[rank]] = rank;
            }
            this.sums = new long[parallelism];
            for (int subtask = 0; subtask < parallelism; subtask++) {
                owned.add(new TreeSet<>());
            }
            this.byLoad =
                    new TreeSet<>(
                            Comparator.<Integer>comparingLong(subtask -> sums[subtask])
                                    .thenComparingInt(subtask -> subtask));
            IntStream.range(0, parallelism).forEach(byLoad::add);
            for (int keyGroup = 0; keyGroup < owners.length; keyGroup++) {
                if (owners[keyGroup] < parallelism) {
                    give(keyGroup, owners[keyGroup]);
                } else {
                    orphans.add(keyGroup);
                }
            }
        }

        private void give(int keyGroup, int to) {
            owners[keyGroup] = to;
            owned.get(to).add(ranks[keyGroup]);
            weigh(to, weights[keyGroup]);
        }

        private void weigh(int subtask, long more) {
            byLoad.remove(subtask);
            sums[subtask] += more;
            byLoad.add(subtask);
        }

        private void move(int keyGroup, int to) {
            int from = owners[keyGroup];
            owned.get(from).remove(ranks[keyGroup]);
            weigh(from, -weights[keyGroup]);
            give(keyGroup, to);
        }

        void placeOrphans() {
            orphans.sort(Comparator.comparingLong(keyGroup -> -weights[keyGroup]));
            orphans.forEach(keyGroup -> give(keyGroup, byLoad.first()));
        }

        void evenOut() {
            for (int round = 0; round < ROUNDS_PER_KEY_GROUP * owners.length; round++) {
                if (!giveTo(byLoad.first())) {
                    return;
                }
            }
        }

        /** Whether somebody with clearly more to do has given a key-group to the receiver. */
        private boolean giveTo(int receiver) {
            for (int donor : byLoad.descendingSet()) {
                if (10 * (sums[donor] - sums[receiver]) <= sums[donor]) {
                    return false;
                }
                int keyGroup = best(donor, receiver);
                if (keyGroup >= 0) {
                    move(keyGroup, receiver);
                    return true;
                }
            }
            return false;
        }

        /** The key-group to move; -1 if none makes the busier of the two less busy. */
        private int best(int donor, int receiver) {
            if (owned.get(donor).size() < 2) {
                return -1;
            }
            long difference = sums[donor] - sums[receiver];
            long lightest = owned.get(receiver).isEmpty() ? 0 : worthAMove;
            NavigableSet<Integer> possible = between(owned.get(donor), lightest, difference - 1);
            // the best has half the difference; the next best ones are those around it
            int middle = firstFrom(difference / 2 + 1);
            Integer below = possible.lower(middle);
            Integer above = possible.ceiling(middle);
            if (below == null && above == null) {
                return -1;
            }
            long least = Math.min(distance(below, difference), distance(above, difference));
            long aboutLeast = least + difference / 100;
            return between(
                            possible,
                            Math.max(lightest, (difference - aboutLeast + 1) / 2),
                            Math.min(difference - 1, (difference + aboutLeast) / 2))
                    .stream()
                    .limit(CHOICE)
                    .map(rank -> byRank[rank])
                    .min(
                            Comparator.<Integer>comparingLong(load::entries)
                                    .thenComparingInt(keyGroup -> keyGroup))
                    .orElse(-1);
        }

        /** How far apart the two would be after the move. */
        private long distance(Integer rank, long difference) {
            return rank == null ? Long.MAX_VALUE : Math.abs(difference - 2 * sortedWeights[rank]);
        }

        /** Those of a weight within the bounds, inclusively. */
        private NavigableSet<Integer> between(
                NavigableSet<Integer> of, long lightest, long heaviest) {
            int from = firstFrom(lightest);
            int to = firstFrom(heaviest + 1);
            return of.subSet(from, true, Math.max(from, to), false);
        }

        /** The least rank with at least that weight. */
        private int firstFrom(long weight) {
            int low = 0;
            int high = sortedWeights.length;
            while (low < high) {
                int middle = (low + high) >>> 1;
                if (sortedWeights[middle] < weight) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return low;
        }
    }
}
