// SPDX-License-Identifier: Apache-2.0
package io.meces.core.requirement;

import static org.assertj.core.api.Assertions.assertThat;

import io.meces.api.ParallelismBounds;
import io.meces.core.id.VertexId;
import java.time.Duration;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A cluster in which slots come and go, and a job of which this and that is required. */
class ReconciliationTest {

    private static final int VERTICES = 3;

    /** The cluster and the job, as they are, without any logic of the product. */
    private static final class World {
        final VertexId[] ids = new VertexId[VERTICES];
        final int[] parallelism = new int[VERTICES];
        final ParallelismBounds[] bounds = new ParallelismBounds[VERTICES];
        final boolean[] settled = new boolean[VERTICES];
        final Object[] groups = new Object[VERTICES];
        final Reconciliation reconciliation = new Reconciliation();
        int slots;
        long nanos;

        World(SplittableRandom random) {
            for (int v = 0; v < VERTICES; v++) {
                ids[v] = new VertexId(0, v);
                parallelism[v] = 1 + random.nextInt(4);
                settled[v] = true;
                groups[v] = random.nextInt(2);
                bounds[v] = new ParallelismBounds(1, parallelism[v]);
            }
            slots = used() + random.nextInt(10);
        }

        int used() {
            Map<Object, Integer> widths = new HashMap<>();
            for (int v = 0; v < VERTICES; v++) {
                widths.merge(groups[v], parallelism[v], Math::max);
            }
            return widths.values().stream().mapToInt(n -> n).sum();
        }

        Decision decide() {
            List<Demand> demands = new ArrayList<>();
            for (int v = 0; v < VERTICES; v++) {
                demands.add(new Demand(ids[v], bounds[v], parallelism[v], settled[v], groups[v]));
            }
            Decision decision =
                    reconciliation.decide(
                            demands,
                            SlotSupply.of(Math.max(0, slots - used()), Collections.emptyMap()),
                            nanos);
            check(decision);
            return decision;
        }

        /** What holds for any decision. */
        private void check(Decision decision) {
            int[] before = parallelism.clone();
            for (int v = 0; v < VERTICES; v++) {
                Integer goal = decision.goals().get(ids[v]);
                if (goal != null) {
                    assertThat(goal).isLessThanOrEqualTo(bounds[v].upper());
                    assertThat(goal).isGreaterThanOrEqualTo(Math.min(before[v], bounds[v].lower()));
                    assertThat(goal != before[v] || !settled[v]).isTrue();
                    if (goal < before[v]) {
                        assertThat(goal).isEqualTo(bounds[v].upper());
                    }
                    parallelism[v] = goal;
                }
            }
            if (!decision.goals().isEmpty() && !decision.awaitsSlots()) {
                int after = used();
                System.arraycopy(before, 0, parallelism, 0, VERTICES);
                assertThat(after).isLessThanOrEqualTo(Math.max(slots, used()));
            }
            System.arraycopy(before, 0, parallelism, 0, VERTICES);
        }

        void apply(Decision decision) {
            for (int v = 0; v < VERTICES; v++) {
                if (decision.goals().containsKey(ids[v])) {
                    parallelism[v] = decision.goals().get(ids[v]);
                    settled[v] = true;
                }
            }
        }

        boolean meets() {
            for (int v = 0; v < VERTICES; v++) {
                if (parallelism[v] != bounds[v].upper() || !settled[v]) {
                    return false;
                }
            }
            return true;
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void whatIsRequiredIsReachedOnceNothingFailsAndThereAreSlots(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 50; round++) {
            World world = new World(random);
            for (int i = 0; i < 40; i++) {
                if (random.nextInt(4) == 0) {
                    int v = random.nextInt(VERTICES);
                    int lower = 1 + random.nextInt(6);
                    world.bounds[v] = new ParallelismBounds(lower, lower + random.nextInt(6));
                    world.reconciliation.onChanged();
                }
                if (random.nextInt(4) == 0) {
                    world.slots = world.used() + random.nextInt(12);
                }
                world.nanos += random.nextLong(Duration.ofSeconds(20).toNanos());
                Decision decision = world.decide();
                if (!decision.goals().isEmpty()) {
                    boolean succeeds = random.nextBoolean() && hasSlots(world, decision);
                    if (succeeds) {
                        world.apply(decision);
                    } else if (random.nextBoolean()) {
                        decision.goals().keySet().forEach(id -> unsettle(world, id));
                    }
                    world.reconciliation.onEnded(decision.awaitsSlots(), succeeds, world.nanos);
                }
            }
            world.slots = 100;
            int rescales = 0;
            while (!world.meets()) {
                Decision decision = world.decide();
                assertThat(decision).isNotSameAs(Decision.rest());
                if (decision.goals().isEmpty()) {
                    world.nanos += decision.later().toNanos();
                } else {
                    world.apply(decision);
                    world.reconciliation.onEnded(decision.awaitsSlots(), true, world.nanos);
                    assertThat(++rescales).as("one is enough").isEqualTo(1);
                }
            }
            assertThat(world.decide()).isSameAs(Decision.rest());
        }
    }

