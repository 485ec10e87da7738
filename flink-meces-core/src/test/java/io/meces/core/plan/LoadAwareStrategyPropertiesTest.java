// SPDX-License-Identifier: Apache-2.0
package io.meces.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Tuple.Tuple2;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.domains.Domain;
import net.jqwik.api.domains.DomainContext;

@Domain(Assignments.class)
@Domain(DomainContext.Global.class)
class LoadAwareStrategyPropertiesTest {

    private final LoadAwareStrategy strategy = new LoadAwareStrategy();

    /** Some key-groups idle, most with little, some with very much to do. */
    private static VertexLoad skewed(int keyGroups, long seed) {
        Random random = new Random(seed);
        double[] rates = new double[keyGroups];
        long[] entries = new long[keyGroups];
        for (int keyGroup = 0; keyGroup < keyGroups; keyGroup++) {
            rates[keyGroup] =
                    random.nextInt(4) == 0 ? 0 : 10 / Math.pow(1 - random.nextDouble(), 1.2);
            entries[keyGroup] = random.nextInt(1_000);
        }
        return VertexLoad.of(rates, entries);
    }

    private static long[] sums(Assignment assignment, long[] weights) {
        long[] sums = new long[assignment.parallelism()];
        for (int keyGroup = 0; keyGroup < weights.length; keyGroup++) {
            sums[assignment.owner(keyGroup)] += weights[keyGroup];
        }
        return sums;
    }

    private static void assertBalanced(Assignment target, VertexLoad load, int parallelism) {
        assertThat(target.counts()).hasSize(parallelism).doesNotContain(0);
        long[] weights = LoadAwareStrategy.weights(load, target.keyGroups());
        long[] sums = sums(target, weights);
        long least = Arrays.stream(sums).min().getAsLong();
        long worthAMove = LoadAwareStrategy.worthAMove(load, target.keyGroups());
        for (int subtask = 0; subtask < parallelism; subtask++) {
            List<Integer> keyGroups = target.keyGroupsOf(subtask);
            long lightest =
                    keyGroups.stream()
                            .mapToLong(k -> weights[k])
                            .filter(weight -> weight >= worthAMove)
                            .min()
                            .orElse(Long.MAX_VALUE);
            assertThat(
                            keyGroups.size() == 1
                                    || 10 * (sums[subtask] - least) <= sums[subtask]
                                    || sums[subtask] - least <= lightest)
                    .as("subtask %s of %s: %s", subtask, target, Arrays.toString(sums))
                    .isTrue();
        }
    }

    @Property
    void nobodyCouldGainByGivingAKeyGroupAway(
            @ForAll Tuple2<Assignment, Integer> scaling, @ForAll long seed) {
        VertexLoad load = skewed(scaling.get1().keyGroups(), seed);
        Assignment target = strategy.target(scaling.get1(), scaling.get2(), load);
        assertBalanced(target, load, scaling.get2());
        assertThat(strategy.target(scaling.get1(), scaling.get2(), load)).isEqualTo(target);
    }

    @Property
    void staysBalancedOutAndBack(
            @ForAll @IntRange(min = 20, max = 256) int keyGroups,
            @ForAll @IntRange(min = 1, max = 20) int from,
            @ForAll @IntRange(min = 1, max = 20) int to,
            @ForAll long seed) {
        VertexLoad load = skewed(keyGroups, seed);
        Assignment out = strategy.target(Assignment.contiguous(keyGroups, from), to, load);
        assertBalanced(out, load, to);
        Assignment back = strategy.target(out, from, load);
        assertBalanced(back, load, from);
        assertThat(strategy.target(back, from, load)).isEqualTo(back);
    }

    @Property
    void movesNothingWhereLoadIsEven(
            @ForAll @IntRange(min = 1, max = 20) int parallelism,
            @ForAll @IntRange(min = 1, max = 10) int each,
            @ForAll @DoubleRange(min = 0, max = 1e6) double rate) {
        double[] rates = new double[parallelism * each];
        Arrays.fill(rates, rate);
        Assignment current = Assignment.contiguous(rates.length, parallelism);
        assertThat(
                        strategy.target(
                                current, parallelism, VertexLoad.of(rates, new long[rates.length])))
                .isEqualTo(current);
    }

    @Example
    void takesFromTheHotSubtaskAtTheSameParallelism() {
        double[] rates = new double[16];
        Arrays.fill(rates, 100);
        rates[0] = 1_000;
        Assignment current = Assignment.contiguous(16, 4);
        VertexLoad load = VertexLoad.of(rates, new long[16]);
        Assignment target = strategy.target(current, 4, load);
        // What is hot stays where it is, and its neighbours leave: their state is cheaper to move.
        assertThat(target.keyGroupsOf(0)).containsExactly(0);
        assertThat(Planner.plan(current, target, 16).moves()).hasSize(3);
        assertThat(load.perSubtask(target)).containsExactly(1_000.0, 500.0, 500.0, 500.0);
    }

    @Example
    void leavesIdleKeyGroupsWhereTheyAre() {
        double[] rates = new double[16];
        rates[0] = 1_000;
        Assignment current = Assignment.contiguous(16, 4);
        assertThat(strategy.target(current, 4, VertexLoad.of(rates, new long[16])))
                .isEqualTo(current);
    }

    @Example
    void evensOutTheOthersWhereOneKeyGroupIsTooHotForAnybody() {
        double[] rates = new double[64];
        Arrays.fill(rates, 10);
        rates[0] = 100_000;
        Assignment current = Assignment.contiguous(64, 4);
        VertexLoad load = VertexLoad.of(rates, new long[64]);
        List<Double> loads = load.perSubtask(strategy.target(current, 6, load));
        assertThat(loads).filteredOn(each -> each == 100_000).hasSize(1);
        assertThat(loads).filteredOn(each -> each >= 120 && each <= 140).hasSize(5);
    }

    @Example
    void amongEquallyBusyOnesMovesThatWithTheLeastState() {
        double[] rates = new double[8];
        Arrays.fill(rates, 100);
        long[] entries = IntStream.range(0, 8).mapToLong(k -> k == 5 ? 10 : 1_000).toArray();
        Assignment target =
                strategy.target(
                        Assignment.of(0, 0, 0, 1, 1, 1, 1, 1), 2, VertexLoad.of(rates, entries));
        assertThat(target).isEqualTo(Assignment.of(0, 0, 0, 1, 1, 0, 1, 1));
    }

    @Example
    void movesFewOfManyKeyGroups() {
        VertexLoad load = skewed(1024, 7);
        Assignment current = strategy.target(Assignment.contiguous(1024, 8), 8, load);
        Assignment target = strategy.target(current, 9, load);
        assertBalanced(target, load, 9);
        assertThat(Planner.plan(current, target, 16).moves().size()).isLessThan(1024 / 9 * 2);
    }
}
