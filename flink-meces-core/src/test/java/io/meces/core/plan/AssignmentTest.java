// SPDX-License-Identifier: Apache-2.0
package io.meces.core.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Collections;
import org.junit.jupiter.api.Test;

class AssignmentTest {

    @Test
    void isAValue() {
        Assignment assignment = Assignment.of(0, 0, 1, 0, 2);
        assertThat(assignment).isEqualTo(Assignment.of(0, 0, 1, 0, 2));
        assertThat(assignment).hasSameHashCodeAs(Assignment.of(0, 0, 1, 0, 2));
        assertThat(assignment).isNotEqualTo(Assignment.of(0, 0, 1, 0, 1));
        assertThat(assignment).hasToString("{0: 0-1 3, 1: 2, 2: 4}");
        assertThat(assignment.keyGroups()).isEqualTo(5);
        assertThat(assignment.parallelism()).isEqualTo(3);
        assertThat(assignment.counts()).containsExactly(3, 1, 1);
        assertThat(assignment.keyGroupsOf(0)).containsExactly(0, 1, 3);
        assertThat(assignment.keyGroupsOf(9)).isEmpty();
        int[] owners = assignment.toArray();
        owners[0] = 7;
        assertThat(assignment.owner(0)).isZero();
    }

    @Test
    void movesLeaveTheOriginalAlone() {
        Assignment assignment = Assignment.of(0, 0, 1);
        assertThat(assignment.with(Arrays.asList(new Move(1, 0, 2), new Move(2, 1, 0))))
                .isEqualTo(Assignment.of(0, 2, 0));
        assertThat(assignment).isEqualTo(Assignment.of(0, 0, 1));
    }

    @Test
    void refusesWhatDoesNotFit() {
        Assignment assignment = Assignment.of(0, 0, 1);
        assertRefused(() -> Assignment.of(), "at least one key-group");
        assertRefused(() -> Assignment.of(0, -1), "Key-group 1 is assigned to subtask -1");
        assertRefused(() -> Assignment.contiguous(4, 5), "parallelism of 5", "1 to 4");
        assertRefused(() -> Assignment.contiguous(4, 0), "parallelism of 0");
        assertRefused(() -> assignment.owner(3), "no key-group 3", "0 to 2");
        assertRefused(
                () -> assignment.with(Collections.singletonList(new Move(2, 0, 1))),
                "2: 0 -> 1",
                "owned by subtask 1");
        assertRefused(
                () -> assignment.with(Arrays.asList(new Move(0, 0, 1), new Move(0, 0, 2))),
                "moved twice");
        assertRefused(() -> new Move(3, 1, 1), "Key-group 3", "to itself");
        assertRefused(() -> new Move(-1, 1, 2), "numbered from 0");
        assertRefused(() -> new Step(Collections.emptyList()), "at least one move");
        assertRefused(() -> new Step(Arrays.asList(new Move(0, 0, 1), new Move(0, 0, 1))), "twice");
        assertRefused(
                () ->
                        new Step(
                                Arrays.asList(
                                        new Move(0, 0, 1), new Move(1, 1, 2), new Move(2, 2, 0))),
                "2: 2 -> 0",
                "circle");
        assertRefused(
                () -> new RescalePlan(assignment, Assignment.of(1, 1, 1), Collections.emptyList()),
                "instead of");
        assertRefused(() -> Planner.plan(assignment, assignment, 0), "batch size of 0");
        assertRefused(() -> Planner.plan(assignment, Assignment.of(0), 1), "3 to 1 key-groups");
        assertRefused(() -> new MovesLeft(assignment, assignment).cut(1), "at least one move");
        assertRefused(
                () ->
                        new MovesLeft(assignment, Assignment.of(1, 1, 1))
                                .remove(new Step(Arrays.asList(new Move(2, 0, 1)))),
                "2: 0 -> 1",
                "not the next one");
        assertRefused(
                () -> new MinimalMoveStrategy().target(assignment, 4, VertexLoad.unknown()),
                "parallelism of 4");
    }

    private static void assertRefused(Runnable call, String... parts) {
        assertThatThrownBy(call::run)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll(parts);
    }
}
