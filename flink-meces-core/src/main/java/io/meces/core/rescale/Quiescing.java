// SPDX-License-Identifier: Apache-2.0
package io.meces.core.rescale;

import io.meces.api.RescaleState;
import javax.annotation.Nullable;

/** Checkpoints are held back, and those on their way complete. */
final class Quiescing extends QuietState<Quiescing.Context> {

    private final Runnable then;

    /** What this state may do. */
    interface Context extends QuietState.Context {

        /** Why it is to end before it goes on; null: it is not, or cannot any more. */
        @Nullable
        String stopReason();
    }

    Quiescing(Context context, CheckpointPace pace, Runnable then) {
        super(context, RescaleState.QUIESCING, pace);
        this.then = then;
    }

    @Override
    void enter() {
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
