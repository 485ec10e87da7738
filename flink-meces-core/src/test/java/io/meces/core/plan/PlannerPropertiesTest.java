// SPDX-License-Identifier: Apache-2.0
package io.meces.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Tuple.Tuple2;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.domains.Domain;
import net.jqwik.api.domains.DomainContext;

@Domain(Assignments.class)
@Domain(DomainContext.Global.class)
class PlannerPropertiesTest {

    @Property
    void leadsExactlyFromCurrentToTarget(
            @ForAll Tuple2<Assignment, Assignment> ends,
            @ForAll @IntRange(min = 1, max = 20) int batchSize) {
        RescalePlan plan = Planner.plan(ends.get1(), ends.get2(), batchSize);

        Assignment reached = ends.get1();
        for (Step step : plan.steps()) {
            reached = reached.with(step.moves());
        }
        assertThat(reached).isEqualTo(ends.get2());
        assertThat(plan.countsBefore()).isEqualTo(ends.get1().counts());
        assertThat(plan.countsAfter()).isEqualTo(ends.get2().counts());
    }

    @Property
    void movesEachKeyGroupOnceAndOnlyWhereItMust(
            @ForAll Tuple2<Assignment, Assignment> ends,
            @ForAll @IntRange(min = 1, max = 20) int batchSize) {
        Set<Integer> moved = new HashSet<>();
        for (Move move : Planner.plan(ends.get1(), ends.get2(), batchSize).moves()) {
            assertThat(moved.add(move.keyGroup())).isTrue();
            assertThat(move.from()).isEqualTo(ends.get1().owner(move.keyGroup()));
            assertThat(move.to()).isEqualTo(ends.get2().owner(move.keyGroup()));
        }
    }

    @Property
    void keepsEverySubtaskWithinTheBatchSize(
            @ForAll Tuple2<Assignment, Assignment> ends,
            @ForAll @IntRange(min = 1, max = 20) int batchSize) {
        for (Step step : Planner.plan(ends.get1(), ends.get2(), batchSize).steps()) {
            Map<Integer, Integer> given = new HashMap<>();
            Map<Integer, Integer> taken = new HashMap<>();
            for (Move move : step.moves()) {
                given.merge(move.from(), 1, Integer::sum);
                taken.merge(move.to(), 1, Integer::sum);
            }
            assertThat(given.values()).allMatch(count -> count <= batchSize);
            assertThat(taken.values()).allMatch(count -> count <= batchSize);
            assertThat(step.donors()).isEqualTo(given.keySet());
            assertThat(step.receivers()).isEqualTo(taken.keySet());
        }
    }

    @Property
    void hasNoCircleOfDonorsAndReceivers(
            @ForAll Tuple2<Assignment, Assignment> ends,
            @ForAll @IntRange(min = 1, max = 20) int batchSize) {
        for (Step step : Planner.plan(ends.get1(), ends.get2(), batchSize).steps()) {
            assertAcyclic(step);
        }
    }

    @Property
    void endsAStepOnlyWhenNothingMoreFits(
            @ForAll Tuple2<Assignment, Assignment> ends,
            @ForAll @IntRange(min = 1, max = 20) int batchSize) {
        List<Step> steps = Planner.plan(ends.get1(), ends.get2(), batchSize).steps();
        for (int i = 0; i + 1 < steps.size(); i++) {
            List<Move> filled = steps.get(i).moves();
            for (Move later : steps.get(i + 1).moves()) {
                List<Move> withLater = new ArrayList<>(filled);
                withLater.add(later);
                boolean fits =
                        filled.stream().filter(m -> m.from() == later.from()).count() < batchSize
                                && filled.stream().filter(m -> m.to() == later.to()).count()
                                        < batchSize
                                && sorted(withLater);
                assertThat(fits).as("%s also fits into step %s", later, i).isFalse();
            }
        }
    }

    @Property
    void needsFewStepsWhereDonorsAndReceiversAreDisjoint(
            @ForAll Tuple2<Assignment, Integer> scaling,
            @ForAll @IntRange(min = 1, max = 20) int batchSize) {
        Assignment target =
                new MinimalMoveStrategy()
                        .target(scaling.get1(), scaling.get2(), VertexLoad.unknown());
        RescalePlan plan = Planner.plan(scaling.get1(), target, batchSize);
        int given = 0;
        int taken = 0;
        for (int subtask = 0; subtask < plan.from().keyGroups() + 10; subtask++) {
            int index = subtask;
            given =
                    Math.max(
                            given,
                            (int) plan.moves().stream().filter(m -> m.from() == index).count());
            taken =
                    Math.max(
                            taken,
                            (int) plan.moves().stream().filter(m -> m.to() == index).count());
        }
        int fewest = steps(Math.max(given, taken), batchSize);
        int most = given == 0 ? 0 : steps(given, batchSize) + steps(taken, batchSize) - 1;
        assertThat(plan.steps().size()).isBetween(fewest, most);
    }

