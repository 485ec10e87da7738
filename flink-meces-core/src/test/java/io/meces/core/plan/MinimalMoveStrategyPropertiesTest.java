// SPDX-License-Identifier: Apache-2.0
package io.meces.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Tuple.Tuple2;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.domains.Domain;
import net.jqwik.api.domains.DomainContext;

@Domain(Assignments.class)
@Domain(DomainContext.Global.class)
class MinimalMoveStrategyPropertiesTest {

    private final MinimalMoveStrategy strategy = new MinimalMoveStrategy();

    @Property
    void givesEachSubtaskAnEqualShare(@ForAll Tuple2<Assignment, Integer> scaling) {
        assertBalanced(
                strategy.target(scaling.get1(), scaling.get2(), VertexLoad.unknown()),
                scaling.get2());
    }

    @Property
    void movesNoMoreThanItMust(@ForAll Tuple2<Assignment, Integer> scaling) {
        Assignment current = scaling.get1();
        int parallelism = scaling.get2();
        Assignment target = strategy.target(current, parallelism, VertexLoad.unknown());

        assertThat(moves(current, target)).isEqualTo(fewestMoves(current, parallelism));
    }

    @Property
    void noSubtaskBothGivesAndTakes(@ForAll Tuple2<Assignment, Integer> scaling) {
        Assignment target = strategy.target(scaling.get1(), scaling.get2(), VertexLoad.unknown());
        for (Step step : Planner.plan(scaling.get1(), target, 1000).steps()) {
            assertThat(step.donors()).doesNotContainAnyElementsOf(step.receivers());
        }
    }

    @Property
    void leavesABalancedAssignmentAlone(@ForAll Tuple2<Assignment, Integer> scaling) {
        Assignment balanced = strategy.target(scaling.get1(), scaling.get2(), VertexLoad.unknown());
        assertThat(strategy.target(balanced, scaling.get2(), VertexLoad.unknown()))
                .isEqualTo(balanced);
    }

    @Property
    void staysBalancedOverManyRescales(
            @ForAll @IntRange(min = 20, max = 300) int keyGroups,
            @ForAll @Size(min = 2, max = 12) List<@IntRange(min = 1, max = 20) Integer> sizes) {
        Assignment assignment = Assignment.contiguous(keyGroups, sizes.get(0));
        for (int parallelism : sizes) {
            Assignment target = strategy.target(assignment, parallelism, VertexLoad.unknown());
            assertBalanced(target, parallelism);
            assertThat(moves(assignment, target)).isEqualTo(fewestMoves(assignment, parallelism));
            assignment = target;
        }
        Assignment back = strategy.target(assignment, sizes.get(0), VertexLoad.unknown());
        assertBalanced(back, sizes.get(0));
    }

    @Example
    void movesAThirdFromTwoToThree() {
        Assignment target = strategy.target(Assignment.contiguous(128, 2), 3, VertexLoad.unknown());
        assertThat(target.counts()).containsExactly(43, 43, 42);
        assertThat(target.toString()).isEqualTo("{0: 0-42, 1: 64-106, 2: 43-63 107-127}");
    }

    private static void assertBalanced(Assignment assignment, int parallelism) {
        int floor = assignment.keyGroups() / parallelism;
        assertThat(assignment.counts()).hasSize(parallelism);
        assertThat(assignment.counts()).allMatch(count -> count == floor || count == floor + 1);
    }

    private static int moves(Assignment from, Assignment to) {
        int moves = 0;
        for (int keyGroup = 0; keyGroup < from.keyGroups(); keyGroup++) {
            moves += from.owner(keyGroup) == to.owner(keyGroup) ? 0 : 1;
        }
        return moves;
    }

    /** What cannot stay: all that is beyond the shares, the larger ones given to the richest. */
    private static int fewestMoves(Assignment current, int parallelism) {
        List<Integer> counts = new ArrayList<>(current.counts());
        while (counts.size() < parallelism) {
            counts.add(0);
        }
        List<Integer> staying = new ArrayList<>(counts.subList(0, parallelism));
        staying.sort(Comparator.reverseOrder());
        int kept = 0;
        for (int rank = 0; rank < parallelism; rank++) {
            int share =
                    current.keyGroups() / parallelism
                            + (rank < current.keyGroups() % parallelism ? 1 : 0);
            kept += Math.min(share, staying.get(rank));
        }
        return current.keyGroups() - kept;
    }
}
