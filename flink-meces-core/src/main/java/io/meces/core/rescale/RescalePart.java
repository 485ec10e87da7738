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

import io.meces.core.plan.Assignment;
import java.time.Duration;

/**
 * A part of the life of the rescale of a vertex: what it does in some states, and which follows
 * which. Owned by the JobMaster's main thread.
 */
abstract class RescalePart implements State.Context {

    final VertexScaling scaling;
    final ElasticVertex vertex;
    final RescaleContext job;
    final CurrentState current;

    RescalePart(VertexScaling scaling, RescaleContext job, CurrentState current) {
        this.scaling = scaling;
        this.vertex = scaling.vertex;
        this.job = job;
        this.current = current;
    }

    /** The rescale ends: the vertex is and remains so. */
    final void end(Assignment assignment, int parallelism) {
        current.leave();
        vertex.settle(assignment, parallelism);
        job.checkpoints().release();
    }

    @Override
    public final VertexScaling scaling() {
        return scaling;
    }

    @Override
    public final boolean isAt(State<?> state) {
        return current.isAt(state);
    }

    @Override
    public final void schedule(Runnable action, Duration delay) {
        job.schedule(action, delay);
    }

    @Override
    public final boolean canRestart() {
        return job.canRestart();
    }

    @Override
    public final void failJob(Throwable cause) {
        // with the cause in it: the status of the rescale has but one line
        job.failJob(
                new RescaleException("The rescale of " + vertex + " has failed: " + cause, cause));
    }

    public final CheckpointControl checkpoints() {
        return job.checkpoints();
    }
}
