// SPDX-License-Identifier: Apache-2.0
package io.meces.core.requirement;

import io.meces.core.id.VertexId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;

/**
 * What parallelism each of some vertices can have with the slots that there are. Scale-ins give
 * slots to scale-outs. Every vertex gets its lower bound first, if there are slots for it; what is
 * left is dealt out evenly, up to the upper bounds.
 */
final class FittingGoals {

    private final List<Demand> demands;
    private final SlotSupply supply;
    private final Map<Demand, Integer> goals = new LinkedHashMap<>();
    private int free;

    private FittingGoals(List<Demand> demands, SlotSupply supply) {
        this.demands = demands;
        this.supply = supply;
    }

    /** The parallelism of each vertex; those that give slots come first. */
    static Map<VertexId, Integer> of(List<Demand> demands, SlotSupply supply) {
        FittingGoals fitting = new FittingGoals(demands, supply);
        fitting.scaleIn();
        fitting.reachLowerBounds();
        fitting.dealOut();
        return fitting.inOrder();
    }

    private void scaleIn() {
        demands.forEach(d -> goals.put(d, d.parallelism));
        int before = slots();
        demands.forEach(d -> goals.put(d, Math.min(d.parallelism, d.bounds.upper())));
        free = supply.free() + before - slots();
    }

    private void reachLowerBounds() {
        for (Demand d : demands) {
            if (goals.get(d) < d.bounds.lower()) {
                raise(d, d.bounds.lower());
            }
        }
    }

    private void dealOut() {
        Demand next = smallest();
        while (next != null) {
            raise(next, goals.get(next) + 1);
            next = smallest();
        }
    }

    /** Of the vertices that can have one more subtask, that which has the fewest. */
    @Nullable
    private Demand smallest() {
        Demand smallest = null;
        for (Demand d : demands) {
            int goal = goals.get(d);
            boolean grows =
                    goal >= d.bounds.lower()
                            && goal < d.bounds.upper()
                            && cost(d, goal + 1) <= free;
            if (grows && (smallest == null || goal < goals.get(smallest))) {
                smallest = d;
            }
        }
        return smallest;
    }

    private void raise(Demand demand, int goal) {
        int cost = cost(demand, goal);
        if (cost <= free) {
            goals.put(demand, goal);
            free -= cost;
        }
    }

    private int cost(Demand demand, int goal) {
        int before = slots();
        int present = goals.put(demand, goal);
        int after = slots();
        goals.put(demand, present);
        return after - before;
    }

    /** How many slots the goals need. */
    private int slots() {
        Map<Object, Integer> groups = new HashMap<>();
        goals.forEach(
                (d, goal) ->
                        groups.merge(
                                d.group,
                                Math.max(goal, supply.neededByOthers(d.group)),
                                Math::max));
        return groups.values().stream().mapToInt(n -> n).sum();
    }

    private Map<VertexId, Integer> inOrder() {
        List<Demand> ordered = new ArrayList<>(demands);
        ordered.sort((a, b) -> Boolean.compare(isScaleOut(a), isScaleOut(b)));
        Map<VertexId, Integer> result = new LinkedHashMap<>();
        ordered.forEach(d -> result.put(d.vertex, goals.get(d)));
        return result;
    }

    private boolean isScaleOut(Demand demand) {
        return goals.get(demand) > demand.parallelism;
    }
}
