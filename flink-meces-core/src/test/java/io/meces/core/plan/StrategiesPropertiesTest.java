// SPDX-License-Identifier: Apache-2.0
package io.meces.core.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Tuple.Tuple2;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.domains.Domain;
import net.jqwik.api.domains.DomainContext;

/** What holds for every strategy of ours, and what the ones without a test of their own promise. */
@Domain(Assignments.class)
@Domain(DomainContext.Global.class)
class StrategiesPropertiesTest {

    private static Assignment target(String name, Assignment current, int parallelism) {
        return Repartitioning.named(name).target(current, parallelism, VertexLoad.unknown());
    }

    @Property
    void giveEachSubtaskAKeyGroupAndNoneToOthers(@ForAll Tuple2<Assignment, Integer> scaling) {
        for (String name : Repartitioning.names()) {
            Assignment target = target(name, scaling.get1(), scaling.get2());
            assertThat(target.keyGroups()).as(name).isEqualTo(scaling.get1().keyGroups());
            assertThat(target.counts()).as(name).hasSize(scaling.get2()).doesNotContain(0);
        }
    }

    @Property
    void areDeterministic(@ForAll Tuple2<Assignment, Integer> scaling) {
        for (String name : Repartitioning.names()) {
            assertThat(target(name, scaling.get1(), scaling.get2()))
                    .as(name)
                    .isEqualTo(target(name, scaling.get1(), scaling.get2()));
        }
    }

    @Property
    void leaveAloneWhatIsAsTheyWantIt(@ForAll Tuple2<Assignment, Integer> scaling) {
        for (String name : Repartitioning.names()) {
            Assignment target = target(name, scaling.get1(), scaling.get2());
            assertThat(target(name, target, scaling.get2())).as(name).isEqualTo(target);
        }
    }

    @Property
    void uniformAndConsistentHashingComeBackToWhereTheyBegan(
            @ForAll @IntRange(min = 20, max = 300) int keyGroups,
            @ForAll @IntRange(min = 1, max = 20) int from,
            @ForAll @IntRange(min = 1, max = 20) int to) {
        for (String name : Arrays.asList("uniform", "consistent-hashing")) {
            Assignment begin = target(name, Assignment.contiguous(keyGroups, 1), from);
            assertThat(target(name, target(name, begin, to), from)).as(name).isEqualTo(begin);
        }
    }

    @Property
    void uniformIsFlinksOwnAssignment(@ForAll Tuple2<Assignment, Integer> scaling) {
        assertThat(target("uniform", scaling.get1(), scaling.get2()))
                .isEqualTo(Assignment.contiguous(scaling.get1().keyGroups(), scaling.get2()));
    }

    @Property
    void consistentHashingGivesNobodyMoreThanAQuarterAboveAnEqualShare(
            @ForAll @IntRange(min = 1, max = 4096) int keyGroups,
            @ForAll @IntRange(min = 1, max = 200) int parallelism) {
        int subtasks = Math.min(keyGroups, parallelism);
        Assignment target =
                target("consistent-hashing", Assignment.contiguous(keyGroups, 1), subtasks);
        int most = (int) Math.ceil(1.25 * keyGroups / subtasks);
        assertThat(target.counts()).allMatch(count -> count >= 1 && count <= most);
    }

    @Property
    void consistentHashingMovesLessThanUniform(
            @ForAll @IntRange(min = 8, max = 60) int parallelism) {
        int keyGroups = 1024;
        assertThat(moves("consistent-hashing", keyGroups, parallelism, parallelism + 1))
                .isLessThan(moves("uniform", keyGroups, parallelism, parallelism + 1));
    }

    @Example
    void aRingStaysAsItIsOverVersions() {
        // An upgrade that changed it would move nearly everything at the next rescale.
        assertThat(target("consistent-hashing", Assignment.contiguous(16, 1), 3).toString())
                .isEqualTo("{0: 0 2-4 6 9 13, 1: 1 5 7 10-11 14-15, 2: 8 12}");
    }

    @Example
    void fewestKeyGroupsMoveFrom25To30ByMinimalMove() {
        List<Integer> moves = new ArrayList<>();
        for (String name : Arrays.asList("minimal-move", "consistent-hashing", "uniform")) {
            moves.add(moves(name, 128, 25, 30));
        }
        assertThat(moves).containsExactly(20, 26, 115);
    }

    private static int moves(String name, int keyGroups, int from, int to) {
        Assignment begin = target(name, Assignment.contiguous(keyGroups, from), from);
        return Planner.plan(begin, target(name, begin, to), 1).moves().size();
    }

    @Example
    void aParallelismThatCannotBeIsRefused() {
        for (String name : Repartitioning.names()) {
            for (int parallelism : new int[] {0, 5}) {
                assertThatThrownBy(() -> target(name, Assignment.contiguous(4, 2), parallelism))
                        .as(name)
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("parallelism of " + parallelism);
            }
        }
    }
}
