// SPDX-License-Identifier: Apache-2.0
package io.meces.core.job;

import io.meces.core.id.VertexId;
import java.util.HashMap;
import java.util.Map;
import java.util.function.ToIntFunction;

/**
 * How many slots a job needs: within a slot sharing group, subtasks of the same index share one.
 * Pure.
 */
public final class SlotNeeds {

    private SlotNeeds() {}

    /**
     * How many it needs of each slot sharing group.
     *
     * @param subtasks how many subtasks a vertex has
     */
    public static Map<Object, Integer> byGroup(
            RescaleContext job, ToIntFunction<VertexId> subtasks) {
        Map<Object, Integer> needed = new HashMap<>();
        for (VertexId id : job.vertices()) {
            needed.merge(job.slotSharingGroup(id), subtasks.applyAsInt(id), Math::max);
        }
        return needed;
    }

    /**
     * How many more it needs when some vertices have other parallelisms; fewer: a negative number.
     */
    public static int more(RescaleContext job, Map<VertexId, Integer> changed) {
        return sum(byGroup(job, id -> changed.getOrDefault(id, job.activeSubtasks(id))))
                - sum(byGroup(job, job::activeSubtasks));
    }

    private static int sum(Map<Object, Integer> needed) {
        return needed.values().stream().mapToInt(Integer::intValue).sum();
    }
}
