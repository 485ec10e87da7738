// SPDX-License-Identifier: Apache-2.0
package io.meces.core.plan;

import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.Tuple.Tuple2;
import net.jqwik.api.domains.DomainContextBase;

/** Assignments as properties meet them. */
public final class Assignments extends DomainContextBase {

    private static final int MAX_KEY_GROUPS = 48;
    private static final int MAX_SUBTASKS = 10;

    /** Any two assignments of the same key-groups, with any number of subtasks on either side. */
    @Provide
    Arbitrary<Tuple2<Assignment, Assignment>> pairs() {
        return Arbitraries.integers()
                .between(1, MAX_KEY_GROUPS)
                .flatMap(
                        keyGroups ->
                                any(keyGroups)
                                        .flatMap(a -> any(keyGroups).map(b -> Tuple.of(a, b))));
    }

    /** Any assignment and a parallelism that it can be brought to. */
    @Provide
    Arbitrary<Tuple2<Assignment, Integer>> scalings() {
        return Arbitraries.integers()
                .between(1, MAX_KEY_GROUPS)
                .flatMap(
                        keyGroups ->
                                any(keyGroups)
                                        .flatMap(
                                                assignment ->
                                                        Arbitraries.integers()
                                                                .between(1, keyGroups)
                                                                .map(
                                                                        p ->
                                                                                Tuple.of(
                                                                                        assignment,
                                                                                        p))));
    }

    private static Arbitrary<Assignment> any(int keyGroups) {
        return Arbitraries.integers()
                .between(1, MAX_SUBTASKS)
                .flatMap(
                        subtasks ->
                                Arbitraries.integers()
                                        .between(0, subtasks - 1)
                                        .list()
                                        .ofSize(keyGroups)
                                        .map(Assignments::toAssignment));
    }

    private static Assignment toAssignment(List<Integer> owners) {
        return Assignment.of(owners.stream().mapToInt(Integer::intValue).toArray());
    }
}
