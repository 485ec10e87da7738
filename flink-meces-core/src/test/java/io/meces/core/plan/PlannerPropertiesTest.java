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
        assertThat(plan.after(plan.steps().size())).isEqualTo(ends.get2());
        assertThat(plan.after(0)).isEqualTo(ends.get1());
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
    void stepsCanBeCutAnewBehindThoseThatAreCompleted(
            @ForAll Tuple2<Assignment, Assignment> ends,
            @ForAll @IntRange(min = 1, max = 20) int batchSize,
            @ForAll @IntRange(min = 1, max = 20) int otherSize,
            @ForAll @IntRange(max = 20) int completed) {
        RescalePlan plan = Planner.plan(ends.get1(), ends.get2(), batchSize);
        int kept = Math.min(completed, plan.steps().size());

        RescalePlan cut = Planner.recut(plan, kept, otherSize);
        assertThat(cut.steps().subList(0, kept)).isEqualTo(plan.steps().subList(0, kept));
        assertThat(cut.steps().subList(kept, cut.steps().size()))
                .isEqualTo(Planner.plan(plan.after(kept), ends.get2(), otherSize).steps());
        assertThat(cut.to()).isEqualTo(ends.get2());
        assertThat(cut.moves()).containsExactlyInAnyOrderElementsOf(plan.moves());
        assertThat(Planner.recut(plan, 0, batchSize)).isEqualTo(plan);
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
