/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */

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
