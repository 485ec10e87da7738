// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale;

import io.meces.api.VertexChange;
import io.meces.core.plan.Planner;
import io.meces.core.plan.RescalePlan;

/**
 * A vertex that a rescale moves, where it came from and where it goes to. Owned by the JobMaster's
 * main thread.
 */
final class RescaleTarget {

    private final ElasticVertex vertex;
    private final StoredElasticity.Vertex origin;
    private final StoredElasticity.Vertex goal;
    private RescalePlan plan;

    /**
     * @param plan from where it stands to the goal
     */
    RescaleTarget(
            ElasticVertex vertex,
            StoredElasticity.Vertex origin,
            StoredElasticity.Vertex goal,
            RescalePlan plan) {
        this.vertex = vertex;
        this.origin = origin;
        this.goal = goal;
        this.plan = plan;
    }

    ElasticVertex vertex() {
        return vertex;
    }

    StoredElasticity.Vertex origin() {
        return origin;
    }

    StoredElasticity.Vertex goal() {
        return goal;
    }

    /** The last one that was made. */
    RescalePlan plan() {
        return plan;
    }

    boolean isAt(StoredElasticity.Vertex place) {
        return vertex.parallelism() == place.parallelism
                && vertex.assignment().equals(place.assignment);
    }

    /** Whether it is neither here nor there. */
    boolean isHalfWay() {
        return !isAt(origin) && !isAt(goal);
    }

    void settleAtOrigin() {
        vertex.settle(origin.assignment, origin.parallelism);
    }

    /** From where it stands to the origin or to the goal. */
    RescalePlan planTo(StoredElasticity.Vertex place, int batchSize) {
        if (!plan.from().equals(vertex.assignment()) || !plan.to().equals(place.assignment)) {
            plan = Planner.plan(vertex.assignment(), place.assignment, batchSize);
        }
        return plan;
    }

    VertexChange change() {
        return new VertexChange(
                vertex.id().toString(), vertex.name(), origin.parallelism, goal.parallelism);
    }
}