    private static boolean hasSlots(World world, Decision decision) {
        int[] before = world.parallelism.clone();
        boolean[] settled = world.settled.clone();
        world.apply(decision);
        boolean has = world.used() <= world.slots;
        System.arraycopy(before, 0, world.parallelism, 0, VERTICES);
        System.arraycopy(settled, 0, world.settled, 0, VERTICES);
        return has;
    }

    private static void unsettle(World world, VertexId id) {
        for (int v = 0; v < VERTICES; v++) {
            if (world.ids[v].equals(id)) {
                world.settled[v] = false;
            }
        }
    }

    /** In an hour of failures. */
    @Test
    void whatFailsIsTriedAgainLaterAndLater() {
        World world = new World(new SplittableRandom(1));
        world.bounds[0] = new ParallelismBounds(1, 20);
        world.slots = 100;
        int attempts = 0;
        while (world.nanos < Duration.ofHours(1).toNanos()) {
            Decision decision = world.decide();
            if (decision.goals().isEmpty()) {
                assertThat(decision.later()).isPositive();
                world.nanos += decision.later().toNanos();
            } else {
                attempts++;
                world.nanos += Duration.ofMillis(1).toNanos();
                world.reconciliation.onEnded(decision.awaitsSlots(), false, world.nanos);
            }
        }
        assertThat(attempts).isBetween(5, 15);
        world.reconciliation.onChanged();
        assertThat(world.decide().goals()).isNotEmpty();
    }

    /** On a cluster whose TaskManagers come when asked for, as on Kubernetes. */
    @Test
    void whatFitsComesFirstAndSlotsAreAskedForAfterThat() {
        World world = new World(new SplittableRandom(2));
        for (int v = 1; v < VERTICES; v++) {
            world.groups[v] = "others";
        }
        world.parallelism[0] = 1;
        world.groups[0] = "mine";
        world.bounds[0] = new ParallelismBounds(1, 5);
        world.slots = world.used() + 2;
        Decision fits = world.decide();
        assertThat(fits.goals()).containsOnly(entry(world.ids[0], 3));
        assertThat(fits.awaitsSlots()).isFalse();
        world.apply(fits);
        world.reconciliation.onEnded(false, true, world.nanos);
        Decision awaits = world.decide();
        assertThat(awaits.goals()).containsOnly(entry(world.ids[0], 5));
        assertThat(awaits.awaitsSlots()).isTrue();
        world.reconciliation.onEnded(true, false, world.nanos);
        // from now on it looks, and takes what has come
        assertThat(world.decide().later()).isEqualTo(Reconciliation.POLL);
        world.slots++;
        assertThat(world.decide().goals()).containsOnly(entry(world.ids[0], 4));
    }

    @Test
    void aLowerBoundThatDoesNotFitLeavesTheVertexAsItIs() {
        World world = new World(new SplittableRandom(3));
        world.slots = world.used() + 1;
        world.bounds[0] = new ParallelismBounds(10, 12);
        Decision decision = world.decide();
        assertThat(decision.awaitsSlots()).isTrue();
        assertThat(decision.goals()).containsOnly(entry(world.ids[0], 12));
    }

    @Test
    void whileNobodyKnowsTheSlotsNothingIsAskedForThatNeedsSome() {
        VertexId wide = new VertexId(0, 1);
        VertexId narrow = new VertexId(0, 2);
        List<Demand> demands = new ArrayList<>();
        demands.add(new Demand(wide, new ParallelismBounds(1, 4), 2, true, "a"));
        Reconciliation reconciliation = new Reconciliation();
        SlotSupply unknown = SlotSupply.unknown(Collections.emptyMap());
        assertThat(reconciliation.decide(demands, unknown, 0).later())
                .isEqualTo(Reconciliation.POLL);
        demands.add(new Demand(narrow, new ParallelismBounds(1, 1), 3, true, "b"));
        // what it gives serves the other
        assertThat(new ArrayList<>(reconciliation.decide(demands, unknown, 0).goals().entrySet()))
                .containsExactly(entry(narrow, 1), entry(wide, 4));
    }

    @Test
    void verticesThatShareSlotsNeedThemOnce() {
        List<Demand> demands = new ArrayList<>();
        demands.add(new Demand(new VertexId(0, 1), new ParallelismBounds(1, 9), 1, true, "g"));
        demands.add(new Demand(new VertexId(0, 2), new ParallelismBounds(1, 9), 1, true, "g"));
        // a third one of the group has two subtasks
        SlotSupply supply = SlotSupply.of(1, Collections.singletonMap("g", 2));
        assertThat(new Reconciliation().decide(demands, supply, 0).goals().values())
                .containsExactly(3, 3);
    }

    private static Map.Entry<VertexId, Integer> entry(VertexId id, int goal) {
        return new AbstractMap.SimpleEntry<>(id, goal);
    }
}
