// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale;

import io.meces.core.checkpoint.CheckpointControl;
import io.meces.core.checkpoint.RescaleException;
import io.meces.core.id.AttemptId;
import io.meces.core.job.ElasticVertex;
import io.meces.core.job.RescaleContext;
import io.meces.core.plan.Assignment;
import io.meces.core.rescale.state.CurrentState;
import io.meces.core.rescale.state.State;
import io.meces.core.rescale.state.VertexScaling;
import java.time.Duration;
import java.util.Map;

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

    /** A part of another one. */
    RescalePart(RescalePart whole) {
        this(whole.scaling, whole.job, whole.current);
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
    public final Map<AttemptId, String> hindrances() {
        return current.hindrances();
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
