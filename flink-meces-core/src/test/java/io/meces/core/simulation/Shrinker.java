// SPDX-License-Identifier: Apache-2.0
package io.meces.core.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Takes away from a scenario what is not needed for its failure: faults, rescales, records, keys,
 * settings. As the schedule changes with each of them, a few schedules are tried. Greedy: parts of
 * halving size, until no single one can go.
 */
final class Shrinker {

    private static final int SCHEDULES = 8;

    private final Predicate<Scenario> failing;
    private int runsLeft;
    private Scenario smallest;

    private Shrinker(Scenario first, Predicate<Scenario> failing, int maxRuns) {
        this.smallest = first;
        this.failing = failing;
        this.runsLeft = maxRuns;
    }

    /**
     * A scenario that fails as well and is smaller, if one is found.
     *
     * @param first one that fails
     * @param failing runs one and tells whether it fails
     * @param maxRuns how often a scenario may be run to find out
     */
    static Scenario shrink(Scenario first, Predicate<Scenario> failing, int maxRuns) {
        Shrinker shrinker = new Shrinker(first, failing, maxRuns);
        boolean smaller = true;
        while (smaller && shrinker.runsLeft > 0) {
            smaller = shrinker.simplify();
            smaller |= shrinker.dropHappenings();
            for (int u = 0; u < first.inputs().size(); u++) {
                smaller |= shrinker.dropItems(u);
            }
            smaller |= shrinker.mergeKeys();
        }
        return shrinker.smallest;
    }

    private boolean simplify() {
        boolean any = false;
        boolean again = true;
        while (again) {
            again = false;
            for (Scenario candidate : smallest.simpler()) {
                if (fails(candidate)) {
                    any = true;
                    again = true;
                    break;
                }
            }
        }
        return any;
    }

    private boolean dropHappenings() {
        return dropParts(() -> smallest.happenings(), fewer -> smallest.withHappenings(fewer));
    }

    private boolean dropItems(int upstream) {
        return dropParts(
                () -> smallest.inputs().get(upstream),
                fewer -> smallest.withInput(upstream, fewer));
    }

    private <T> boolean dropParts(
            java.util.function.Supplier<List<T>> parts, Function<List<T>, Scenario> with) {
        boolean any = false;
        for (int size = parts.get().size(); size > 0; size /= 2) {
            for (int from = 0; from < parts.get().size(); ) {
                List<T> fewer = new ArrayList<>(parts.get());
                fewer.subList(from, Math.min(from + size, fewer.size())).clear();
                if (fails(with.apply(fewer))) {
                    any = true;
                } else {
                    from += size;
                }
            }
        }
        return any;
    }

    private boolean mergeKeys() {
        TreeSet<Integer> keys = new TreeSet<>();
        for (List<Scenario.Item> items : smallest.inputs()) {
            for (Scenario.Item item : items) {
                if (item.kind == Scenario.Item.Kind.RECORD) {
                    keys.add(item.key);
                }
            }
        }
        boolean any = false;
        while (keys.size() > 1) {
            int last = keys.pollLast();
            any |= fails(smallest.withKey(last, keys.first()));
        }
        return any;
    }

    /** Tries a candidate; it is the smallest from now on if it fails. */
    private boolean fails(Scenario candidate) {
        SplittableRandom seeds = new SplittableRandom(candidate.scheduleSeed());
        for (int i = 0; i < SCHEDULES && runsLeft > 0; i++) {
            Scenario scheduled =
                    i == 0 ? candidate : candidate.withScheduleSeed(seeds.nextInt(1_000_000));
            runsLeft--;
            if (failing.test(scheduled)) {
                smallest = scheduled;
                return true;
            }
        }
        return false;
    }
}
