// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale.state;

import io.meces.api.RescaleState;
import io.meces.core.checkpoint.CheckpointPace;
import io.meces.core.checkpoint.RunningCheckpoint;
import javax.annotation.Nullable;

/** Checkpoints are held back, and those on their way complete. */
public final class Quiescing extends QuietState<Quiescing.Context> {

    private final Runnable then;

    /** What this state may do. */
    public interface Context extends QuietState.Context {

        /** Why it is to end before it goes on; null: it is not, or cannot any more. */
        @Nullable
        String stopReason();
    }

    public Quiescing(Context context, CheckpointPace pace, Runnable then) {
        super(context, RescaleState.QUIESCING, pace);
        this.then = then;
    }

    @Override
    public void enter() {
        context.checkpoints().hold();
        pause();
        if (scaling.settings.runningCheckpoint() == RunningCheckpoint.ABORT
                && !context.checkpoints().isQuiet()) {
            context.checkpoints().abortRunning();
        }
        poll();
    }

    private void poll() {
        String stop = context.stopReason();
        if (scaling.isEnding()) {
            context.giveUp(scaling.end());
        } else if (stop != null) {
            context.giveUp(stop);
        } else if (isQuiet()) {
            then.run();
        } else {
            awaitQuiet(this::poll);
        }
    }
}
