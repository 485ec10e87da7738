// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale;

import io.meces.api.RescaleState;
import io.meces.api.RescaleStatus;
import io.meces.core.job.RescaleTarget;
import io.meces.core.job.StoredElasticity;
import java.util.List;
import javax.annotation.Nullable;

/** A vertex is being rescaled. Owned by the JobMaster's main thread. */
abstract class MovingPhase extends RescalePhase implements VertexRescale.Listener {

    final Context rescale;
    final List<RescaleTarget> targets;
    final int index;
    final VertexRescale part;

    /** What it may do with the rescale that it is a phase of. */
    interface Context {

        /** The rescale of one vertex, which has not begun. */
        VertexRescale to(
                StoredElasticity.Vertex place,
                RescaleTarget target,
                VertexRescale.Listener listener);

        void onBegun(VertexRescale part);

        /** A failure has undone it. */
        void onUndone(VertexRescale part);

        /** What is to be stored of it has changed. */
        void onChanged();

        RescaleIntent intent();

        void setIntent(RescaleIntent intent);

        /** The vertices from this one on go to their goals. */
        void forward(int first);

        /** The vertices from this one back to the first go where they came from. */
        void backward(int first);

        /** It goes on when the job runs again. */
        void recover(String reason);

        /** It is tried again: a new subtask has failed, which the job has not noticed. */
        void retry(String reason);

        void end(RescaleStatus outcome, @Nullable String reason);
    }

    /**
     * @param index of the target that moves
     * @param place where it goes
     */
    MovingPhase(
            Context rescale,
            List<RescaleTarget> targets,
            int index,
            StoredElasticity.Vertex place) {
        this.rescale = rescale;
        this.targets = targets;
        this.index = index;
        this.part = rescale.to(place, targets.get(index), this);
    }

    final RescaleTarget target() {
        return targets.get(index);
    }

    final VertexRescale part() {
        return part;
    }

    @Override
    final void enter() {
        rescale.onBegun(part);
        part.start();
    }

    @Override
    final RescaleState state() {
        return part.state();
    }

    @Override
    public final void onMigrated() {
        rescale.onChanged();
    }

    @Override
    final void abandon() {
        part.abandon();
    }

    @Override
    final void endEarly(String reason) {
        part.stop(reason);
    }

    /** It ends early, as it is meant to. */
    final void endAsIntended() {
        rescale.end(RescaleStatus.ABORTED, rescale.intent().reason());
    }

    /** A failure does what was meant, or keeps it from being done. */
    final void endByFailure(String failure) {
        if (rescale.intent().rollsBack()) {
            // as the job restarts anyway, each vertex can be restored where it came from
            targets.forEach(RescaleTarget::settleAtOrigin);
        }
        rescale.end(RescaleStatus.ABORTED, rescale.intent().reason() + "; " + failure);
    }
}
