// SPDX-License-Identifier: Apache-2.0
package io.meces.core.job;

import io.meces.api.VertexChange;
import io.meces.core.plan.Planner;
import io.meces.core.plan.RescalePlan;

/**
 * A vertex that a rescale moves, where it came from and where it goes to. Owned by the JobMaster's
 * main thread.
 */
public final class RescaleTarget {

    private final ElasticVertex vertex;
    private final StoredElasticity.Vertex origin;
    private final StoredElasticity.Vertex goal;
    private RescalePlan plan;

    /**
     * @param plan from where it stands to the goal
     */
    public RescaleTarget(
            ElasticVertex vertex,
            StoredElasticity.Vertex origin,
            StoredElasticity.Vertex goal,
            RescalePlan plan) {
        this.vertex = vertex;
        this.origin = origin;
        this.goal = goal;
        this.plan = plan;
    }

    public ElasticVertex vertex() {
        return vertex;
    }

    public StoredElasticity.Vertex origin() {
        return origin;
    }

    public StoredElasticity.Vertex goal() {
        return goal;
    }

    /** The last one that was made. */
    public RescalePlan plan() {
        return plan;
    }

    public boolean isAt(StoredElasticity.Vertex place) {
        return vertex.parallelism() == place.parallelism
                && vertex.assignment().equals(place.assignment);
    }

    /** Whether it is neither here nor there. */
    public boolean isHalfWay() {
        return !isAt(origin) && !isAt(goal);
    }

    public void settleAtOrigin() {
        vertex.settle(origin.assignment, origin.parallelism);
    }

    /** From where it stands to the origin or to the goal. */
    public RescalePlan planTo(StoredElasticity.Vertex place, int batchSize) {
        if (!plan.from().equals(vertex.assignment()) || !plan.to().equals(place.assignment)) {
            plan = Planner.plan(vertex.assignment(), place.assignment, batchSize);
        }
        return plan;
    }

    public VertexChange change() {
        return new VertexChange(
                vertex.id().toString(), vertex.name(), origin.parallelism, goal.parallelism);
    }
}