    @Property
    void stepsCanBeCutOtherwiseBehindThoseThatAreCompleted(
            @ForAll Tuple2<Assignment, Assignment> ends,
            @ForAll @IntRange(min = 1, max = 20) int batchSize,
            @ForAll @IntRange(min = 1, max = 20) int otherSize,
            @ForAll @IntRange(max = 20) int completed) {
        List<Step> planned = Planner.plan(ends.get1(), ends.get2(), batchSize).steps();
        MovesLeft left = new MovesLeft(ends.get1(), ends.get2());
        Assignment reached = ends.get1();
        for (Step step : planned.subList(0, Math.min(completed, planned.size()))) {
            assertThat(left.cut(otherSize).size()).as("looked at").isLessThanOrEqualTo(otherSize);
            assertThat(left.cut(batchSize)).isEqualTo(step);
            left.remove(step);
            reached = reached.with(step.moves());
        }
        List<Step> asIfPlanned = Planner.plan(reached, ends.get2(), otherSize).steps();
        boolean asMany = subtasks(reached, ends.get2()) == subtasks(ends.get1(), ends.get2());
        List<Step> cut = new ArrayList<>();
        while (!left.isEmpty()) {
            Step step = left.cut(otherSize);
            cut.add(step);
            Set<Integer> ending = left.endingWith(step);
            left.remove(step);
            reached = reached.with(step.moves());
            assertThat(left.busiest()).isEqualTo(busiest(reached, ends.get2()));
            for (int subtask : subtasksOf(step)) {
                boolean gives = gives(subtask, reached, ends.get2());
                assertThat(left.gives(subtask)).isEqualTo(gives);
                assertThat(ending.contains(subtask))
                        .isEqualTo(!gives && !gives(subtask, ends.get2(), reached));
            }
        }
        assertThat(reached).isEqualTo(ends.get2());
        if (asMany) {
            assertThat(cut).isEqualTo(asIfPlanned);
        }
    }

    private static int subtasks(Assignment one, Assignment other) {
        return Math.max(one.parallelism(), other.parallelism());
    }

    private static Set<Integer> subtasksOf(Step step) {
        Set<Integer> subtasks = new HashSet<>(step.donors());
        subtasks.addAll(step.receivers());
        return subtasks;
    }

    private static boolean gives(int subtask, Assignment from, Assignment to) {
        return !to.keyGroupsOf(subtask).containsAll(from.keyGroupsOf(subtask));
    }

    private static int busiest(Assignment from, Assignment to) {
        int most = 0;
        for (int subtask = 0; subtask < subtasks(from, to); subtask++) {
            Set<Integer> given = new HashSet<>(from.keyGroupsOf(subtask));
            given.removeAll(to.keyGroupsOf(subtask));
            Set<Integer> taken = new HashSet<>(to.keyGroupsOf(subtask));
            taken.removeAll(from.keyGroupsOf(subtask));
            most = Math.max(most, Math.max(given.size(), taken.size()));
        }
        return most;
    }

    @Property
    void isDeterministic(
            @ForAll Tuple2<Assignment, Assignment> ends,
            @ForAll @IntRange(min = 1, max = 20) int batchSize) {
        assertThat(Planner.plan(ends.get1(), ends.get2(), batchSize))
                .isEqualTo(Planner.plan(ends.get1(), ends.get2(), batchSize));
    }

    @Property(tries = 200)
    void splitsEveryPermutationOfSubtasks(
            @ForAll @IntRange(min = 2, max = 12) int subtasks, @ForAll Random random) {
        List<Integer> permuted = new ArrayList<>();
        for (int subtask = 0; subtask < subtasks; subtask++) {
            permuted.add(subtask);
        }
        Collections.shuffle(permuted, random);
        int[] before = new int[subtasks];
        int[] after = new int[subtasks];
        for (int keyGroup = 0; keyGroup < subtasks; keyGroup++) {
            before[keyGroup] = keyGroup;
            after[keyGroup] = permuted.get(keyGroup);
        }
        RescalePlan plan = Planner.plan(Assignment.of(before), Assignment.of(after), 16);
        plan.steps().forEach(PlannerPropertiesTest::assertAcyclic);
        // One move of each circle is enough to open it.
        assertThat(plan.steps().size()).isLessThanOrEqualTo(2);
    }

    /** Donors of a step have equal shares of it: none waits while another empties itself. */
    @Example
    void letsDonorsTakeTurns() {
        Assignment current = Assignment.contiguous(128, 4);
        Assignment target = new MinimalMoveStrategy().target(current, 5, VertexLoad.unknown());
        for (Step step : Planner.plan(current, target, 8).steps()) {
            int smallest = Integer.MAX_VALUE;
            int largest = 0;
            for (int donor : step.donors()) {
                int count = (int) step.moves().stream().filter(m -> m.from() == donor).count();
                smallest = Math.min(smallest, count);
                largest = Math.max(largest, count);
            }
            assertThat(largest - smallest).as(step.toString()).isLessThanOrEqualTo(1);
        }
    }

    private static int steps(int moves, int batchSize) {
        return (moves + batchSize - 1) / batchSize;
    }

    private static void assertAcyclic(Step step) {
        assertThat(sorted(step.moves())).as("%s is acyclic", step).isTrue();
    }

    /** Sorts topologically, another way than the planner's; false if there is a circle. */
    private static boolean sorted(List<Move> moves) {
        List<Move> left = new ArrayList<>(moves);
        boolean removed = true;
        while (removed) {
            Set<Integer> receivers = new HashSet<>();
            left.forEach(move -> receivers.add(move.to()));
            removed = left.removeIf(move -> !receivers.contains(move.from()));
        }
        return left.isEmpty();
    }
}
