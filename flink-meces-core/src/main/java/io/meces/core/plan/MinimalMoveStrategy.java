// SPDX-License-Identifier: Apache-2.0
package io.meces.core.plan;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;

/**
 * Gives each subtask an equal share of the key-groups, the floor or the ceiling of key-groups /
 * parallelism, with the fewest moves: a subtask that stays gives only what it has above its share,
 * or takes only what it lacks. The larger shares go to those that own most already, since each such
 * choice saves a move.
 *
 * <p>It knows nothing of load: key-groups count as equal. Deterministic and without state.
 */
public final class MinimalMoveStrategy implements RepartitionStrategy {

    @Override
    public Assignment target(Assignment current, int parallelism, VertexLoad load) {
        Assignment.checkParallelism(current.keyGroups(), parallelism);
        int subtasks = Math.max(current.parallelism(), parallelism);
        int[] owned = owned(current, subtasks);
        int[] shares = shares(owned, current.keyGroups(), parallelism);

        Deque<Integer> surplus = surplus(current, owned, shares);
        int[] target = current.toArray();
        // Both sides take turns, so that every donor has work for as many receivers as possible.
        while (!surplus.isEmpty()) {
            for (int receiver = 0; receiver < subtasks && !surplus.isEmpty(); receiver++) {
                if (owned[receiver] < shares[receiver]) {
                    owned[receiver]++;
                    target[surplus.remove()] = receiver;
                }
            }
        }
        return Assignment.of(target);
    }

    private static int[] owned(Assignment current, int subtasks) {
        int[] owned = new int[subtasks];
        for (int keyGroup = 0; keyGroup < current.keyGroups(); keyGroup++) {
            owned[current.owner(keyGroup)]++;
        }
        return owned;
    }

    /** How many key-groups each subtask shall own; 0 for those that leave. */
    private static int[] shares(int[] owned, int keyGroups, int parallelism) {
        List<Integer> richestFirst = new ArrayList<>();
        for (int subtask = 0; subtask < parallelism; subtask++) {
            richestFirst.add(subtask);
        }
        richestFirst.sort(Comparator.<Integer>comparingInt(subtask -> -owned[subtask]));
        int[] shares = new int[owned.length];
        for (int rank = 0; rank < parallelism; rank++) {
            shares[richestFirst.get(rank)] =
                    keyGroups / parallelism + (rank < keyGroups % parallelism ? 1 : 0);
        }
        return shares;
    }

    /** The key-groups to give away, one of each donor in turn; a donor gives its highest ones. */
    private static Deque<Integer> surplus(Assignment current, int[] owned, int[] shares) {
        List<Deque<Integer>> ofDonors = new ArrayList<>();
        int left = 0;
        for (int subtask = 0; subtask < owned.length; subtask++) {
            if (owned[subtask] > shares[subtask]) {
                List<Integer> keyGroups = current.keyGroupsOf(subtask);
                ofDonors.add(
                        new ArrayDeque<>(keyGroups.subList(shares[subtask], keyGroups.size())));
                left += owned[subtask] - shares[subtask];
            }
        }
        Deque<Integer> surplus = new ArrayDeque<>();
        while (surplus.size() < left) {
            for (Deque<Integer> ofDonor : ofDonors) {
                if (!ofDonor.isEmpty()) {
                    surplus.add(ofDonor.remove());
                }
            }
        }
        return surplus;
    }
}
