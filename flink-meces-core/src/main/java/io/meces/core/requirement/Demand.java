// SPDX-License-Identifier: Apache-2.0
package io.meces.core.requirement;

import io.meces.api.ParallelismBounds;
import io.meces.core.id.VertexId;

/** A vertex that is to run within bounds, and how it stands. An immutable value. */
public final class Demand {

    final VertexId vertex;
    final ParallelismBounds bounds;
    final int parallelism;
    final boolean settled;
    final Object group;

    /**
     * @param parallelism that it has now
     * @param settled whether its key-groups are where the last rescale wanted them
     * @param group the slot sharing group: of two vertices in the same one, subtasks of the same
     *     index share a slot
     */
    public Demand(
            VertexId vertex,
            ParallelismBounds bounds,
            int parallelism,
            boolean settled,
            Object group) {
        this.vertex = vertex;
        this.bounds = bounds;
        this.parallelism = parallelism;
        this.settled = settled;
        this.group = group;
    }

    /**
     * Whether a rescale of a vertex with these bounds is not to go on: it goes out of the bounds,
     * or takes away subtasks of which more are wanted.
     */
    public static boolean isContradicted(ParallelismBounds bounds, int from, int goal) {
        return !bounds.contains(goal) || goal < from && goal < bounds.upper();
    }

    @Override
    public String toString() {
        return vertex + " at " + parallelism + " in " + bounds + (settled ? "" : " (not settled)");
    }
}
