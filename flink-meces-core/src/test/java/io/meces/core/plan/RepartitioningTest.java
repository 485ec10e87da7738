// SPDX-License-Identifier: Apache-2.0
package io.meces.core.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RepartitioningTest {

    private final Assignment current = Assignment.contiguous(4, 2);

    /** A strategy of a user: all to subtask 0, and one to each other. */
    public static final class Lopsided implements RepartitionStrategy {
        @Override
        public Assignment target(Assignment current, int parallelism, VertexLoad load) {
            int[] owners = new int[current.keyGroups()];
            for (int subtask = 0; subtask < parallelism; subtask++) {
                owners[subtask] = subtask;
            }
            return Assignment.of(owners);
        }
    }

    /** One that cannot be made. */
    public static final class WithArgument implements RepartitionStrategy {
        public WithArgument(int argument) {
            throw new IllegalStateException("made with " + argument);
        }

        @Override
        public Assignment target(Assignment current, int parallelism, VertexLoad load) {
            return current;
        }
    }

    @Test
    void aClassOfTheUserIsAStrategy() {
        Repartitioning lopsided = Repartitioning.named(Lopsided.class.getName());
        assertThat(lopsided.usesLoad()).isFalse();
        assertThat(lopsided.target(current, 3, VertexLoad.unknown()))
                .isEqualTo(Assignment.of(0, 1, 2, 0));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "fastest", "java.lang.String", "no.such.Strategy"})
    void whatIsNoStrategyIsRefused(String name) {
        assertRefused(name);
    }

    @Test
    void aClassThatCannotBeMadeIsRefused() {
        assertRefused(WithArgument.class.getName());
    }

    private static void assertRefused(String name) {
        assertThatThrownBy(() -> Repartitioning.named(name))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(
                        "There is no strategy '"
                                + name
                                + "': it can be one of [minimal-move, uniform, consistent-hashing,"
                                + " load-aware], or the name of a class in a jar in lib/ of the"
                                + " JobManager that implements"
                                + " io.meces.core.plan.RepartitionStrategy and has a public"
                                + " constructor without parameters (");
    }

    @Test
    void anImpossibleAssignmentIsRefused() {
        assertImpossible(null, "null.");
        assertImpossible(Assignment.of(0, 1, 2), "3 key-groups instead of 4.");
        assertImpossible(Assignment.of(0, 1, 1, 0), "2 subtasks instead of 3.");
        assertImpossible(Assignment.of(0, 1, 2, 3), "4 subtasks instead of 3.");
        assertImpossible(Assignment.of(0, 0, 2, 0), "subtask 1 has no key-group.");
    }

    private void assertImpossible(Assignment result, String flaw) {
        Repartitioning mine = new Repartitioning("mine", (assignment, parallelism, load) -> result);
        assertThatThrownBy(() -> mine.target(current, 3, VertexLoad.unknown()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("Strategy mine gives an impossible assignment: " + flaw);
    }

    @Test
    void aStrategyThatFailsIsNamed() {
        Repartitioning mine =
                new Repartitioning(
                        "mine",
                        (assignment, parallelism, load) -> {
                            throw new IllegalStateException("out of ideas");
                        });
        assertThatThrownBy(() -> mine.target(current, 3, VertexLoad.unknown()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "Strategy mine has failed: java.lang.IllegalStateException: out of ideas");
    }

    @Test
    void aLoadOfNonsenseIsRefused() {
        for (double rate : new double[] {-1, Double.NaN, Double.POSITIVE_INFINITY}) {
            assertThatThrownBy(() -> VertexLoad.of(new double[] {rate}, new long[1]))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("Key-group 0 cannot have " + rate);
        }
        assertThatThrownBy(() -> VertexLoad.of(new double[2], new long[1]))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(VertexLoad.unknown().isKnown()).isFalse();
        assertThat(VertexLoad.unknown().recordsPerSecond(77)).isZero();
    }
}
